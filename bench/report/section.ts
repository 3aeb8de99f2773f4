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

/** Whether a goal is reached; null if it was not measured. */
export function isReached({ value, wanted }: Goal): boolean | null {
  if (value === null || Number.isNaN(value)) return null;
  return 'atLeast' in wanted ? value >= wanted.atLeast : value <= wanted.atMost;
}
