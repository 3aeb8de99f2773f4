// Durations of all measurements: for a full run of about an hour, and for a quick run that measures nothing.

/** Seconds, milliseconds and counts, which determine how long the bench runs. */
export interface Durations {
  /** Seconds per number of callers in the measurement of latency by concurrency. */
  readonly curveSeconds: number;
  readonly concurrencies: readonly number[];
  /** Seconds per round of a comparison of two programs. */
  readonly roundSeconds: number;
  /**
   * Seconds per round of a comparison with a baseline over HTTP. Longer, because a baseline serves all callers
   * concurrently and takes seconds for each response.
   */
  readonly baselineSeconds: number;
  readonly rounds: number;
  /** Number of concurrent callers when two programs are compared. Enough to keep every core busy. */
  readonly callers: number;
  /** Number of rounds in which two programs are compared on a second set of images. */
  readonly moreRounds: number;
  readonly openSeconds: number;
  readonly warmUpSeconds: number;
  readonly coldStarts: number;
  readonly memoryChecks: number;
  /** Number of images in the scan whose speed is compared with the engine. */
  readonly scanImages: number;
  /** Seconds of measuring the engine without a service, before and after that scan. */
  readonly scanEngineSeconds: number;
  /** Seconds per round of checks over HTTP, with or without a scan at the same time. */
  readonly besideSeconds: number;
  readonly besideRounds: number;
  /** Number of items in the scan that runs without the engine, to measure the work of the database. */
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

/** Durations of a quick run, which only tests that the bench works. */
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
