// Results of a group of measurements as tables and goals, and formatting of numbers.

/** A table in which every row has as many cells as the head. */
export interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** Reads the head of a table, such as `load | checks/s`. */
export const columns = (head: string): string[] => head.split(' | ');

/** A number that the project aims to reach, with its measured value. */
export interface Goal {
  readonly what: string;
  /** Measured value. Null if not measured. */
  readonly value: number | null;
  readonly unit: string;
  readonly wanted: { readonly atLeast: number } | { readonly atMost: number };
  /** Value above which the run must be faulty. Used for ratios to an upper bound, which cannot be much above 1. */
  readonly faultyAbove?: number;
  /** Range of the rounds, or other information that readers need to judge the value. */
  readonly note: string;
}

export interface Section {
  readonly title: string;
  readonly tables: readonly Table[];
  readonly goals: readonly Goal[];
}

/** Maximum ratio of a throughput to its upper bound. Chosen: 1 plus a margin for chance. */
export const MAX_EFFICIENCY = 1.1;

/** Returns true if a goal's value is too high to be true, so that the run is faulty. */
export function isFaulty({ value, faultyAbove = Infinity }: Goal): boolean {
  return value !== null && value > faultyAbove;
}

/** Returns true if a goal is reached. Returns null if it was not measured. */
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

/** Formats the median and the range of several rounds: `1.52 (1.48 to 1.60)`. */
export function showSpread(middle: number, [least, greatest]: readonly [number, number]): string {
  return least === greatest ? show(middle) : `${show(middle)} (${show(least)} to ${show(greatest)})`;
}
