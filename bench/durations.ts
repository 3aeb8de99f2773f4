// How long each trial runs: long enough to be steady in a whole run of about an hour, or just long enough to run.

/** Seconds, milliseconds and counts of all trials. */
export interface Durations {
  /** For one point of the curve of latency against concurrency. */
  readonly curveSeconds: number;
  readonly concurrencies: readonly number[];
  /** For one round of a comparison. */
  readonly roundSeconds: number;
  /** The same over HTTP where a baseline takes part: it answers all its callers at once, seconds later, and each must be answered several times. */
  readonly baselineSeconds: number;
  readonly rounds: number;
  /** At once where two programs are compared: enough to keep every core busy. */
  readonly callers: number;
  /** Of a comparison on a second load. */
  readonly moreRounds: number;
  readonly openSeconds: number;
  readonly warmUpSeconds: number;
  readonly coldStarts: number;
  readonly memoryChecks: number;
  /** Images of the scan that is compared with the engine. */
  readonly scanImages: number;
  /** The engine alone, before and after it. */
  readonly scanEngineSeconds: number;
  /** One round of checks over HTTP, beside a scan or not. */
  readonly besideSeconds: number;
  readonly besideRounds: number;
  /** Items of a scan with the engine switched off. */
  readonly meteredItems: number;
  readonly meteredSeconds: number;
}

/** A whole run. */
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

/** Just enough to run every line. */
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
