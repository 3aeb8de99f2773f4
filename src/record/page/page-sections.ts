// Sections of a record's page: scores, evidence and seal.
import { PROFILE_NAMES } from 'telltale-engine/internal/check/types.js';
import { roundDown, roundUp } from 'telltale-engine/internal/base/numbers.js';
import { html, type Html, facts, shorten } from '../../html/html.js';
import type { RecordContent } from '../content/schema.js';
import type { FiredShare, RecordedDetector } from '../content/schema-sections.js';
import { RecordFault } from '../faults.js';
import { isSignedBy, type PublicKey, type Signer } from '../keys/keys.js';

const NAMES = { full_image_specialist: 'Whole image', face_specialist: 'Face' } as const;

/** Returns the HTML of both tables, or null for a refused image. */
export function drawScores({ scores }: RecordContent): Html | null {
  if (scores === null) return null;
  const detectors = (['full_image_specialist', 'face_specialist'] as const).map(
    (id) => [NAMES[id], scores[id]] as const,
  );
  return html`<section>
    <h2>Scores against thresholds</h2>
    <table>
      <thead>
        <tr>
          <th scope="col">Detector</th>
          <th scope="col">Score</th>
          ${PROFILE_NAMES.map((name) => html`<th scope="col">${name}</th>`)}
        </tr>
      </thead>
      <tbody>
        ${detectors.map(([name, detector]) => drawRow(name, detector))}
      </tbody>
    </table>
    ${
      scores.drawn !== null &&
      html`<p class="quiet">
        That the image is drawn and no photograph: ${scores.drawn.toFixed(4)}. The thresholds of the whole
        image lie between those of the two by it.
      </p>`
    }
    ${drawRates(detectors)}
  </section>`;
}

function drawRow(name: string, { score, thresholds }: RecordedDetector): Html {
  return html`<tr>
    <th scope="row">${name}</th>
    <td>${score === null ? 'none' : score.toFixed(4)}</td>
    ${PROFILE_NAMES.map((profile) => {
      const threshold = thresholds?.[profile];
      if (threshold === undefined) return html`<td>not kept</td>`;
      const fires = score !== null && score >= threshold;
      return html`<td class="${fires ? 'fires' : ''}">
        ${score === null ? '' : fires ? '≥ ' : '< '}${threshold.toFixed(4)}
      </td>`;
    })}
  </tr>`;
}

function drawRates(detectors: readonly (readonly [string, RecordedDetector])[]): Html | null {
  const rated = detectors.flatMap(([name, { score, rates }]) =>
    score === null || rates === null ? [] : [{ name, score, rates }],
  );
  if (rated.length === 0) return null;
  return html`<h2>Rates of such scores</h2>
    <table>
      <thead>
        <tr>
          <th scope="col">At this score or above, of 1,000</th>
          <th scope="col">genuine images</th>
          <th scope="col">AI images</th>
        </tr>
      </thead>
      <tbody>
        ${rated.flatMap(({ name, score, rates }) =>
          rates.kinds.map(
            ({ kind, genuine, ai }) =>
              html`<tr>
                <th scope="row">${name} ${score.toFixed(4)}, ${kind}, ${rates.tier}</th>
                <td>${describeShare(genuine, roundUp)}</td>
                <td>${describeShare(ai, roundDown)}</td>
              </tr>`,
          ),
        )}
      </tbody>
    </table>
    <p class="quiet">
      Measured with ${rated[0]?.rates.model ?? null} on images of whole sources that no training saw; in
      brackets the 95% interval. It is no probability that this image is one or the other.
    </p>`;
}

/**
 * Formats a share as a number per 1,000. Shares of genuine images are rounded up and shares of AI images
 * down, so that no detector looks better than measured.
 */
function describeShare(share: FiredShare | null, round: typeof roundUp): string {
  if (share === null) return 'too few are known';
  const perThousand = (rate: number, rounding: typeof roundUp): string => {
    const decimals = rate > 0 && rate < 0.01 ? 1 : 0;
    return rounding(rate * 1000, decimals).toFixed(decimals);
  };
  const { rate, low, high, fired, pictures } = share;
  const interval = `${perThousand(low, roundDown)} to ${perThousand(high, roundUp)}`;
  return `${perThousand(rate, round)} (${interval}; ${fired} of ${pictures})`;
}

/** Maximum lines of each list, so that the page fits on two sheets. The record's JSON has all lines. */
const MAX_LINES = 4;
const MAX_CHARACTERS = 110;

