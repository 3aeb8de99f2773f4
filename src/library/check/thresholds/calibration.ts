// The thresholds of a running program: those of the start, and those that replace them while it runs.
import type { Bands } from '../types.js';

/** The active thresholds, and those that were active before: records of checks that began with them are still to be made. */
export class CalibrationInForce {
  /** Those of the start. */
  readonly shipped: Bands;
  readonly #known = new Map<string, Bands>();
  #current: Bands;

  /** `bands`: those of the models folder, or of the operator's own file. */
  constructor(bands: Bands) {
    this.#current = this.shipped = bands;
    this.#known.set(bands.version, bands);
  }

  /** A check takes them when it begins, and keeps them, whatever is active when it ends. */
  get current(): Bands {
    return this.#current;
  }

  /** From now on checks begin with `bands`; null: with those of the start. */
  adopt(bands: Bands | null): void {
    this.#current = bands ?? this.shipped;
    this.#known.set(this.#current.version, this.#current);
  }

  /** Those of that version; null if it was never active here. */
  find(version: string): Bands | null {
    return this.#known.get(version) ?? null;
  }
}
