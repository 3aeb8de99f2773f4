// Log odds, the scale on which calibrated scores can be compared and mixed.

/** Log odds of a score, finite also at 0 and 1, where a float has run out of digits. */
export function logOdds(score: number): number {
  const inside = Math.min(Math.max(score, 1e-9), 1 - 1e-9);
  return Math.log(inside / (1 - inside));
}
