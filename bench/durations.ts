// Durations of all measurements: for a full run of about an hour, and for a quick run that measures nothing.

/** Durations of a full run. */
export const FULL = {
  /** Seconds per number of callers in the measurement of latency by concurrency. */
  curveSeconds: 4,
  concurrencies: [1, 2, 4, 8, 16, 32, 64] as readonly number[],
  /** Seconds per round of a comparison of two programs. */
  roundSeconds: 6,
  /**
   * Seconds per round of a comparison with a baseline over HTTP. Longer, because a baseline serves all callers
   * concurrently and takes seconds for each response.
   */
  baselineSeconds: 30,
  rounds: 3,
  /** Number of concurrent callers when two programs are compared. Enough to keep every core busy. */
  callers: 16,
  /** Number of rounds in which two programs are compared on a second set of images. */
  moreRounds: 2,
  openSeconds: 15,
  warmUpSeconds: 1,
  coldStarts: 12,
  memoryChecks: 20_000,
  /** Number of images in the scan whose speed is compared with the engine. */
  scanImages: 5000,
  /** Seconds of measuring the engine without a service, before and after that scan. */
  scanEngineSeconds: 30,
  /** Seconds per round of checks over HTTP, with or without a scan at the same time. */
  besideSeconds: 60,
  besideRounds: 2,
  /** Number of items in the scan that runs without the engine, to measure the work of the database. */
  meteredItems: 10_000,
  meteredSeconds: 15,
};

/** Seconds and counts, which determine how long the bench runs. */
export type Durations = Readonly<typeof FULL>;

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
