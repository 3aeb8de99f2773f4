// Tests the queue on a real PostgreSQL: jobs in transactions, retries, leases of crashed processes, and an
// outage.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import pg from 'pg';
import { openDatabase, type Database } from '../../../src/storage/db/database.js';
import { CheckError } from '../../../src/library/base/errors.js';
import type { JobKind } from '../../../src/storage/queue/job-kind.js';
import { openQueue, type Queue } from '../../../src/storage/queue/queue.js';
import { countWaiting } from '../../support/leases.js';
import { findPostgres, startPostgres, type PostgresServer } from '../../support/postgres.js';
import { ROOT } from '../../support/telltale.js';

const FIXTURE = join(ROOT, 'test/fixtures/queue/pg-boss-10.sql');

interface Parcel {
  readonly label: string;
}

const rules = { leaseSeconds: 60, retries: 3, retryPauseSeconds: 0, pauseGrows: false, keepDays: 1 };
const kindOf = (name: string, changes: Partial<JobKind<Parcel>> = {}): JobKind<Parcel> => ({
  name,
  ...rules,
  ...changes,
});

describe('the job queue', function () {
  this.timeout(120_000);
  let postgres: PostgresServer;
  let url: string;
  let database: Database;
  let queue: Queue;
  const faults: unknown[] = [];
  const options = { concurrency: 1, pollMs: 50 };

  before(async function () {
    const bin = findPostgres();
    if (bin === null) return this.skip();
    postgres = await startPostgres(bin);
    url = postgres.createDatabase();
    database = await openDatabase({ kind: 'postgres', url });
    queue = await openQueue(url, (error) => faults.push(error));
  });
  after(async () => {
    await queue.close();
    await database.close();
    postgres.close();
  });

  /** Works until `count` jobs were delivered. Returns their labels with the number of the attempt. */
  const collect = async (kind: JobKind<Parcel>, count: number, isBad = false) => {
    const taken: string[] = [];
    const work = queue.work(kind, options, ({ data, attempt }) => {
      taken.push(`${data.label} ${attempt}`);
      return isBad ? Promise.reject(new Error('no luck')) : Promise.resolve();
    });
    while (taken.length < count) await setTimeout(20);
    await work.stop();
    return taken;
  };

  it('can be opened by several processes at once on a new database', async () => {
    const onFault = (error: unknown): void => void faults.push(error);
    for (let round = 0; round < 12; round += 1) {
      const fresh = postgres.createDatabase();
      const open = async (): Promise<void> => {
        const one = await openQueue(fresh, onFault);
        try {
          for (const name of ['parcels', 'letters']) await one.define(kindOf(name));
        } finally {
          await one.close();
        }
      };
      await Promise.all([open(), open(), open(), open()]);
    }
    assert.deepEqual(faults, []);
  });

  it('delivers jobs by priority, and jobs of equal priority in order of arrival', async () => {
    const kind = kindOf('in-order');
    await queue.define(kind);
    for (const [label, priority] of [
      ['low', -2],
      ['first', 0],
      ['second', 0],
    ] as const)
      await queue.send(kind, [{ data: { label }, priority }]);
    assert.equal(await countWaiting(database, kind), 3);
    assert.deepEqual(await collect(kind, 3), ['first 1', 'second 1', 'low 1']);
    assert.equal(await countWaiting(database, kind), 0);
  });

  it('delivers a job that was sent in a transaction only after the commit', async () => {
    const kind = kindOf('in-transactions');
    await queue.define(kind);
    await assert.rejects(
      database.transaction(async (queries) => {
        await queue.send(kind, [{ data: { label: 'never?' } }], queries);
        throw new CheckError('invalid_request', 'changed my mind');
      }),
      { code: 'invalid_request' },
    );
    await database.transaction((queries) => queue.send(kind, [{ data: { label: 'kept?' } }], queries));
    assert.deepEqual(await collect(kind, 1), ['kept? 1']);
  });

  it('completes a job only once, in the transaction that stores the job’s results', async () => {
    const kind = kindOf('ended-inside');
    await queue.define(kind);
    await queue.send(kind, [{ data: { label: 'one' } }]);
    const ended: boolean[] = [];
    const work = queue.work(kind, options, async (job) => {
      for (let time = 0; time < 2; time += 1)
        await database.transaction(async (queries) => {
          ended.push(await queue.complete(kind, job, queries));
        });
    });
    while (ended.length < 2) await setTimeout(20);
    await work.stop();
    assert.deepEqual(ended, [true, false]);
  });

  it('retries a failed job as often as configured', async () => {
    const kind = kindOf('failing', { retries: 2 });
    await queue.define(kind);
    await queue.send(kind, [{ data: { label: 'bad' } }]);
    assert.deepEqual(await collect(kind, 3, true), ['bad 1', 'bad 2', 'bad 3']);
    assert.match(String(faults.at(-1)), /no luck/);
    await setTimeout(200);
    assert.equal(await countWaiting(database, kind), 0);
  });

  it('does not deliver a job before its start time', async () => {
    const kind = kindOf('later');
    await queue.define(kind);
    await queue.send(kind, [
      { data: { label: 'tomorrow' }, startAfter: new Date(Date.now() + 86_400_000) },
      { data: { label: 'today' } },
    ]);
    assert.deepEqual(await collect(kind, 1), ['today 1']);
    assert.equal(await countWaiting(database, kind), 1);
  });

  it('refuses a process’s result after its lease expired, because another process may run the job', async () => {
    const kind = kindOf('outlived', { leaseSeconds: 1 });
    await queue.define(kind);
    await queue.send(kind, [{ data: { label: 'slow' } }]);
    const second = deferred();
    const ended: string[] = [];
    const work = queue.work(kind, { ...options, concurrency: 2 }, async (job) => {
      if (job.attempt === 1) await second.promise;
      else second.resolve();
      await database.transaction(async (queries) => {
        // The second attempt waits until the first one has ended.
        if (job.attempt === 2) while (ended.length < 1) await setTimeout(20);
        ended.push(`${job.attempt} ${await queue.complete(kind, job, queries)}`);
      });
    });
    while (ended.length < 2) await setTimeout(50);
    await work.stop();
    assert.deepEqual(ended, ['1 false', '2 true']);
  });

  it('delivers a crashed process’s job again after the lease expires', async () => {
    const kind = kindOf('leased', { leaseSeconds: 2 });
    await queue.define(kind);
    await queue.send(kind, [{ data: { label: 'orphan' } }]);
    const taken: number[] = [];
    // Simulates a process that hangs: it never completes the job.
    const stuck = deferred();
    const work = queue.work(kind, { ...options, concurrency: 2 }, ({ attempt }) => {
      taken.push(attempt);
      return attempt === 1 ? stuck.promise : Promise.resolve();
    });
    while (taken.length < 2) await setTimeout(50);
    assert.deepEqual(taken, [1, 2]);
    stuck.resolve();
    await work.stop();
  });

  it('reports unavailable while the database is down and continues afterwards', async () => {
    const kind = kindOf('outage');
    await queue.define(kind);
    await queue.send(kind, [{ data: { label: 'before' } }]);
    const done: string[] = [];
    let attempts = 0;
    const work = queue.work(kind, options, async ({ data }) => {
      attempts += 1;
      // The job ends during the outage. Its completion is stored after the database is back.
      if (data.label === 'before') postgres.stop();
      done.push(data.label);
      await Promise.resolve();
    });
    while (done.length < 1) await setTimeout(20);
    await assert.rejects(queue.send(kind, [{ data: { label: 'during' } }]), { code: 'unavailable' });
    postgres.start();
    // The first request may fail because its connection is from before the outage.
    const isSent = () =>
      queue.send(kind, [{ data: { label: 'after' } }]).then(
        () => true,
        (error: unknown) => {
          assert.equal((error as CheckError).code, 'unavailable');
          return false;
        },
      );
    while (!(await isSent())) await setTimeout(50);
    while (done.length < 2) await setTimeout(20);
    await work.stop();
    assert.deepEqual(done, ['before', 'after']);
    assert.equal(attempts, 2);
  });

  describe('the job queue in a database of version 1.1', () => {
    interface Turn {
      readonly slot: number;
    }
    const turns: JobKind<Turn> = { name: 'scan-turns', ...rules };
    const deliveries: JobKind<{ delivery: string }> = { name: 'webhook-delivery', ...rules };
    let client: pg.Client;
    let upgraded: Queue;

    beforeEach(async () => {
      const old = postgres.createDatabase();
      client = new pg.Client(old);
      await client.connect();
      // pg-boss 10.4.2 wrote these tables (test/fixtures/README.md). Their timestamps are moved to today.
      await client.query(readFileSync(FIXTURE, 'utf8'));
      await client.query(`set search_path to telltale_queue;
        update job set keep_until = now() + interval '1 day', start_after = now() - interval '1 hour';
        update job set start_after = now() + interval '1 hour' where data->>'delivery' = 'whd_later';
        update job set started_on = now() where state = 'active';
        update job set started_on = now() - interval '1 hour' where data->>'slot' = '5'`);
      upgraded = await openQueue(old, (error) => faults.push(error));
    });
    afterEach(async () => {
      await upgraded.close();
      await client.end();
    });

    /** Works until `count` batches were delivered. Returns their slots with the number of the attempt. */
    const collectTurns = async (count: number): Promise<string[]> => {
      const taken: string[] = [];
      const work = upgraded.work(turns, options, ({ data, attempt }) => {
        taken.push(`${data.slot} ${attempt}`);
        return Promise.resolve();
      });
      while (taken.length < count) await setTimeout(20);
      await work.stop();
      return taken;
    };
    const left = async (): Promise<unknown[]> => {
      const { rows } = await client.query<{ state: string }>(
        `select state from telltale_queue.job where name = 'scan-turns' order by state`,
      );
      return rows.map(({ state }) => state);
    };

    it('takes over waiting jobs, and running jobs after their lease', async () => {
      await upgraded.define(turns);
      await upgraded.define(deliveries);
      // Slot 4 is missing, because the process that took it still has its lease.
      assert.deepEqual(await collectTurns(4), ['1 1', '2 2', '3 1', '5 2']);
      assert.deepEqual(await left(), ['active', 'completed']);
      const { rows } = await client.query(
        `select data->>'delivery' as delivery, retry_limit, retry_delay, expire_seconds, start_after > now() as "isLater"
         from telltale_jobs.job where name = 'webhook-delivery' order by created_on`,
      );
      const rules = { retry_limit: 10_000, retry_delay: 5, expire_seconds: 30 };
      assert.deepEqual(rows, [
        { delivery: 'whd_now', ...rules, isLater: false },
        { delivery: 'whd_later', ...rules, isLater: true },
      ]);
      await client.query(`update telltale_queue.job set started_on = now() - interval '1 hour'`);
      assert.deepEqual(await collectTurns(1), ['4 2']);
    });

    it('takes over jobs that a running process of version 1.1 sends', async () => {
      await upgraded.define(turns);
      await collectTurns(4);
      await client.query(
        `insert into telltale_queue.job (name, data, policy) values ('scan-turns', '{"slot": 7}', 'standard')`,
      );
      assert.deepEqual(await collectTurns(1), ['7 1']);
    });

    it('returns waiting jobs with the SQL statement in the documentation', async () => {
      await upgraded.define(turns);
      await upgraded.close();
      const operating = readFileSync(join(ROOT, 'docs/operating.md'), 'utf8');
      const [, statement] = /```sql\n(with back [^`]+)```/.exec(operating)!;
      await client.query(statement!);
      assert.deepEqual(await left(), ['created', 'created', 'retry', 'retry', 'active', 'completed']);
    });
  });

  it('reports unavailable if the queue cannot be opened', async () => {
    await assert.rejects(
      openQueue('postgres://telltale@127.0.0.1:1/none', () => undefined),
      { code: 'unavailable' },
    );
  });
});

function deferred(): { promise: Promise<void>; resolve: () => void } {
  let resolve = (): void => undefined;
  const promise = new Promise<void>((settle) => (resolve = settle));
  return { promise, resolve };
}
