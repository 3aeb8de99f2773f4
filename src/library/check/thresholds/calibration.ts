// The thresholds that a running program uses. They may change while the program runs.
import type { Bands } from '../types.js';

/** The current thresholds, and former ones, which records of earlier checks need. */
export class ActiveCalibration {
  /** Thresholds with which the program started. */
  readonly shipped: Bands;
  readonly #known = new Map<string, Bands>();
  #current: Bands;

  /** Takes the thresholds of the models folder, or of the operator's own file. */
  constructor(bands: Bands) {
    this.#current = this.shipped = bands;
    this.#known.set(bands.version, bands);
  }

  /** Current thresholds. A check takes them at its beginning and uses them to its end. */
  get current(): Bands {
    return this.#current;
  }

  /** Uses `bands` for new checks; null means the thresholds of the start. */
  adopt(bands: Bands | null): void {
    this.#current = bands ?? this.shipped;
    this.#known.set(this.#current.version, this.#current);
  }

  /** Returns the thresholds with this version, or null if the program never used them. */
  find(version: string): Bands | null {
    return this.#known.get(version) ?? null;
  }
}
