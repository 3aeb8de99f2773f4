// Shows the flagged faces of an image enlarged, because such a face explains its verdict.
import type { JSX } from 'preact';
import type { CheckResult } from '../../../src/library/check/result-schema.js';
import { describeStrength } from '../../../src/library/check/verdict/strength.js';

/** Maximum number of faces to show, highest scores first. */
const MAX_FACES = 4;
/** Size of the shown part relative to the face box, so that the whole head is visible. */
const MARGIN = 1.5;

/** Draws the faces whose score reaches `threshold`. `url` is the address of the whole image. */
export function FlaggedFaces(props: {
  result: CheckResult;
  threshold: number;
  url: string;
}): JSX.Element | null {
  const { result, threshold, url } = props;
  const faces = (result.details?.faces ?? [])
    .filter(({ score }) => score >= threshold)
    .sort((one, other) => other.score - one.score)
    .slice(0, MAX_FACES);
  if (faces.length === 0) return null;
  return (
    <ul class="flagged-faces" aria-label="Flagged faces">
      {faces.map(({ box, score }) => (
        <li key={String(box)}>
          <span class="crop">
            <img src={url} alt="The flagged face" draggable={false} style={placeOf(box, result.image)} />
          </span>
          <span>Flagged face, {describeStrength(score, threshold)} its threshold</span>
        </li>
      ))}
    </ul>
  );
}

interface Size {
  readonly width: number;
  readonly height: number;
}

/** Returns CSS that moves the face into a square window that hides the rest of the image. */
function placeOf([x, y, w, h]: readonly [number, number, number, number], { width, height }: Size) {
  const side = Math.min(MARGIN * Math.max(w, h), width, height);
  const left = Math.min(Math.max(0, x + (w - side) / 2), width - side);
  const top = Math.min(Math.max(0, y + (h - side) / 2), height - side);
  const percent = (px: number): string => `${(100 * px) / side}%`;
  return { width: percent(width), height: percent(height), left: percent(-left), top: percent(-top) };
}
