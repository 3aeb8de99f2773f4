// Describing a score's distance from its threshold in words.
import { logOdds } from '../../base/log-odds.js';

/** Distance on one side of a threshold. */
type Strength = 'just above' | 'clearly above' | 'far above' | 'just below' | 'clearly below' | 'far below';

/** Maximum ratio of odds that counts as close. Chosen: a doubling of the odds is little evidence. */
const CLOSE_ODDS_RATIO = 2;

/** Ratio of odds that counts as far. Chosen: ten times the odds is called strong evidence in statistics. */
const FAR_ODDS_RATIO = 10;

/**
 * Describes a score's distance. Scores are calibrated, so their odds s / (1 - s) can be compared: up to 2 times the
 * threshold's odds is "just", up to 10 times "clearly", beyond that "far"; the same below. A score at the threshold
 * counts as above.
 */
export function describeStrength(score: number, threshold: number): Strength {
  const isAbove = score >= threshold;
  const ratio = Math.exp(Math.abs(logOdds(score) - logOdds(threshold)));
  const distance = ratio <= CLOSE_ODDS_RATIO ? 'just' : ratio <= FAR_ODDS_RATIO ? 'clearly' : 'far';
  return `${distance} ${isAbove ? 'above' : 'below'}`;
}
