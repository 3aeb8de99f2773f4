// Every group by its name.
import type { Group } from '../options.js';
import type { Section } from '../report/section.js';
import { measureCheckpoints } from './checkpoints.js';
import { measureColdStart, measureGpu, measureMemory } from './single.js';
import { measureConsole } from './console.js';
import { measureEngine } from './engine.js';
import { measurePeers } from './peers.js';
import { measureScale } from './scale.js';
import { measureScan } from './scan.js';
import { measureService } from './service.js';
import { measureStages } from './stages.js';
import type { Context } from './context.js';

/** What measures each group. */
export const MEASURE: Readonly<Record<Group, (context: Context) => Promise<Section>>> = {
  stages: measureStages,
  engine: measureEngine,
  service: measureService,
  console: measureConsole,
  peers: measurePeers,
  'cold-start': measureColdStart,
  memory: measureMemory,
  scan: measureScan,
  scale: measureScale,
  checkpoints: measureCheckpoints,
  gpu: measureGpu,
};
