// What every service under test offers to the trials.
import type { HttpTarget } from '../load/http-closed-loop.js';

/** A running service. */
export interface Target extends HttpTarget {
  /** Most memory held at once by its processes, in MB. */
  readonly peakMemoryMb: () => number;
  /** 99th percentile since its start, in ms; NaN where the service does not tell. */
  readonly eventLoopDelayMs: () => Promise<number>;
  readonly stop: () => Promise<void>;
}

/** The services that can be put under load. */
export const TARGET_NAMES = [
  'telltale-sqlite',
  'telltale-postgres',
  'node-peer',
  'opencv-peer',
  'python-peer',
] as const;

/** One of them. */
export type TargetName = (typeof TARGET_NAMES)[number];
