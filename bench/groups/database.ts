// placeholder until the service is here
import type { Durations } from '../durations.js';
import type { Table } from '../report/section.js';
import type { Runner } from '../runner.js';
export function measureDatabases(_r: Runner, _d: Durations): Promise<Table> {
  return Promise.resolve({ title: 'Database', head: ['database'], rows: [] });
}
