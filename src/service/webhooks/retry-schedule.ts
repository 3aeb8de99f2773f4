// How long to wait before an event is tried again.

const FIRST_PAUSE_MS = 5000;
/** Each pause is this many times the one before ... */
const GROWTH = 4;
/** ... up to this one. */
const LONGEST_PAUSE_MS = 4 * 3_600_000;

/**
 * Milliseconds from the try with the number `tries`, the first being 1, to the next. They are about 5 s, 20 s, 80 s, 5
 * min, 21 min, 85 min, and then 4 h. That makes some twelve tries in 24 hours. Up to a quarter more or less by chance,
 * so that what failed together does not come back together.
 */
export function retryDelay(tries: number): number {
  const pauseMs = Math.min(LONGEST_PAUSE_MS, FIRST_PAUSE_MS * GROWTH ** (tries - 1));
  return Math.round(pauseMs * (0.75 + Math.random() / 2));
}
