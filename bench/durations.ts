// Durations of all trials: long for a full run of about an hour, minimal for a quick run.

/** Seconds, milliseconds and counts of all trials. */
export interface Durations {
  /** Seconds per point of the curve of latency against concurrency. */
  readonly curveSeconds: number;
  readonly concurrencies: readonly number[];
  /** Seconds per round of a comparison. */
  readonly roundSeconds: number;
  /**
   * Seconds per round over HTTP with a baseline. Longer, because a baseline serves all callers at once and takes
   * seconds for each response.
   */
  readonly baselineSeconds: number;
  readonly rounds: number;
  /** Number of concurrent callers in a comparison of two programs. Enough to keep every core busy. */
  readonly callers: number;
  /** Rounds of a comparison on a second load. */
  readonly moreRounds: number;
  readonly openSeconds: number;
  readonly warmUpSeconds: number;
  readonly coldStarts: number;
  readonly memoryChecks: number;
  /** Number of images in the scan that is compared with the engine. */
  readonly scanImages: number;
  /** Seconds of the engine alone, before and after the scan. */
  readonly scanEngineSeconds: number;
  /** Seconds per round of checks over HTTP, with or without a concurrent scan. */
  readonly besideSeconds: number;
  readonly besideRounds: number;
  /** Number of items in a scan with the engine switched off. */
  readonly meteredItems: number;
  readonly meteredSeconds: number;
}

/** Durations of a full run. */
export const FULL: Durations = {
  curveSeconds: 4,
  concurrencies: [1, 2, 4, 8, 16, 32, 64],
  roundSeconds: 6,
  baselineSeconds: 30,
  rounds: 3,
  callers: 16,
  moreRounds: 2,
  openSeconds: 15,
  warmUpSeconds: 1,
  coldStarts: 12,
  memoryChecks: 20_000,
  scanImages: 5000,
  scanEngineSeconds: 30,
  besideSeconds: 60,
  besideRounds: 2,
  meteredItems: 10_000,
  meteredSeconds: 15,
};

/** Durations of a quick run, which only executes every line. */
export const QUICK: Durations = {
  curveSeconds: 0.1,
  concurrencies: [1, 2],
  roundSeconds: 0.1,
  baselineSeconds: 1,
  rounds: 1,
  callers: 2,
  moreRounds: 1,
  openSeconds: 0.5,
  warmUpSeconds: 0,
  coldStarts: 1,
  memoryChecks: 10,
  scanImages: 8,
  scanEngineSeconds: 0.1,
  besideSeconds: 0.5,
  besideRounds: 1,
  meteredItems: 40,
  meteredSeconds: 0.5,
};
