// Runs the query by which the deployment's autoscaler chooses the number of workers.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Database } from '../../src/storage/db/database.js';
import { ROOT } from './telltale.js';

/** Returns the amount of waiting work as the manifest in deploy/keda/ counts it. */
export function countWaiting(database: Database): Promise<number> {
  const manifest = readFileSync(join(ROOT, 'deploy/keda/scaled-object.yaml'), 'utf8');
  const [, query] = /^ +query: >-\n((?: {10}\S.*\n)+)/m.exec(manifest)!;
  return database.run(async (queries) => {
    const { rows } = await queries.raw<{ rows: [{ waiting: number }] }>(query!);
    return rows[0].waiting;
  });
}
