// The heat map of a check as an image that an assistant can look at.
import { CheckError } from '../../../base/errors.js';
import type { CheckResult } from '../../../check/result-schema.js';
import type { Engine } from '../../../engine/types.js';
import { drawVerdict } from '../check/result-files.js';

/** Pixels of the longer side. Chosen: what assistants shrink images to anyway. */
const LONG_SIDE_PX = 1024;

/** A PNG of the image with faces, heat map and verdict. Rejects as the engine does. */
export function drawHeatMap(engine: Engine, bytes: Uint8Array, result: CheckResult): Promise<Uint8Array> {
  const { details, scores, is_ai: isAi } = result;
  const thresholds = details?.thresholds;
  if (thresholds === undefined) throw new CheckError('internal_error', 'the result has no thresholds');
  const { threshold: faceThreshold } = thresholds.face_specialist;
  const { full_image_specialist: whole, face_specialist: face } = scores;
  const drawn = {
    isAi,
    wholeImage:
      whole === null ? null : { score: whole, threshold: thresholds.full_image_specialist.threshold },
    face: face === null ? null : { score: face, threshold: faceThreshold },
    faceThreshold,
    faces: details?.faces ?? [],
    patches: details?.heatmap?.patches ?? [],
  };
  return drawVerdict(engine, bytes, drawn, LONG_SIDE_PX);
}
