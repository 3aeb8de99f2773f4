// Tests webhooks delivered by several processes at once, and by processes that are killed.
import assert from 'node:assert/strict';
import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { setTimeout } from 'node:timers/promises';
import { ensureAccount } from '../../../src/accounts/accounts.js';
import { openDatabase, type Database } from '../../../src/storage/db/database.js';
import { openQueue, type Queue } from '../../../src/storage/queue/queue.js';
import { DELIVERY_JOBS, recordEvent } from '../../../src/service/webhooks/deliveries.js';
import { createEndpoint } from '../../../src/service/webhooks/endpoints.js';
import { sharedPostgres } from '../../support/databases.js';
import { endLeases } from '../../support/leases.js';
import { openReceiver, type Receiver } from '../../support/webhook-receiver.js';
import { startWebhookWorker } from '../../support/webhook-worker.js';

describe('processes that deliver webhooks', function () {
  this.timeout(180_000);
  let url: string;
  let database: Database;
  let queue: Queue;
  let receiver: Receiver;
  let accountId: string;
  const workers: ChildProcess[] = [];

  before(async function () {
    const server = await sharedPostgres();
    if (server === null) return this.skip();
    url = server.createDatabase();
    database = await openDatabase({ kind: 'postgres', url });
    queue = await openQueue(url, () => undefined);
    await queue.define(DELIVERY_JOBS);
    receiver = await openReceiver();
    ({ id: accountId } = await ensureAccount(database, 'told'));
    await createEndpoint(database, { accountId, url: `${receiver.url}/told` });
  });
  after(async () => {
    for (const worker of workers) await end(worker, 'SIGKILL');
    receiver.close();
    await queue.close();
    await database.close();
  });

  const start = async (): Promise<ChildProcess> => {
    const worker = await startWebhookWorker(url, receiver.world.ca ?? '');
    workers.push(worker);
    return worker;
  };
  const end = async (worker: ChildProcess, signal: NodeJS.Signals): Promise<void> => {
    if (worker.exitCode !== null || worker.signalCode !== null) return;
    const ended = once(worker, 'exit');
    worker.kill(signal);
    await ended;
  };
  const happen = (count: number): Promise<void> =>
    database.transaction(async (queries) => {
      for (let event = 0; event < count; event += 1)
        await recordEvent(queries, queue, accountId, {
          type: 'scan.progress',
          at: new Date(),
          data: { event },
        });
    });
  const countStates = async (): Promise<Record<string, number>> => {
    const rows = await database.run((queries) =>
      queries('webhook_deliveries').select<{ state: string }[]>('state'),
    );
    return Object.fromEntries(
      [...new Set(rows.map(({ state }) => state))].map((state) => [
        state,
        rows.filter((row) => row.state === state).length,
      ]),
    );
  };
  const whenAllEnded = async (): Promise<Record<string, number>> => {
    for (;;) {
      const states = await countStates();
      if (states.pending === undefined) return states;
      await setTimeout(100);
    }
  };

  it('deliver each event only once if two processes run in parallel', async () => {
    const pair = await Promise.all([start(), start()]);
    await happen(90);
    assert.deepEqual(await whenAllEnded(), { delivered: 90 });
    for (const worker of pair) await end(worker, 'SIGTERM');
    const arrivals = await receiver.waitFor('/told', 90);
    assert.equal(arrivals.length, 90);
    assert.equal(new Set(arrivals.map(({ id }) => id)).size, 90);
  });

  it('lose no waiting or running delivery if they are killed', async () => {
    const held: string[] = [];
    receiver.answer((req, res) => {
      const id = String(req.headers['webhook-id']);
      // One delivery never gets a response. All others are refused.
      if (held.length < 1) held.push(id);
      else res.writeHead(503).end();
    });
    const first = await start();
    await happen(20);
    while (receiver.arrivals.length < 110) await setTimeout(20);
    await end(first, 'SIGKILL');
    assert.equal((await countStates()).pending, 20);
    receiver.answer((_req, res) => res.writeHead(204).end());
    await start();
    // Deliveries that were running wait until the lease of the dead process ends.
    await endLeases(database);
    assert.deepEqual(await whenAllEnded(), { delivered: 110 });
    const last = new Set(receiver.arrivals.slice(110).map(({ id }) => id));
    assert.equal(last.size, 20);
    for (const id of held) assert.ok(last.has(id));
  });

  it('finish a running delivery attempt before they stop', async () => {
    const worker = workers.at(-1);
    assert.ok(worker);
    let isAnswered = false;
    receiver.answer((_req, res) => {
      void end(worker, 'SIGTERM');
      void setTimeout(1000).then(() => {
        isAnswered = true;
        res.writeHead(204).end();
      });
    });
    await happen(1);
    while (worker.exitCode === null) await setTimeout(20);
    assert.ok(isAnswered);
    assert.deepEqual(await countStates(), { delivered: 111 });
  });
});
