// The page of a record: one HTML file without scripts that prints on A4, made only from the record.
import { drawImage } from './page-image.js';
import { embed, drawEvidence, drawScores } from './page-sections.js';
import { PAGE_STYLE } from './page-style.js';
import {
  assessmentOf,
  HEADLINES,
  withoutHeadline,
} from 'telltale-engine/internal/check/verdict/assessment.js';
import { buildDocument, facts, html, shorten, type Html } from '../../html/html.js';
import type { RecordContent, SignedRecord } from '../content/schema.js';
import { writeJson } from '../keys/keys.js';

/** Maximum characters of a reason on the page: twice the longest reason without names from files. */
const MAX_REASON_CHARACTERS = 600;

/** Returns the page, which contains the record's JSON. The seal is added later. */
export function drawPage(signed: SignedRecord): string {
  const { record } = signed;
  const assessment = record.verdict ? assessmentOf(record.verdict) : null;
  const title = record.refusal || !assessment ? 'Not checked' : HEADLINES[assessment];
  const body = html`<main>
      <header>
        <p class="brand">
          Telltale · record of ${record.source === 'check' ? 'a check' : 'a check of the history'}
        </p>
        <h1 class="${assessment ?? 'none'}">${title}</h1>
        <p class="reason">${describeOutcome(record)}</p>
      </header>
      <section class="columns">
        ${drawImage(record)}
        ${facts([
          ['Checked', record.time],
          ['Check', record.id],
          ['Request', record.request_id],
          ['Profile', record.verdict?.profile ?? null],
          ['File', describeFile(record)],
          ['SHA-256', record.picture.sha256],
          ...drawAppeal(record),
          ['Perceptual hash', record.picture.perceptual_hash],
          [
            'JPEG quality',
            record.picture.jpeg_quality === null ? null : `about ${record.picture.jpeg_quality}`,
          ],
        ])}
      </section>
      ${drawScores(record)} ${drawEvidence(record)} ${drawMaking(record)} ${drawSignature(signed)}
    </main>
    ${{ text: embed(writeJson(signed)) }}`;
  return buildDocument({
    title: `${title} · record ${record.id ?? record.picture.sha256 ?? ''}`,
    style: PAGE_STYLE,
    body,
  });
}

/** Lists the facts about an appeal: the check that it objects to, and the decision. */
function drawAppeal({ appeal }: RecordContent): [string, string][] {
  if (!appeal) return [];
  const { against, same_scene: isSame, decision } = appeal;
  return [
    [
      'Appeal against',
      `${against.id} of ${against.time}: ${against.is_ai ? 'flagged as AI' : 'not flagged as AI'}`,
    ],
    ['Same scene', isSame ? 'yes' : 'no'],
    [
      'Decision',
      decision === null
        ? 'none so far'
        : `${decision.outcome.replace('_', ' ')}. ${shorten(decision.remark, MAX_REASON_CHARACTERS)}`,
    ],
  ];
}

function describeOutcome({ refusal, verdict }: RecordContent): string {
  if (refusal) return `${refusal.code}: ${shorten(refusal.message, MAX_REASON_CHARACTERS)}.`;
  return `${shorten(withoutHeadline(verdict?.reason ?? ''), MAX_REASON_CHARACTERS)}.`;
}

function describeFile({ picture }: RecordContent): string | null {
  const { format, width, height, size_bytes: size, frames } = picture;
  const parts = [
    format?.toUpperCase() ?? null,
    width === null ? null : `${width} × ${height} px`,
    size === null ? null : `${size} bytes`,
    frames !== null && frames > 1 ? `first of ${frames} frames` : null,
  ].filter((part) => part !== null);
  return parts.length === 0 ? null : parts.join(', ');
}

function drawMaking({ made_with: madeWith }: RecordContent): Html {
  const { arithmetic, files, trust_lists: lists } = madeWith;
  const computed = arithmetic && [
    `${arithmetic.precision} on ${arithmetic.device}, ${arithmetic.processor} (${arithmetic.architecture}`,
    arithmetic.features.length === 0 ? '' : `: ${arithmetic.features.join(' ')}`,
    `), ONNX Runtime ${arithmetic.onnxruntime}`,
  ];
  return html`<section>
    <h2>Made with</h2>
    ${facts([
      ['Telltale', madeWith.telltale],
      ['Model', madeWith.views === null ? madeWith.model : `${madeWith.model}, ${madeWith.views} views`],
      ['Bands', madeWith.bands_version],
      ['Trust lists', lists && (lists.map(({ name, date }) => `${name} of ${date}`).join(', ') || 'none')],
      ['Arithmetic', computed && computed.join('')],
      ['On another processor', `scores move by up to ${madeWith.score_tolerance}`],
    ])}
    ${
      files &&
      html`<ul class="digests">
        ${files.map(({ name, sha256 }) => html`<li>${name} ${sha256}</li>`)}
      </ul>`
    }
  </section>`;
}

function drawSignature({ signature }: SignedRecord): Html {
  return html`<section>
    <h2>Signature</h2>
    ${facts([
      [signature.algorithm, signature.value],
      ['Key', signature.key],
    ])}
    <p class="quiet">
      The record is inside this file as JSON, and signed. “telltale record verify FILE” says whether anything
      was changed, whether an image is this one, and whether its check gives these scores again.
    </p>
  </section>`;
}
