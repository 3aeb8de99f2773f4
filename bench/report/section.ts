// Results of a group of trials as tables and goals, and formatting of numbers.

/** Table in which every row has as many cells as the head. */
export interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Number that the project aims to reach. */
export interface Goal {
  readonly what: string;
  /** Measured value; null if not measured. */
  readonly value: number | null;
  readonly unit: string;
  readonly wanted: { readonly atLeast: number } | { readonly atMost: number };
  /** Value above which the run is faulty, because the value is a ratio to an upper bound. */
  readonly faultyAbove?: number;
  /** Spread of the rounds, or other information that readers need to judge the value. */
  readonly note: string;
}

/** Results of one group. */
export interface Section {
  readonly title: string;
  readonly tables: readonly Table[];
  readonly goals: readonly Goal[];
}

/** Maximum ratio of a throughput to its upper bound. Chosen: 1 plus a margin for chance. */
export const MOST_EFFICIENCY = 1.1;

/** Returns whether a goal's value is too high to be true, so that the run is faulty. */
export function isFaulty({ value, faultyAbove = Infinity }: Goal): boolean {
  return value !== null && value > faultyAbove;
}

/** Returns whether a goal is reached; null if it was not measured. */
export function isReached({ value, wanted }: Goal): boolean | null {
  if (value === null || Number.isNaN(value)) return null;
  return 'atLeast' in wanted ? value >= wanted.atLeast : value <= wanted.atMost;
}

/** Formats about three significant digits: 0.0123, 1.23, 12.3, 123. Returns '–' for a missing value. */
export function show(value: number | null): string {
  if (value === null || Number.isNaN(value)) return '–';
  const size = Math.abs(value);
  if (size >= 100) return value.toFixed(0);
  if (size >= 10) return value.toFixed(1);
  if (size >= 0.1 || size === 0) return value.toFixed(2);
  return value.toPrecision(2);
}

/** Formats median and spread of rounds: `1.52 (1.48 to 1.60)`. */
export function showSpread(middle: number, [least, greatest]: readonly [number, number]): string {
  return least === greatest ? show(middle) : `${show(middle)} (${show(least)} to ${show(greatest)})`;
}
