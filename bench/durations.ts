// How long each trial runs: long enough to be steady in a whole run of about an hour, or just long enough to run.

/** Seconds, milliseconds and counts of all trials. */
export interface Durations {
  /** For each file: the codec and our decoder in turn. */
  readonly decodeMs: number;
  /** For each file: all steps in turn. */
  readonly stageMs: number;
  /** For each network and batch size. */
  readonly inferenceMs: number;
  readonly batches: readonly number[];
  readonly partRepeats: number;
  /** For one point of the curve of latency against concurrency. */
  readonly curveSeconds: number;
  readonly concurrencies: readonly number[];
  /** For one round of a comparison. */
  readonly roundSeconds: number;
  /** The same over HTTP where a peer takes part: it answers all its callers at once, seconds later, and each must be answered several times. */
  readonly peerSeconds: number;
  readonly rounds: number;
  /** At once where two programs are compared: enough to keep every core busy. */
  readonly callers: number;
  /** Of a comparison on a second load. */
  readonly moreRounds: number;
  readonly openSeconds: number;
  /** In the console, beside `/v1`; long enough that each connection is answered several times. */
  readonly people: number;
  readonly peopleSeconds: number;
  readonly warmUpSeconds: number;
  readonly coldStarts: number;
  readonly memoryChecks: number;
  /** Pictures of the scan that is compared with the engine. */
  readonly scanPictures: number;
  /** The engine alone, before and after it. */
  readonly scanEngineSeconds: number;
  /** One round of checks over HTTP, beside a scan or not. */
  readonly besideSeconds: number;
  readonly besideRounds: number;
  /** Items of a scan with the engine switched off. */
  readonly meteredItems: number;
  readonly meteredSeconds: number;
  readonly checkpointSeconds: number;
  readonly checkpointRounds: number;
}

/** A whole run. */
export const FULL: Durations = {
  decodeMs: 500,
  stageMs: 2500,
  inferenceMs: 1000,
  batches: [1, 2, 4],
  partRepeats: 500,
  curveSeconds: 4,
  concurrencies: [1, 2, 4, 8, 16, 32, 64],
  roundSeconds: 6,
  peerSeconds: 30,
  rounds: 3,
  callers: 16,
  moreRounds: 2,
  openSeconds: 15,
  people: 20,
  peopleSeconds: 30,
  warmUpSeconds: 1,
  coldStarts: 12,
  memoryChecks: 20_000,
  scanPictures: 5000,
  scanEngineSeconds: 30,
  besideSeconds: 60,
  besideRounds: 2,
  meteredItems: 10_000,
  meteredSeconds: 15,
  checkpointSeconds: 20,
  checkpointRounds: 2,
};

/** Just enough to run every line. */
export const QUICK: Durations = {
  decodeMs: 1,
  stageMs: 1,
  inferenceMs: 1,
  batches: [2],
  partRepeats: 3,
  curveSeconds: 0.1,
  concurrencies: [1, 2],
  roundSeconds: 0.1,
  peerSeconds: 1,
  rounds: 1,
  callers: 2,
  moreRounds: 1,
  openSeconds: 0.5,
  people: 2,
  peopleSeconds: 0.5,
  warmUpSeconds: 0,
  coldStarts: 1,
  memoryChecks: 10,
  scanPictures: 8,
  scanEngineSeconds: 0.1,
  besideSeconds: 0.5,
  besideRounds: 1,
  meteredItems: 40,
  meteredSeconds: 0.5,
  checkpointSeconds: 0.5,
  checkpointRounds: 1,
};
