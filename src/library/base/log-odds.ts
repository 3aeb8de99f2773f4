// Log odds, the scale for comparing and mixing calibrated scores.

/** Returns the log odds of a score, finite also at 0 and 1. */
export function logOdds(score: number): number {
  const inside = Math.min(Math.max(score, 1e-9), 1 - 1e-9);
  return Math.log(inside / (1 - inside));
}
