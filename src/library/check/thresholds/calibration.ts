// The active thresholds of a running program.
import type { Bands } from '../types.js';

/** The active thresholds, and former ones, which records of earlier checks need. */
export class CalibrationInForce {
  /** Thresholds of the start. */
  readonly shipped: Bands;
  readonly #known = new Map<string, Bands>();
  #current: Bands;

  /** `bands` are the thresholds of the models folder or of the operator's own file. */
  constructor(bands: Bands) {
    this.#current = this.shipped = bands;
    this.#known.set(bands.version, bands);
  }

  /** Active thresholds. A check takes them at its beginning and keeps them. */
  get current(): Bands {
    return this.#current;
  }

  /** Activates `bands` for new checks; null activates the thresholds of the start. */
  adopt(bands: Bands | null): void {
    this.#current = bands ?? this.shipped;
    this.#known.set(this.#current.version, this.#current);
  }

  /** Returns the thresholds of a version, or null if it was never active here. */
  find(version: string): Bands | null {
    return this.#known.get(version) ?? null;
  }
}
