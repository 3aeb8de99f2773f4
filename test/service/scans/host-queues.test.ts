// Tests the request limits per image host, which two workers keep together on a real PostgreSQL.
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout } from 'node:timers/promises';
import { openDatabase, type Database } from '../../../src/storage/db/database.js';
import {
  HostQueues,
  returnHostSlot,
  acquireHostSlot,
  type HostSlot,
} from '../../../src/service/scans/work/host-queues.js';
import { sharedPostgres } from '../../support/databases.js';

const never = (): AbortSignal => new AbortController().signal;

describe('the limit on a scan’s requests to one image host', function () {
  this.timeout(60_000);
  const databases: Database[] = [];
  let workers: HostQueues[];

  before(async function () {
    const postgres = await sharedPostgres();
    if (postgres === null) return this.skip();
    const url = postgres.createDatabase();
    for (let worker = 0; worker < 2; worker += 1)
      databases.push(await openDatabase({ kind: 'postgres', url }));
    workers = databases.map(
      (database) =>
        new HostQueues({
          acquire: (host) => acquireHostSlot(database, host),
          release: (slot) => returnHostSlot(database, slot),
        }),
    );
  });
  after(async () => {
    for (const database of databases) await database.close();
  });

  const acquireFour = async (host: string): Promise<HostSlot[]> => {
    const slots: HostSlot[] = [];
    while (slots.length < 4) {
      const tried = await acquireHostSlot(databases[0]!, host);
      if ('acquired' in tried) slots.push(tried.acquired);
      else await setTimeout(tried.waitMs);
    }
    return slots;
  };

  it('allows two workers together four requests at once, started 0.1 seconds apart', async () => {
    const starts: number[] = [];
    let running = 0;
    let most = 0;
    let reachFour = (): void => undefined;
    const areFour = new Promise<void>((resolve) => (reachFour = resolve));
    const ask = async (): Promise<void> => {
      starts.push(Date.now());
      most = Math.max(most, (running += 1));
      if (running === 4) reachFour();
      // The first requests wait for the fourth one, however slowly the database starts it.
      await areFour;
      // Each request takes so long that more than four would overlap if the limit failed.
      await setTimeout(700);
      running -= 1;
    };
    const all = workers.flatMap((worker) =>
      Array.from({ length: 10 }, () => worker.run('slow', never(), ask)),
    );
    await Promise.all(all);
    assert.equal(starts.length, 20);
    assert.equal(most, 4);

    starts.length = 0;
    const began = Date.now();
    const note = (): Promise<void> => Promise.resolve(void starts.push(Date.now()));
    await Promise.all(
      workers.flatMap((worker) => Array.from({ length: 15 }, () => worker.run('fast', never(), note))),
    );
    // Measures from before the first slot is taken, because a slot is noted later than it is taken.
    const tookMs = Math.max(...starts) - began;
    assert.ok(tookMs > 29 * 100 - 50, `${starts.length} within ${tookMs} ms`);
  });

  it('applies to each host independently', async () => {
    await acquireFour('busy');
    assert.equal(await workers[0]!.run('idle', never(), () => Promise.resolve('asked')), 'asked');
  });

  it('frees the slots of a worker that died', async () => {
    const slots = await acquireFour('dead');
    const tried = await acquireHostSlot(databases[1]!, 'dead');
    assert.ok('waitMs' in tried && tried.waitMs > 0);
    await databases[0]!.run((queries) =>
      queries('scan_host_slots').where({ host: 'dead' }).update({ free_at: 1 }),
    );
    const again = await acquireFour('dead');
    // This worker was only slow. The slots that it now returns already belong to another worker.
    for (const slot of slots) await returnHostSlot(databases[0]!, slot);
    // Waits longer than the interval between two starts.
    await setTimeout(150);
    const full = await acquireHostSlot(databases[1]!, 'dead');
    assert.ok('waitMs' in full, 'still taken');
    await returnHostSlot(databases[0]!, again[0]!);
    assert.equal(await workers[1]!.run('dead', never(), () => Promise.resolve('asked')), 'asked');
  });

  it('lets a waiting request be cancelled', async () => {
    await acquireFour('full');
    const leaving = new AbortController();
    const waiting = workers[0]!.run('full', leaving.signal, () => assert.fail('never asked'));
    const reason = new Error('its turn is over');
    leaving.abort(reason);
    await assert.rejects(waiting, reason);
  });

  it('accepts an overlong host name', async () => {
    const name = randomBytes(4000).toString('hex');
    assert.equal(await workers[0]!.run(name, never(), () => Promise.resolve('asked')), 'asked');
  });
});
