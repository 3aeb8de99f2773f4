// When the requests of an open loop are due: at fixed distances, whatever became of those before.

/** Milliseconds from the start, `ratePerSecond` > 0, over `seconds`. */
export function planArrivals(ratePerSecond: number, seconds: number): number[] {
  const count = Math.floor(ratePerSecond * seconds + 1e-9);
  return Array.from({ length: count }, (_, index) => (index * 1000) / ratePerSecond);
}
