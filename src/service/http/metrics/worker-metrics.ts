// What an operator watches of a worker of scans.
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Engine } from '../../../engine/types.js';
import type { Database } from '../../../storage/db/database.js';
import { addEngine } from './engine-metrics.js';
import { addScanMetrics } from './scan-metrics.js';
import { addBuildInfo } from './service-metrics.js';

/** What they are read from. */
export interface WorkerMetricSources {
  readonly engine: Engine;
  readonly database: Database;
  /** The package's version. */
  readonly version: string;
  /** The model in force. */
  readonly readModel: () => string;
}

/** The metrics of a worker's process, in a registry of their own. */
export function createWorkerMetrics({ engine, database, version, readModel }: WorkerMetricSources): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  addBuildInfo(registry, () => ({ version, model: readModel() }));
  addEngine(registry, engine);
  addScanMetrics(registry, database);
  return registry;
}
