// The groups of measurements by name.
import type { Group } from '../options.js';
import type { Section } from '../report/section.js';
import type { Context } from '../trials/runner.js';
import { measureBaselines } from './baselines.js';
import { measureEngine } from './engine.js';
import { measureScale } from './scale.js';
import { measureScan } from './scan.js';
import { measureService } from './service.js';
import { measureColdStart, measureGpu, measureMemory } from './single.js';

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
