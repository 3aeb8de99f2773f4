// The thresholds of one image: means of the thresholds for photographs and illustrations.
import { logOdds, roundScore } from '../../base/numbers.js';
import type { Band, Medium, ImageBands, ProfileBands, Signal } from '../types.js';

/** Number of steps from 0 to 1: thresholds have four decimals. */
const STEPS = 10_000;
/** Tolerance for floating-point errors, in steps. */
const SLACK = 1e-6;

/** Probability from which an image is called an illustration. Its threshold has no step there. */
const DRAWN_FROM = 0.5;

/** Returns the image domain for the probability of an illustration, rounded to four decimals. */
export function mediumOf(drawn: number): Medium {
  return roundScore(drawn, 0) >= DRAWN_FROM ? 'drawn' : 'photographed';
}

/**
 * Returns the threshold of an image that is an illustration with the probability `drawn`. It is the weighted
 * mean of both domains' thresholds in log odds, rounded up to four decimals, so that rounding adds no false
 * positive. `drawn` is rounded first, so that a reader of a result can repeat the calculation.
 */
export function thresholdBetween(thresholds: Readonly<Record<Medium, number>>, drawn: number): number {
  const share = roundScore(drawn, 0);
  const odds = (1 - share) * logOdds(thresholds.photographed) + share * logOdds(thresholds.drawn);
  return Math.ceil(STEPS / (1 + Math.exp(-odds)) - SLACK) / STEPS;
}

/** Returns the thresholds of an image. `drawn` is null if no detector ran, which counts as a photograph. */
export function bandsOf({ fullImage, face }: ProfileBands, drawn: number | null): ImageBands {
  return { fullImage: bandBetween(fullImage, drawn ?? 0), face };
}

/** Returns a threshold with measured rates: means of both domains, weighted by probability. */
function bandBetween({ photographed, drawn }: ProfileBands['fullImage'], probability: number): Band {
  const share = roundScore(probability, 0);
  const mean = (a: number, b: number): number => roundScore((1 - share) * a + share * b, 0);
  const recall = (tier: keyof Band['recall']): number | null => {
    const [a, b] = [photographed.recall[tier], drawn.recall[tier]];
    return a === null || b === null ? null : mean(a, b);
  };
  return {
    threshold: thresholdBetween({ photographed: photographed.threshold, drawn: drawn.threshold }, share),
    falseAlarmRate: mean(photographed.falseAlarmRate, drawn.falseAlarmRate),
    recall: { clean: recall('clean'), web: recall('web'), hard: recall('hard') },
  };
}

/** Returns the detectors whose score reaches the threshold. A null score reaches none. */
export function applyBands(
  scores: { readonly fullImage: number | null; readonly face: number | null },
  bands: ImageBands,
): Signal[] {
  const fired: Signal[] = [];
  if (scores.fullImage !== null && scores.fullImage >= bands.fullImage.threshold)
    fired.push('full_image_specialist');
  if (scores.face !== null && scores.face >= bands.face.threshold) fired.push('face_specialist');
  return fired;
}
