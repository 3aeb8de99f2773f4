// The image on a record's page: a reduced copy, with heat map and face boxes as vectors over it.
import { html, type Html } from './markup.js';
import type { RecordContent } from '../content/schema.js';

/** Minimum score of a heat-map cell that is drawn, the same as in annotated images. */
const MIN_HEAT = 0.6;
const MAX_OPACITY = 0.55;

/** Returns the HTML of the figure, or null if the record contains no image. */
export function drawImage({ picture, faces, heat_map: cells, scores, verdict }: RecordContent): Html | null {
  const { preview, width, height } = picture;
  if (preview === null || width === null || height === null) return null;
  const threshold = scores?.face_specialist.thresholds?.[verdict?.profile ?? 'balanced'];
  const stroke = Math.max(width, height) / 160;
  const hot = (cells ?? []).filter(({ score }) => score > MIN_HEAT);
  return html`<figure>
    <svg viewBox="0 0 ${width} ${height}" role="img" aria-label="The image that was checked, small">
      <image href="data:image/jpeg;base64,${preview.jpeg}" width="${width}" height="${height}" />
      ${hot.map(
        ({ box: [x = 0, y = 0, w = 0, h = 0], score }) =>
          html`<rect
            class="heat"
            x="${x}"
            y="${y}"
            width="${w}"
            height="${h}"
            fill-opacity="${opacity(score)}"
          />`,
      )}
      ${(faces ?? []).map(
        ({ box: [x = 0, y = 0, w = 0, h = 0], score }) =>
          html`<rect
            class="face ${threshold !== undefined && score >= threshold ? 'alarm' : ''}"
            x="${x}"
            y="${y}"
            width="${w}"
            height="${h}"
            stroke-width="${stroke.toFixed(1)}"
          />`,
      )}
    </svg>
    <figcaption>
      ${(faces ?? []).map(
        ({ box, score }, at) => html`Face ${at + 1} at ${box.join(', ')}: ${score.toFixed(4)}. `,
      )}${hot.length > 0 && 'Red: parts that score over 0.6 by themselves; the verdict does not follow them.'}
    </figcaption>
  </figure>`;
}

function opacity(score: number): string {
  return ((MAX_OPACITY * (score - MIN_HEAT)) / (1 - MIN_HEAT)).toFixed(2);
}
