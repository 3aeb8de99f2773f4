// Performance goals of the project, with which the bench compares its measurements. docs/performance.md repeats them.
import type { Goal } from './report/section.js';

/** Goals by measurement, in the units that the bench prints. */
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

/** Formats a goal for reports and documents, such as `≥ 0.9`. */
export function showBound(wanted: Goal['wanted']): string {
  return 'atLeast' in wanted ? `≥ ${wanted.atLeast}` : `≤ ${wanted.atMost}`;
}
