// How strongly a score stands against its threshold, in words.
import { logOdds } from '../../base/log-odds.js';

/** Just, clearly or far on one side of a threshold. */
type Strength = 'just above' | 'clearly above' | 'far above' | 'just below' | 'clearly below' | 'far below';

/** Odds up to this multiple of the threshold's count as close to it. Chosen: a doubling of the odds is little evidence. */
const CLOSE_ODDS_RATIO = 2;

/** Odds beyond this multiple are far. Chosen: ten times the odds is what statisticians call strong evidence. */
const FAR_ODDS_RATIO = 10;

/**
 * Scores are calibrated, so their odds s / (1 - s) can be compared. Up to 2 times the threshold's odds is "just", up to
 * 10 times "clearly", beyond that "far"; the same below it. A score at the threshold is above it, because it fires.
 */
export function describeStrength(score: number, threshold: number): Strength {
  const isAbove = score >= threshold;
  const ratio = Math.exp(Math.abs(logOdds(score) - logOdds(threshold)));
  const distance = ratio <= CLOSE_ODDS_RATIO ? 'just' : ratio <= FAR_ODDS_RATIO ? 'clearly' : 'far';
  return `${distance} ${isAbove ? 'above' : 'below'}`;
}
