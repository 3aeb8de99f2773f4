// The groups of measurements by name.
import type { Loads } from '../corpus/loads.js';
import type { Durations } from '../durations.js';
import type { BenchOptions, Group } from '../options.js';
import type { Section } from '../report/section.js';
import type { Runner } from '../trials/runner.js';
import { measureBaselines } from './baselines.js';
import { measureEngine } from './engine.js';
import { measureScale } from './scale.js';
import { measureScan } from './scan.js';
import { measureService } from './service.js';
import { measureColdStart, measureGpu, measureMemory } from './single.js';

/** Tools and settings that each group of measurements receives. */
export interface Context {
  readonly runner: Runner;
  readonly loads: Loads;
  readonly durations: Durations;
  readonly options: BenchOptions;
  /** Number of cores that the engine, the upper bound and the baselines may use. */
  readonly cores: number;
}

export const MEASURE: Readonly<Record<Group, (context: Context) => Promise<Section>>> = {
  'cold-start': measureColdStart,
  engine: measureEngine,
  service: measureService,
  baselines: measureBaselines,
  memory: measureMemory,
  scan: measureScan,
  scale: measureScale,
  gpu: measureGpu,
};
