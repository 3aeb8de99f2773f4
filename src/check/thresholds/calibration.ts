// What turns the engine's numbers into verdicts: thresholds, with the correction of the full image that they are for.
import type { ModelDigest } from '../../engine/types.js';
import type { Bands } from '../types.js';

/** One whole: a check takes it when it begins, and keeps it, whatever is in force when it ends. */
export interface Calibration {
  readonly bands: Bands;
  /** What a unit of each number of a picture's embedding adds to its logit; null: what the models folder says. */
  readonly correction: Float64Array | null;
  /** The correction's file; null if it has none of its own. */
  readonly file: ModelDigest | null;
}

/** The calibration of a running program, and those that it had before: records of checks that began with them are still to be made. */
export class CalibrationInForce {
  /** That of the start. */
  readonly shipped: Calibration;
  readonly #known = new Map<string, Calibration>();
  #current: Calibration;

  /** `bands`: those of the models folder, or of the operator's own file. */
  constructor(bands: Bands) {
    this.#current = this.shipped = { bands, correction: null, file: null };
    this.#known.set(bands.version, this.shipped);
  }

  get current(): Calibration {
    return this.#current;
  }

  /** From now on checks begin with `calibration`; null: with that of the start. */
  adopt(calibration: Calibration | null): void {
    this.#current = calibration ?? this.shipped;
    this.#known.set(this.#current.bands.version, this.#current);
  }

  /** The one with thresholds of that version; null if it never was in force here. */
  find(bandsVersion: string): Calibration | null {
    return this.#known.get(bandsVersion) ?? null;
  }
}
