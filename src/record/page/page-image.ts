// The image on a record's page: its preview with faces, flagged faces enlarged, and the heat map.
import { HEAT_SCALE, selectHeat } from 'telltale-engine/internal/check/heat-map.js';
import type { RecordContent } from '../content/schema.js';
import { html, type Html } from '../../html/html.js';

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
    <svg viewBox="0 0 ${width} ${height}" role="img" aria-label="The image that was checked, small">
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
      )}${hot.length > 0 && 'Red: parts that score over 0.6 by themselves.'}
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
