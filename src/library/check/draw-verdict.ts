// Drawing a verdict on its image: face boxes, enlarged flagged faces, a heat map and a caption.
import type { AnnotateOptions, Engine, InspectOptions, PatchScore, Box } from '../engine/types.js';
import { roundScore } from '../base/numbers.js';
import { selectHeat } from './heat-map.js';
import type { Assessment, Signal } from './types.js';
import { HEADLINES } from './verdict/assessment.js';

/** A score, 0..1, and the threshold that it was compared with. */
interface Judged {
  readonly score: number;
  readonly threshold: number;
}

/** The parts of a check's report that are drawn. */
export interface DrawnVerdict {
  readonly assessment: Assessment;
  readonly fired: readonly Signal[];
  /** Score of the whole image, or null if Content Credentials decided. */
  readonly wholeImage: Judged | null;
  /** Score of the face, or null if no face was scored. */
  readonly face: Judged | null;
  readonly faceThreshold: number;
  readonly faces: readonly { readonly box: Box; readonly score: number }[];
  /** Cells of the heat map, which is drawn if the whole image is flagged. */
  readonly patches: readonly PatchScore[];
}

/** Returns a PNG whose longer side is at most `longSidePx`. Rejects as the engine's `annotate` does. */
export function drawVerdict(
  engine: Engine,
  bytes: Uint8Array,
  drawn: DrawnVerdict,
  longSidePx: number,
  limits: InspectOptions = {},
): Promise<Uint8Array> {
  const { fired, faces, faceThreshold, patches } = drawn;
  const options: AnnotateOptions = {
    faces: faces.map(({ box, score }) => ({
      box,
      label: roundScore(score, faceThreshold).toFixed(4),
      alarm: score >= faceThreshold,
    })),
    patches: selectHeat(fired, patches),
    caption: captionOf(drawn),
    longSidePx,
  };
  return engine.annotate(bytes, options, limits);
}

/** Returns the caption, short for small images, and in ASCII because the engine's font has only that. */
function captionOf({ assessment, wholeImage, face }: DrawnVerdict): string {
  const headline = HEADLINES[assessment];
  if (wholeImage === null) return `${headline}: Content Credentials`;
  const against = (name: string, { score, threshold }: Judged): string =>
    `${name} ${roundScore(score, threshold).toFixed(4)} ${score >= threshold ? '>=' : '<'} ${threshold.toFixed(4)}`;
  const whole = against('image', wholeImage);
  return `${headline}: ${whole}${face === null ? '' : `, ${against('face', face)}`}`;
}
