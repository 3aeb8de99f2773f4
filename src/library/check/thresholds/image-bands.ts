// The thresholds of one image, between those of photographs and of illustrations, by the probability of either.
import { logOdds } from '../../base/log-odds.js';
import { roundScore } from '../rounding.js';
import type { Band, Medium, ImageBands, ProfileBands, Signal } from '../types.js';

/** Of a threshold: four decimals. */
const STEPS = 10_000;
/** Of a step: what a float may be beyond a whole one by the way that it was computed. */
const SLACK = 1e-6;

/** From this probability on an image is called an illustration; its threshold has no such step. */
const DRAWN_FROM = 0.5;

/** The image domain by the probability of an illustration, `drawn`, which counts on four decimals. */
export function mediumOf(drawn: number): Medium {
  return roundScore(drawn, 0) >= DRAWN_FROM ? 'drawn' : 'photographed';
}

/**
 * The threshold of an image that is an illustration with probability `drawn`: that of each domain, weighted by its
 * probability, in log odds. It is rounded up to four decimals, which never adds a false positive. `drawn` counts on four decimals, as
 * results give it: a reader of one can repeat this.
 */
export function thresholdBetween(thresholds: Readonly<Record<Medium, number>>, drawn: number): number {
  const share = roundScore(drawn, 0);
  const odds = (1 - share) * logOdds(thresholds.photographed) + share * logOdds(thresholds.drawn);
  return Math.ceil(STEPS / (1 + Math.exp(-odds)) - SLACK) / STEPS;
}

/** What an image is judged by; `drawn` is null if no detector ran, and then it passes for a photograph. */
export function bandsOf({ fullImage, face }: ProfileBands, drawn: number | null): ImageBands {
  return { fullImage: bandBetween(fullImage, drawn ?? 0), face };
}

/** The rates of illustrations with that probability: the mean of both domains, weighted by it. */
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

/** The detectors whose score reaches its threshold; a null score never fires. */
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
