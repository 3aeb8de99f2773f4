// What a group of trials has to say: tables and goals; and how numbers are written.

/** A table; every row has as many cells as the head. */
export interface Table {
  readonly title: string;
  readonly head: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

/** A number that the project set out to reach. */
export interface Goal {
  readonly what: string;
  /** As measured; null if it was not measured. */
  readonly value: number | null;
  readonly unit: string;
  readonly wanted: { readonly atLeast: number } | { readonly atMost: number };
  /** What no good run gives: the value is a ratio to a limit. */
  readonly faultyAbove?: number;
  /** Spread of the rounds, or what else a reader needs to judge the value. */
  readonly note: string;
}

/** One group's results. */
export interface Section {
  readonly title: string;
  readonly tables: readonly Table[];
  readonly goals: readonly Goal[];
}

/** What a quotient of a throughput and its limit may exceed 1 by, through chance. Chosen. */
export const MOST_EFFICIENCY = 1.1;

/** Whether a goal's value tells of a fault of the run. */
export function isFaulty({ value, faultyAbove = Infinity }: Goal): boolean {
  return value !== null && value > faultyAbove;
}

/** Whether a goal is reached; null where it was not measured. */
export function isReached({ value, wanted }: Goal): boolean | null {
  if (value === null || Number.isNaN(value)) return null;
  return 'atLeast' in wanted ? value >= wanted.atLeast : value <= wanted.atMost;
}

/** Three significant digits or so: 0.0123, 1.23, 12.3, 123; '–' if there is none. */
export function show(value: number | null): string {
  if (value === null || Number.isNaN(value)) return '–';
  const size = Math.abs(value);
  if (size >= 100) return value.toFixed(0);
  if (size >= 10) return value.toFixed(1);
  if (size >= 0.1 || size === 0) return value.toFixed(2);
  return value.toPrecision(2);
}

/** Median and spread of rounds: `1.52 (1.48 to 1.60)`. */
export function showSpread(middle: number, [least, greatest]: readonly [number, number]): string {
  return least === greatest ? show(middle) : `${show(middle)} (${show(least)} to ${show(greatest)})`;
}
