// Log odds, ln(p / (1 - p)): the scale on which scores are compared and averaged.

/** Returns the log odds of a score. Scores of 0 and 1 give finite numbers, too. */
export function logOdds(score: number): number {
  const inside = Math.min(Math.max(score, 1e-9), 1 - 1e-9);
  return Math.log(inside / (1 - inside));
}