/** Returns the HTML of this part; empty for a refused image. */
export function drawEvidence({ content_credentials: credentials, marks, warnings }: RecordContent): Html {
  return html`${credentials && drawCredentials(credentials)}
  ${
    marks &&
    html`<section>
      <h2>What the file declares and the image shows</h2>
      ${
        marks.found.length === 0
          ? html`<p>Nothing was found${!marks.pixels_searched && '; the pixels were not searched'}.</p>`
          : drawLines(
              marks.found.map(({ kind, where, value }) => `${kind.replaceAll('_', ' ')}, ${where}: ${value}`),
            )
      }
    </section>`
  }
  ${
    warnings &&
    warnings.length > 0 &&
    html`<section>
      <h2>Bear in mind</h2>
      ${drawLines(warnings.map(({ message }) => message))}
    </section>`
  }`;
}

function drawCredentials({ manifest }: NonNullable<RecordContent['content_credentials']>): Html {
  if (manifest === null)
    return html`<section>
      <h2>Content Credentials</h2>
      <p>None are embedded. This is normal and proves nothing.</p>
    </section>`;
  return html`<section>
    <h2>Content Credentials</h2>
    ${facts([
      ['State', manifest.state === 'verified' ? 'verified' : `${manifest.state}: they do not count`],
      ['Signed by', shorten(manifest.signer ?? 'unknown (unreadable)', MAX_CHARACTERS)],
      ['When', manifest.signed_at ?? 'unknown (no trusted time stamp)'],
      [
        'With',
        shorten(
          [manifest.claim_generator, manifest.tool].filter((name) => name !== null).join(', '),
          MAX_CHARACTERS,
        ),
      ],
      ['Says', manifest.ai_claim === null ? 'nothing about AI' : `AI: ${manifest.ai_claim}`],
      ['Trust', manifest.trust_tier === null ? 'on no trust list' : `${manifest.trust_tier} list`],
      ['Source types', shorten(manifest.digital_source_types.join(', '), MAX_CHARACTERS)],
    ])}
    ${drawLines([...manifest.manifests, ...manifest.validation_status])}
  </section>`;
}

function drawLines(lines: readonly string[]): Html {
  const hiddenLines = lines.length - MAX_LINES;
  return html`<ul>
    ${lines.slice(0, MAX_LINES).map((line) => html`<li>${shorten(line, MAX_CHARACTERS)}</li>`)}
    ${hiddenLines > 0 && html`<li>${hiddenLines} more ${hiddenLines === 1 ? 'is' : 'are'} in the JSON.</li>`}
  </ul>`;
}

/** The seal of a page: a signature of everything before it. */
export interface PageSeal {
  /** Identifier of the key that signed the page. */
  readonly key: string;
  /** All bytes of the page before the seal. */
  readonly sealed: Buffer;
  /** Signature as 128 hex digits. */
  readonly value: string;
}

const OPENING = '<script type="application/json" id="record">';
const CLOSING = '</script>';
const SEAL = /<!-- telltale-seal ([A-Za-z0-9_-]{43}) ([0-9a-f]{128}) -->\n$/;

/** Returns an HTML element that contains `json`. Escapes `<`, so that no text in it can end the element. */
export function embed(json: string): string {
  return `${OPENING}${json.trimEnd().replaceAll('<', '\\u003c')}${CLOSING}`;
}

/** Returns the page with its seal at the end. */
export function sealPage(page: string, signer: Signer): string {
  const value = signer.sign(Buffer.from(page));
  return `${page}<!-- telltale-seal ${signer.publicKey.kid} ${value} -->\n`;
}

/** Returns the record's JSON in a page, and the page's seal. Throws RecordFault if either is missing. */
export function findEmbedded(page: string): { readonly json: string; readonly seal: PageSeal } {
  const start = page.indexOf(OPENING);
  if (start < 0) throw new RecordFault('This page contains no record, or is truncated before it');
  const end = page.indexOf(CLOSING, start);
  const seal = SEAL.exec(page);
  if (end < 0 || seal === null)
    throw new RecordFault(
      'This page is truncated or was saved by another program: its seal is not at the end',
    );
  return {
    json: page.slice(start + OPENING.length, end),
    seal: { key: seal[1] ?? '', sealed: Buffer.from(page.slice(0, seal.index)), value: seal[2] ?? '' },
  };
}

/** Returns whether the page is unchanged since it was sealed with one of `keys`. */
export function isSealIntact({ key, sealed, value }: PageSeal, keys: readonly PublicKey[]): boolean {
  const sealer = keys.find(({ kid, revoked_at: revoked }) => kid === key && revoked === undefined);
  return sealer !== undefined && isSignedBy(sealer, sealed, value);
}
