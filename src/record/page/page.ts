// The page of a record: one HTML file without scripts that prints on A4, made only from the record.
import { embed, drawEvidence, drawScores } from './page-sections.js';
import {
  assessmentOf,
  HEADLINES,
  withoutHeadline,
} from 'telltale-engine/internal/check/verdict/assessment.js';
import { buildDocument, facts, html, shorten, type Html } from '../../html/html.js';
import type { RecordContent, SignedRecord } from '../content/schema.js';
import { writeJson } from '../keys/keys.js';
import { HEAT_SCALE, selectHeat } from 'telltale-engine/internal/check/heat-map.js';

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

export const PAGE_STYLE = `
:root { color-scheme: light dark; --page: #fff; --ink: #171b24; --quiet: #565f70; --line: #d5d9e2; --alarm: #b02a17; --doubt: #7a5200; --calm: #33506b; }
@media (prefers-color-scheme: dark) {
  :root { --page: #12161d; --ink: #e8ebf0; --quiet: #a9b1c0; --line: #333b48; --alarm: #ff9280; --doubt: #f0c163; --calm: #a9c3dc; }
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--ink); font: 15px/1.4 system-ui, sans-serif; }
main { max-width: 60rem; margin: 0 auto; padding: 1.5rem; }
.brand, .quiet, figcaption, dt { color: var(--quiet); }
.brand { margin: 0; }
h1 { margin: 0 0 .2em; font-size: 2em; line-height: 1.15; color: var(--calm); }
h1.likely_ai { color: var(--alarm); }
h1.unclear { color: var(--doubt); }
h2 { margin: 1em 0 .3em; font-size: 1.1em; }
.reason { margin: 0 0 1em; max-width: 50em; }
.reason::first-letter { text-transform: uppercase; }
.columns { display: flex; flex-wrap: wrap; gap: 1rem 1.5rem; }
.columns > * { flex: 1 1 16rem; min-width: 0; }
figure { margin: 0; }
svg { display: block; width: 100%; max-height: 20rem; }
figcaption { margin-top: .3em; font-size: .9em; }
.enlarged { display: flex; gap: .5rem; margin-top: .5rem; }
.enlarged svg { flex: 1 1 0; max-width: 10rem; max-height: 10rem; outline: 2px solid #e63946; outline-offset: -2px; }
.heat { fill: #e63946; }
.face { fill: none; stroke: #45a0dc; }
.face.alarm { stroke: #e63946; }
dl { margin: 0; }
dl > div { display: flex; gap: .8em; border-bottom: 1px solid var(--line); padding: .15em 0; }
dt { flex: 0 0 8.5em; }
dd { margin: 0; min-width: 0; overflow-wrap: anywhere; }
table { width: 100%; border-collapse: collapse; }
th, td { padding: .2em .6em .2em 0; border-bottom: 1px solid var(--line); text-align: left; font-weight: normal; }
thead th { color: var(--quiet); }
.fires { color: var(--alarm); font-weight: bold; }
ul { margin: .3em 0; padding-left: 1.2em; }
li { overflow-wrap: anywhere; }
.digests { padding: 0; list-style: none; font: .8em/1.35 ui-monospace, 'DejaVu Sans Mono', monospace; color: var(--quiet); }
p { margin: .4em 0; }
@page { size: A4; margin: 12mm; }
@media print {
  :root { color-scheme: light; --page: #fff; --ink: #000; --quiet: #444; --line: #bbb; --alarm: #8a1f0f; --doubt: #6b4600; --calm: #23384c; }
  body { font-size: 8pt; line-height: 1.25; }
  h1 { font-size: 1.6em; }
  h2 { margin-top: .7em; }
  main { max-width: none; padding: 0; }
  tr, figure { break-inside: avoid; }
  h2 { break-after: avoid; }
  svg { max-height: 50mm; }
  .enlarged svg { max-width: 25mm; }
}
`;

const MAX_OPACITY = 0.55;
/** Maximum number of enlarged faces. */
const MAX_ENLARGED = 3;
/** Size of the enlarged part relative to the face box, so that the whole head is visible. */
const FACE_MARGIN = 1.5;

type Face = NonNullable<RecordContent['faces']>[number];
interface Size {
  readonly width: number;
  readonly height: number;
}

/** Returns the HTML of the figure, or null if the record contains no image. */
export function drawImage({ picture, faces, heat_map: cells, scores, verdict }: RecordContent): Html | null {
  const { preview, width, height } = picture;
  if (preview === null || width === null || height === null) return null;
  const threshold = scores?.face_specialist.thresholds?.[verdict?.profile ?? 'balanced'] ?? Infinity;
  const isFlagged = ({ score }: Face): boolean => score >= threshold;
  const stroke = Math.max(width, height) / 160;
  const hot = selectHeat(verdict?.fired ?? [], cells ?? []).filter(({ score }) => score > HEAT_SCALE.low);
  const enlarged = (faces ?? []).filter(isFlagged).slice(0, MAX_ENLARGED);
  return html`<figure>
    <svg viewBox="0 0 ${width} ${height}" role="img" aria-label="Small copy of the checked image">
      <image id="checked" href="data:image/jpeg;base64,${preview.jpeg}" width="${width}" height="${height}" />
      ${hot.map(
        ({ box, score }) => html`<rect class="heat" ${place(box)} fill-opacity="${opacity(score)}" />`,
      )}
      ${(faces ?? []).map(
        (face) =>
          html`<rect
            class="face ${isFlagged(face) ? 'alarm' : ''}"
            ${place(face.box)}
            stroke-width="${stroke.toFixed(1)}"
          />`,
      )}
    </svg>
    ${
      enlarged.length > 0 &&
      html`<div class="enlarged">${enlarged.map((face) => enlargeFace(face, { width, height }))}</div>`
    }
    <figcaption>
      ${(faces ?? []).map(
        ({ box, score }, at) => html`Face ${at + 1} at ${box.join(', ')}: ${score.toFixed(4)}. `,
      )}${hot.length > 0 && 'Red: squares with a score over 0.6.'}
    </figcaption>
  </figure>`;
}

/** Returns the attributes of a rectangle. */
function place([x = 0, y = 0, width = 0, height = 0]: readonly number[]): Html {
  return html`x="${x}" y="${y}" width="${width}" height="${height}"`;
}

/** Returns the HTML of a flagged face, cut from the preview. */
function enlargeFace({ box }: Face, size: Size): Html {
  const [x = 0, y = 0, w = 0, h = 0] = box;
  const side = Math.min(FACE_MARGIN * Math.max(w, h), size.width, size.height);
  const left = Math.min(Math.max(0, x + (w - side) / 2), size.width - side);
  const top = Math.min(Math.max(0, y + (h - side) / 2), size.height - side);
  const view = [left, top, side, side].map(Math.round).join(' ');
  return html`<svg viewBox="${view}" role="img" aria-label="A flagged face, enlarged">
    <use href="#checked" />
  </svg>`;
}

function opacity(score: number): string {
  return ((MAX_OPACITY * (score - HEAT_SCALE.low)) / (HEAT_SCALE.high - HEAT_SCALE.low)).toFixed(2);
}
