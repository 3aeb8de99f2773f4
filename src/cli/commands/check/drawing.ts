// A picture with its face boxes, heat map and verdict drawn on it.
import { roundScore } from '../../../check/rounding.js';
import type { AnnotateOptions, Engine, PatchScore } from '../../../engine/types.js';
import type { Box } from '../../../engine/types.js';

/** A score, 0..1, and what it is held against. */
interface Judged {
  readonly score: number;
  readonly threshold: number;
}

/** What of a verdict is drawn. */
export interface Drawn {
  readonly isAi: boolean;
  /** Null if Content Credentials decided. */
  readonly wholePicture: Judged | null;
  /** Null if no face was scored. */
  readonly face: Judged | null;
  readonly faceThreshold: number;
  readonly faces: readonly { readonly box: Box; readonly score: number }[];
  /** The heat map; empty: none. */
  readonly patches: readonly PatchScore[];
}

/** A PNG, its longer side shrunk to `longSidePx`. Rejects as the engine's `annotate`. */
export function drawVerdict(
  engine: Engine,
  bytes: Uint8Array,
  drawn: Drawn,
  longSidePx: number,
): Promise<Uint8Array> {
  const { faces, faceThreshold, patches } = drawn;
  const options: AnnotateOptions = {
    faces: faces.map(({ box, score }) => ({
      box,
      label: roundScore(score, faceThreshold).toFixed(4),
      alarm: score >= faceThreshold,
    })),
    patches,
    caption: captionOf(drawn),
    longSidePx,
  };
  return engine.annotate(bytes, options);
}

/** Short, because a small picture has room for few letters; ASCII, because the engine's font has no more. */
function captionOf({ isAi, wholePicture, face }: Drawn): string {
  const verdict = isAi ? 'AI detected' : 'No AI detected';
  if (wholePicture === null) return `${verdict}: Content Credentials`;
  const against = (name: string, { score, threshold }: Judged): string =>
    `${name} ${roundScore(score, threshold).toFixed(4)} ${score >= threshold ? '>=' : '<'} ${threshold.toFixed(4)}`;
  const whole = against('picture', wholePicture);
  return `${verdict}: ${whole}${face === null ? '' : `, ${against('face', face)}`}`;
}
