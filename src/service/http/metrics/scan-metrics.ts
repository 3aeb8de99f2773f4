// What an operator watches about scans. The numbers are the tables': every process would give the same.
import { Gauge, type Registry } from 'prom-client';
import type { Database } from '../../../storage/db/database.js';
import { countWaiting } from '../../webhooks/deliveries.js';
import { readScanTotals } from '../../scans/read-scans.js';

/** Adds the metrics of scans; while the database is away they are left out. */
export function addScanMetrics(registry: Registry, database: Database): void {
  new Gauge({
    name: 'telltale_webhook_deliveries_waiting',
    help: 'Deliveries of webhooks that wait for their first or next try',
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
    help: 'Items of the scans that are kept, by outcome: waiting (the depth of the queue), result, or the code of the error',
    labelNames: ['outcome'],
    // Several processes of a machine report the same numbers: they are not added up.
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
