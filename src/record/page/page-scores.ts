// Part of a record's page with the scores: next to the thresholds of all profiles, and explained by rates.
import { PROFILE_NAMES } from 'telltale-engine/internal/check/types.js';
import { roundDown, roundUp } from 'telltale-engine/internal/base/rates.js';
import { html, type Html } from './markup.js';
import type { RecordContent } from '../content/schema.js';
import type { FiredShare, RecordedDetector } from '../content/schema-scores.js';

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
  return html`<h2>What that means in rates</h2>
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
