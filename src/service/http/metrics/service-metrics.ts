// What an operator watches of any process of Telltale: which version it is, how long stages take, how old its lists are.
import { Gauge, Histogram, type Registry } from 'prom-client';
import type { TrustDescription } from '../../../check/credentials/trust.js';

/** Seconds: from a look at a header to the deadline. */
const BUCKETS = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** Adds `telltale_build_info`: always 1, with the versions as labels. */
export function addBuildInfo(registry: Registry, read: () => { version: string; model: string }): void {
  new Gauge({
    name: 'telltale_build_info',
    help: 'Always 1; the labels tell the version of the package and the model in force',
    labelNames: ['version', 'model', 'node'],
    aggregator: 'first',
    registers: [registry],
    collect() {
      this.reset();
      this.set({ ...read(), node: process.version }, 1);
    },
  });
}

/** Adds the time by stage; gives what takes the milliseconds of one request. */
export function addStages(registry: Registry): (stages: Iterable<readonly [string, number]>) => void {
  const histogram = new Histogram({
    name: 'telltale_stage_duration_seconds',
    help: 'Time of a request by stage, all of its pictures together',
    labelNames: ['stage'],
    buckets: BUCKETS,
    registers: [registry],
  });
  return (stages) => {
    for (const [stage, ms] of stages) histogram.observe({ stage }, ms / 1000);
  };
}

/** Adds the age of the trust list in force; while it can't be read it is left out. */
export function addTrustAge(registry: Registry, readTrust: () => Promise<TrustDescription>): void {
  new Gauge({
    name: 'telltale_trust_list_age_days',
    help: 'Days since the oldest official trust list in force was fetched',
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
