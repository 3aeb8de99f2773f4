// Tests long reads of SQLite on a separate thread.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { openDatabase, type Database } from '../../../src/storage/db/database.js';
import { migrate } from '../../../src/storage/db/migrate.js';
import { makeFolder } from '../../support/folders.js';
import { ROOT } from '../../support/telltale.js';

/** Query that takes some hundred milliseconds. */
const SLOW =
  'with recursive n(i) as (select 1 union all select i + 1 from n where i < 300000) select count(*) as n from n';

describe('a long read of SQLite on a separate thread', () => {
  let path: string;
  let database: Database;

  beforeEach(async () => {
    path = join(makeFolder('reader'), 'telltale.sqlite');
    database = await openDatabase({ kind: 'sqlite', path });
    await migrate(database);
  });
  afterEach(() => database.close());

  const insert = (id: string) =>
    database.run((queries) => queries('accounts').insert({ id, name: id, created_at: 1 }));

  it('lets timers and database statements of the main thread run meanwhile', async () => {
    const order: string[] = [];
    const slow = database.read((queries) => queries.raw(SLOW)).then(() => order.push('read'));
    await setTimeout(1);
    order.push('timer');
    await insert('a');
    order.push('statement');
    await slow;
    assert.deepEqual(order, ['timer', 'statement', 'read']);
  });

  it('sees every earlier commit and returns rows like other statements', async () => {
    for (const id of ['a', 'b', 'c']) {
      await insert(id);
      const ids = await database.read((queries) =>
        queries('accounts').orderBy('id', 'desc').pluck<string[]>('id'),
      );
      assert.equal(ids[0], id);
    }
    const first = await database.read((queries) =>
      queries('accounts').where({ id: 'b' }).first<{ name: string }>('name'),
    );
    assert.deepEqual(first, { name: 'b' });
  });

  it('rejects with SQLite’s error, and cannot change anything', async () => {
    const fails = (sql: string, code: string) =>
      assert.rejects(
        database.read((queries) => queries.raw(sql)),
        { code },
      );
    await fails('select * from missing', 'SQLITE_ERROR');
    await fails("delete from accounts where id = 'a' returning id", 'unavailable');
    assert.deepEqual(await database.read((queries) => queries('accounts').select()), []);
  });

  it('ends before the database is closed', async () => {
    const slow = database.read((queries) => queries.raw(SLOW));
    await setTimeout(20);
    await database.close();
    assert.deepEqual(await slow, [{ n: 300_000 }]);
  });

  it('keeps the program running until its rows arrive, and no longer', async () => {
    const program = join(dirname(path), 'program.mjs');
    writeFileSync(
      program,
      `const { openDatabase } = await import(${JSON.stringify(join(ROOT, 'src/storage/db/database.ts'))});
      const database = await openDatabase({ kind: 'sqlite', path: ${JSON.stringify(path)} });
      database.read((queries) => queries.raw(${JSON.stringify(SLOW)})).then(([{ n }]) => console.log(n));`,
    );
    const child = spawn(process.execPath, ['--import', 'tsx', program], { cwd: ROOT });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [status] = (await once(child, 'close')) as [number];
    assert.deepEqual([status, output.trim()], [0, '300000']);
  });
});
