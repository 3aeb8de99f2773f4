// Metrics that the service and scan workers share, and all metrics of a scan worker.
import { Counter, Gauge, Registry, Histogram, collectDefaultMetrics } from 'prom-client';
import type { Engine } from 'telltale-engine/internal/engine/types.js';
import type { TrustDescription } from 'telltale-engine/internal/check/credentials/trust.js';
import type { Database } from '../../../storage/db/database.js';
import { countWaiting } from '../../webhooks/deliveries.js';
import { readScanTotals } from '../../scans/read-scans.js';

/** A metric's name, its help text, and a function that returns its current value. */
type Reading = readonly [name: string, help: string, read: () => number];

/** Adds gauges whose values are read whenever Prometheus requests the metrics. */
export function addGauges(registry: Registry, readings: readonly Reading[]): void {
  for (const [name, help, read] of readings)
    new Gauge({
      name,
      help,
      registers: [registry],
      collect() {
        this.set(read());
      },
    });
}

/** Adds a counter whose value another object counts. */
export function addCount(registry: Registry, [name, help, read]: Reading): void {
  new Counter({
    name,
    help,
    registers: [registry],
    collect() {
      this.reset();
      this.inc(read());
    },
  });
}

/** Adds the engine's number of running images, its memory budget, used memory, and waits for memory. */
export function addEngine(registry: Registry, engine: Pick<Engine, 'stats'>): void {
  addGauges(registry, [
    ['telltale_engine_running', 'Images in the engine', () => engine.stats().running],
    [
      'telltale_engine_memory_budget_bytes',
      'Memory limit of all concurrent decodes (TELLTALE_MEMORY_MB)',
      () => engine.stats().memory.budgetBytes,
    ],
    [
      'telltale_engine_memory_bytes',
      'Memory that the running images need according to their headers',
      () => engine.stats().memory.takenBytes,
    ],
  ]);
  addCount(registry, [
    'telltale_engine_memory_waits_total',
    'Images that waited because running images had taken the memory budget',
    () => engine.stats().memory.waits,
  ]);
}

/** Histogram buckets in seconds, from the shortest stage to the time limit of a check. */
const BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Adds `telltale_build_info`, which is always 1 and has the versions as labels. */
export function addBuildInfo(registry: Registry, read: () => { version: string; model: string }): void {
  new Gauge({
    name: 'telltale_build_info',
    help: 'Always 1; its labels are the versions of the package and Node, and the active model',
    labelNames: ['version', 'model', 'node'],
    aggregator: 'first',
    registers: [registry],
    collect() {
      this.reset();
      this.set({ ...read(), node: process.version }, 1);
    },
  });
}

/** Adds a histogram of time by stage. Returns a function that records the milliseconds of a request. */
export function addStages(registry: Registry): (stages: Iterable<readonly [string, number]>) => void {
  const histogram = new Histogram({
    name: 'telltale_stage_duration_seconds',
    help: 'Time of a request by stage, for all of its images together',
    labelNames: ['stage'],
    buckets: BUCKETS,
    registers: [registry],
  });
  return (stages) => {
    for (const [stage, ms] of stages) histogram.observe({ stage }, ms / 1000);
  };
}

/** Adds the age of the active C2PA trust list. Omits the metric while the list can't be read. */
export function addTrustAge(registry: Registry, readTrust: () => Promise<TrustDescription>): void {
  new Gauge({
    name: 'telltale_trust_list_age_days',
    help: 'Age of the oldest active official trust list, by the date in the list',
    aggregator: 'max',
    registers: [registry],
    async collect() {
      this.reset();
      const trust = await readTrust().catch(() => null);
      const ages = trust?.files.filter(({ tier }) => tier === 'official').map((file) => file.age_days) ?? [];
      if (ages.length > 0) this.set(Math.max(...ages));
    },
  });
}

/** Adds metrics of scans and webhooks. Omits them while the database is unavailable. */
export function addScanMetrics(registry: Registry, database: Database): void {
  new Gauge({
    name: 'telltale_webhook_deliveries_waiting',
    help: 'Webhook deliveries that wait for their first or next attempt',
    aggregator: 'max',
    registers: [registry],
    async collect() {
      this.reset();
      const waiting = await countWaiting(database).catch(() => null);
      if (waiting !== null) this.set(waiting);
    },
  });
  new Gauge({
    name: 'telltale_scan_items',
    help: 'Items of stored scans by outcome: waiting (the depth of the queue), result, or the error code',
    labelNames: ['outcome'],
    // All processes of a machine report the same numbers, so their maximum is right and not their sum.
    aggregator: 'max',
    registers: [registry],
    async collect() {
      this.reset();
      const totals = await readScanTotals(database).catch(() => null);
      if (!totals) return;
      this.set({ outcome: 'waiting' }, totals.waiting);
      this.set({ outcome: 'result' }, totals.checked);
      for (const [code, count] of Object.entries(totals.failed)) this.set({ outcome: code }, count);
    },
  });
}

/** Objects from which the metrics of a scan worker are read. */
interface WorkerMetricSources {
  readonly engine: Engine;
  readonly database: Database;
  /** Version of the package. */
  readonly version: string;
  /** Returns the name of the active model. */
  readonly readModel: () => string;
}

/** Creates the metrics of a scan worker in a new registry. */
export function createWorkerMetrics({ engine, database, version, readModel }: WorkerMetricSources): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  addBuildInfo(registry, () => ({ version, model: readModel() }));
  addEngine(registry, engine);
  addScanMetrics(registry, database);
  return registry;
}
