// Describing in words how far a score is from its threshold.
import { logOdds } from '../../base/numbers.js';

/** Distance of a score from its threshold in words. */
type Strength = 'just above' | 'clearly above' | 'far above' | 'just below' | 'clearly below' | 'far below';

/** Maximum ratio of odds that is called "just", because twice the odds are little evidence. */
const CLOSE_ODDS_RATIO = 2;

/**
 * Ratio of odds beyond which a distance is called "far". In statistics, ten times the odds are strong
 * evidence.
 */
const FAR_ODDS_RATIO = 10;

/**
 * Describes how far a score is above or below its threshold. Compares odds, s / (1 - s), because scores are
 * calibrated: up to 2 times the threshold's odds is "just", up to 10 times "clearly", more is "far". A score
 * equal to the threshold is above.
 */
export function describeStrength(score: number, threshold: number): Strength {
  const isAbove = score >= threshold;
  const ratio = Math.exp(Math.abs(logOdds(score) - logOdds(threshold)));
  const distance = ratio <= CLOSE_ODDS_RATIO ? 'just' : ratio <= FAR_ODDS_RATIO ? 'clearly' : 'far';
  return `${distance} ${isAbove ? 'above' : 'below'}`;
}
