// What the project set out to reach: the one list that the groups judge by and that docs/performance.md repeats.
import type { Goal } from './report/section.js';

/** Bounds by what they bound; units as the groups print them. */
export const GOALS = {
  coldStart: { atMost: 0.7 },
  engineEfficiency: { atLeast: 0.95 },
  serviceThroughput: { atLeast: 0.85 },
  tailAtHalfLoad: { atMost: 2 },
  goodputBeyondCapacity: { atLeast: 1 },
  nodeBaseline: { atLeast: 4 },
  pythonBaseline: { atLeast: 2 },
  scanThroughput: { atLeast: 0.9 },
  tailBesideScan: { atMost: 1.3 },
  memoryTrend: { atMost: 1 },
  memory: { atMost: 700 },
} as const satisfies Record<string, Goal['wanted']>;

/** A bound as reports and documents write it, such as `≥ 0.9`. */
export function showBound(wanted: Goal['wanted']): string {
  return 'atLeast' in wanted ? `≥ ${wanted.atLeast}` : `≤ ${wanted.atMost}`;
}
