// Tests long reads of SQLite on a separate thread.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { statSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import type { Worker } from 'node:worker_threads';
import knexModule from 'knex';
import type { CheckError } from '../../../src/library/base/errors.js';
import { openDatabase, type Database } from '../../../src/storage/db/database.js';
import { migrate } from '../../../src/storage/db/migrate.js';
import { openThreads } from '../../../src/storage/db/sqlite-threads.js';
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

  /** Runs a read so that its thread exists, and returns the thread. */
  async function startThread(): Promise<[Worker]> {
    const started = once(process, 'worker');
    await database.read((queries) => queries('accounts').select());
    return (await started) as [Worker];
  }

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

  it('sees every earlier commit and returns rows in the same form as other statements', async () => {
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

  it('returns many rows without blocking the event loop until the last row', async () => {
    const rows =
      'with recursive n(i) as (select 1 union all select i + 1 from n where i < 19500) select i from n';
    let turns = 0;
    const count = (): void => {
      turns += 1;
      timer = setImmediate(count);
    };
    const [worker] = await startThread();
    let timer = setImmediate(count);
    const turnsAt: number[] = [];
    worker.on('message', () => turnsAt.push(turns));
    const found = await database.read((queries) => queries.raw<{ i: number }[]>(rows));
    clearImmediate(timer);
    assert.deepEqual([found.length, found.at(-1)], [19_500, { i: 19_500 }]);
    assert.equal(new Set(turnsAt).size, 20);
  });

  it('does not delay a short read on another thread', async () => {
    const order: string[] = [];
    await Promise.all([startThread(), startThread()]);
    const long = SLOW.replace('300000', '1000000');
    const slow = database.read((queries) => queries.raw(long)).then(() => order.push('long'));
    await database.read((queries) => queries('accounts').select('id')).then(() => order.push('short'));
    await slow;
    assert.deepEqual(order, ['short', 'long']);
  });

  it('rejects if its thread ends, and the next read starts a new thread', async () => {
    const [worker] = await startThread();
    const slow = assert.rejects(
      database.read((queries) => queries.raw(SLOW)),
      ({ code, cause }: CheckError) =>
        code === 'unavailable' && /the thread of the database ended$/.test((cause as Error).message),
    );
    await worker.terminate();
    await slow;
    assert.deepEqual(await database.read((queries) => queries('accounts').select()), []);
  });

  it('rejects after the time limit, and later reads run on another thread', async () => {
    // The time limit includes the start of a thread, which takes long on a slow machine.
    const began = performance.now();
    await startThread();
    const timeoutMs = Math.ceil(Math.max(700, 4 * (performance.now() - began)));
    const long = SLOW.replace('300000', String(Math.ceil((6_000_000 * timeoutMs) / 700)));
    const reader = openThreads(knexModule, path, { threads: 1, timeoutMs, readonly: true });
    const message = new RegExp(`the statement took longer than ${timeoutMs / 1000} s$`);
    await assert.rejects(reader.raw(long), { message });
    assert.deepEqual(await reader('accounts').select(), []);
    await reader.destroy();
  });

  it('ends before the database is closed', async () => {
    const slow = database.read((queries) => queries.raw(SLOW));
    await setTimeout(20);
    await database.close();
    assert.deepEqual(await slow, [{ n: 300_000 }]);
  });

  it('keeps the program running until its rows arrive', async () => {
    const program = join(dirname(path), 'program.mjs');
    writeFileSync(
      program,
      `const { openDatabase } = await import(${JSON.stringify(join(ROOT, 'src/storage/db/database.ts'))});
      const database = await openDatabase({ kind: 'sqlite', path: ${JSON.stringify(path)} });
      const [{ n }] = await database.read((queries) => queries.raw(${JSON.stringify(SLOW)}));
      console.log(n);
      await database.close();`,
    );
    const child = spawn(process.execPath, ['--import', 'tsx', program], { cwd: ROOT });
    let output = '';
    child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const [status] = (await once(child, 'close')) as [number];
    assert.deepEqual([status, output.trim()], [0, '300000']);
  });
});

describe('the write-ahead log of SQLite', () => {
  let path: string;
  let database: Database;
  const logBytes = (): number => statSync(`${path}-wal`).size;

  beforeEach(async () => {
    path = join(makeFolder('log'), 'telltale.sqlite');
    database = await openDatabase({ kind: 'sqlite', path });
    await migrate(database);
  });
  afterEach(() => database.close());

  const insert = (id: string, name: string) =>
    database.run((queries) => queries('accounts').insert({ id, name, created_at: 1 }));

  it('is emptied on another thread when the log is large', async () => {
    const started = once(process, 'worker');
    for (let row = 0; row < 30; row += 1) await insert(`a${row}`, `${row}${'x'.repeat(1_000_000)}`);
    for (let row = 0; row < 100 && logBytes() > 4_096_000; row += 1) {
      await setTimeout(100);
      await insert(`b${row}`, `small ${row}`);
    }
    await started;
    assert.ok(logBytes() <= 4_096_000, String(logBytes()));
  });

  it('is emptied by truncateLog once a running read no longer needs the log', async () => {
    await insert('a', 'first');
    // Runs once before, so that the thread exists.
    await database.read((queries) => queries('accounts').select());
    const slow = database.read((queries) =>
      queries.raw(`${SLOW.replace('300000', '1000000')} where exists (select 1 from accounts)`),
    );
    await setTimeout(20);
    await insert('b', 'second');
    await database.truncateLog();
    assert.equal(logBytes(), 0);
    await slow;
  });
});
