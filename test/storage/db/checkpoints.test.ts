// SQLite's log is written back by a thread of its own, never by the connection that serves requests.
import assert from 'node:assert/strict';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import BetterSqlite from 'better-sqlite3';
import type * as Databases from '../../../src/storage/db/database.js';

/** Pages of the log and how many of them are written back. */
interface Progress {
  readonly log: number;
  readonly checkpointed: number;
}

describe("SQLite's checkpoints", () => {
  let folder: string;
  let path: string;
  let database: Databases.Database;
  let onlooker: BetterSqlite.Database;
  const progress = (): Progress => (onlooker.pragma('wal_checkpoint(NOOP)') as Progress[])[0]!;
  const write = async (rows: number): Promise<void> => {
    for (let row = 0; row < rows; row += 1)
      await database.run((queries) => queries('words').insert({ text: 'x'.repeat(4000) }));
  };

  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'telltale-checkpoints-'));
    path = join(folder, 'telltale.sqlite');
    // As it is compiled: a thread's program is a file of its own.
    const compiled = new URL('../../../dist/storage/db/database.js', import.meta.url).href;
    const { openDatabase } = (await import(compiled)) as typeof Databases;
    database = await openDatabase({ kind: 'sqlite', path });
    await database.run((queries) => queries.schema.createTable('words', (table) => table.text('text')));
    onlooker = new BetterSqlite(path);
  });

  after(async () => {
    onlooker.close();
    await database.close();
    rmSync(folder, { recursive: true, force: true });
  });

  it('are no business of the connection that writes', async () => {
    const started = performance.now();
    await write(1500);
    // Within the second before the thread starts: an automatic checkpoint would have come at 1000 pages.
    if (performance.now() - started < 900) assert.equal(progress().checkpointed, 0);
    assert.ok(progress().log > 1000);
  });

  it('come from a thread once the log is long', async () => {
    const end = Date.now() + 20_000;
    while (progress().checkpointed < 1000 && Date.now() < end) await setTimeout(50);
    assert.ok(progress().checkpointed >= 1000);
  });

  it('begin the log anew, so that it does not grow for ever', async () => {
    await write(9000);
    const end = Date.now() + 20_000;
    while (progress().log >= 8000 && Date.now() < end) await setTimeout(50);
    assert.ok(progress().log < 8000, String(progress().log));
  });

  it('leave no log behind when the last connection closes', async () => {
    onlooker.close();
    await database.close();
    assert.ok(!existsSync(`${path}-wal`));
  });
});
