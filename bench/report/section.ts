// What a group of trials has to say: tables, goals and plots.

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

/** A picture of the numbers, as SVG. */
export interface Plot {
  readonly name: string;
  readonly svg: string;
}

/** One group's results. */
export interface Section {
  readonly title: string;
  readonly tables: readonly Table[];
  readonly goals: readonly Goal[];
  readonly plots: readonly Plot[];
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
