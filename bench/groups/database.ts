// What metering costs, on each database.
import type { Durations } from '../durations.js';
import { show } from '../report/numbers.js';
import type { Table } from '../report/section.js';
import type { Runner } from '../runner.js';
import { whyNoTelltale } from '../targets/telltale.js';

/** The steps of a request that reach the database. */
export async function measureDatabases(runner: Runner, durations: Durations): Promise<Table> {
  const rows: string[][] = [];
  for (const database of ['sqlite', 'postgres'] as const) {
    const name = `metering on ${database}`;
    const missing = whyNoTelltale(database);
    if (missing !== null) {
      runner.skip('stages', name, missing);
      continue;
    }
    const result = await runner.run('stages', name, 'database', {
      database,
      repeats: durations.partRepeats,
      seconds: durations.curveSeconds,
    });
    if (!result) continue;
    const { findKey, consumeRequest, recordChecks, requestsPerSecond } = result;
    rows.push([database, ...[findKey, consumeRequest, recordChecks, requestsPerSecond].map(show)]);
  }
  return {
    title: 'Database: steps of one request (ms, medians), and requests metered a second by 16 callers',
    head: [
      'database',
      'find the key (kept for half a second)',
      'consume a request',
      'charge a check',
      'requests/s',
    ],
    rows,
  };
}
