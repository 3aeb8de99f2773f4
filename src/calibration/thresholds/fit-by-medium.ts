// Fits the two thresholds of the full-image detector together: one for photographs, one for illustrations.
import { mediumOf } from 'telltale-engine/internal/check/thresholds/image-bands.js';
import { MEDIUM_NAMES, type Medium } from 'telltale-engine/internal/check/types.js';

/** A genuine image with its score. */
interface GenuineRow {
  /** The score, as log odds. */
  readonly odds: number;
  /** Probability that the image is an illustration, 0..1 with four decimals. */
  readonly drawn: number;
}

/** Maximum number of iterations. */
const ROUNDS = 200;
/** Maximum log odds of a threshold; the minimum is its negative. */
const MAX_LOG_ODDS = 20;
/** Amount of log odds by which a threshold exceeds the highest score that it must not flag. */
const ABOVE = 1e-9;

/** Converts log odds to a threshold with four decimals. Rounds up, which never adds a false positive. */
export function thresholdAt(odds: number): number {
  return Math.min(1, Math.ceil(10_000 / (1 + Math.exp(-odds))) / 10_000);
}

/**
 * Returns the log odds of both thresholds, unrounded. Each is the lowest at which at most the share `rate` of its
 * domain's images is flagged, given the other threshold. `fixed` are thresholds that stay unchanged, as log odds. A
 * domain without images gets the threshold of the other. The shipped thresholds are fitted in the same way, see
 * `models/training/measure/domain_thresholds.py`.
 */
export function fitByMedium(
  rows: readonly GenuineRow[],
  rate: number,
  fixed: Partial<Readonly<Record<Medium, number>>> = {},
): Readonly<Record<Medium, number>> {
  const sides = MEDIUM_NAMES.filter((medium) => fixed[medium] === undefined)
    .map((medium) => ({ medium, rows: rows.filter(({ drawn }) => mediumOf(drawn) === medium) }))
    .filter((side) => side.rows.length > 0);
  const odds: Partial<Record<Medium, number>> = { ...fixed };
  for (const side of sides)
    odds[side.medium] = lowestThreshold(
      side.rows.map((row) => row.odds),
      rate,
    );
  const oddsOrDefault = (medium: Medium): number => odds[medium] ?? odds[otherThan(medium)] ?? MAX_LOG_ODDS;
  const fittedOdds = { photographed: oddsOrDefault('photographed'), drawn: oddsOrDefault('drawn') };
  for (let round = 0; round < ROUNDS; round += 1) {
    let moved = 0;
    for (const { medium, rows: mediumRows } of sides) {
      const otherOdds = fittedOdds[otherThan(medium)];
      // For each image, the highest threshold of this domain that flags the image, given the other threshold.
      const reached = mediumRows.map((row) => {
        const ownShare = medium === 'drawn' ? row.drawn : 1 - row.drawn;
        return (row.odds - (1 - ownShare) * otherOdds) / ownShare;
      });
      const next = lowestThreshold(reached, rate);
      moved = Math.max(moved, Math.abs(next - fittedOdds[medium]));
      fittedOdds[medium] = next;
    }
    if (moved < 1e-12) break;
  }
  return fittedOdds;
}

function otherThan(medium: Medium): Medium {
  return medium === 'drawn' ? 'photographed' : 'drawn';
}

/** Returns the lowest threshold that flags at most the share `rate` of the values. */
function lowestThreshold(values: readonly number[], rate: number): number {
  const sorted = [...values].sort((a, b) => b - a);
  const highestBelow = sorted[Math.floor(rate * values.length + 1e-12)] ?? -Infinity;
  return Math.min(MAX_LOG_ODDS, Math.max(-MAX_LOG_ODDS, highestBelow + ABOVE));
}
