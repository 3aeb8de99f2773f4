// Webhooks on a real PostgreSQL, to a real receiver that checks signatures with the specification's own library.
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { ensureAccount } from '../../src/accounts/accounts.js';
import { openDatabase, type Database } from '../../src/db/database.js';
import { migrate } from '../../src/db/migrate.js';
import { CheckError } from '../../src/errors.js';
import { openQueue, type Queue } from '../../src/queue/queue.js';
import {
  DELIVERY_JOBS,
  listDeliveries,
  recordEvent,
  redeliver,
  sendTest,
  type Delivery,
} from '../../src/webhooks/deliveries.js';
import {
  createEndpoint,
  deleteEndpoint,
  enableEndpoint,
  findEndpoint,
  rotateSecret,
  type NewEndpoint,
} from '../../src/webhooks/endpoints.js';
import type { EventType } from '../../src/webhooks/event-types.js';
import { pauseAfter } from '../../src/webhooks/pauses.js';
import { startDeliveries, type DeliveryDeps } from '../../src/webhooks/work.js';
import { sharedPostgres } from '../support/databases.js';
import { isSignedWith, openReceiver, type Receiver } from '../support/webhook-receiver.js';

const DAY_MS = 86_400_000;

describe('webhooks', function () {
  this.timeout(120_000);
  let url: string;
  let database: Database;
  let queue: Queue;
  let receiver: Receiver;
  let logged: string[] = [];
  let count = 0;
  const endings: (() => unknown)[] = [];

  before(async function () {
    const server = await sharedPostgres();
    if (server === null) return this.skip();
    url = server.createDatabase();
    receiver = await openReceiver();
    endings.push(() => receiver.close());
    ({ database, queue } = await open());
    await migrate(database);
    await queue.define(DELIVERY_JOBS);
  });
  after(async () => {
    for (const end of endings.reverse()) await end();
  });
  beforeEach(() => {
    logged = [];
    receiver.answer((_req, res) => res.writeHead(204).end());
  });

  /** Connections as another process would have. */
  const open = async () => {
    const opened = { database: await openDatabase({ kind: 'postgres', url }), queue: await openQueue(url, (error) => assert.fail(String(error))) }; // prettier-ignore
    endings.push(() => opened.database.close(), () => opened.queue.close()); // prettier-ignore
    return opened;
  };
  /** Delivers in this process until the test has ended. */
  const work = async <T>(test: () => Promise<T>, changes: Partial<DeliveryDeps> = {}): Promise<T> => {
    const log = pino({ level: 'info' }, { write: (line: string) => void logged.push(line) });
    const pauseMs = () => 50;
    const stop = await startDeliveries({
      database,
      queue,
      log,
      fetcher: receiver.world,
      pauseMs,
      ...changes,
    });
    try {
      return await test();
    } finally {
      await stop();
    }
  };
  /** An endpoint of an account of its own, at a path of its own. */
  const make = async (events?: readonly EventType[]): Promise<NewEndpoint & { readonly path: string }> => {
    const path = `/${(count += 1)}`;
    const { id } = await ensureAccount(database, `account ${count}`);
    const endpoint = await createEndpoint(database, { accountId: id, url: receiver.url + path, ...(events && { events }) }); // prettier-ignore
    return { ...endpoint, path };
  };
  const happen = (accountId: string, type: EventType = 'scan.finished', data: object = {}): Promise<void> =>
    database.transaction((queries) => recordEvent(queries, queue, accountId, { type, at: new Date(), data }));
  const logOf = async ({ id }: { id: string }): Promise<Delivery[]> =>
    (await listDeliveries(database, id)).deliveries;
  /** Waits for the newest delivery to end; gives it. */
  const whenEnded = async (endpoint: { id: string }): Promise<Delivery> => {
    for (;;) {
      const [latest] = await logOf(endpoint);
      if (latest && latest.state !== 'pending') return latest;
      await setTimeout(20);
    }
  };

  it('delivers an event, signed and dated, and logs it', async () => {
    const endpoint = await make();
    await work(async () => {
      await happen(endpoint.accountId, 'scan.finished', { id: 'scn_1' });
      const [arrival] = await receiver.waitFor(endpoint.path, 1);
      assert.ok(arrival && isSignedWith(arrival, endpoint.secret));
      assert.equal(isSignedWith({ ...arrival, body: `${arrival.body} ` }, endpoint.secret), false);
      assert.match(arrival.id, /^evt_[0-9A-Z]{26}$/);
      assert.equal(arrival.headers['content-type'], 'application/json');
      assert.deepEqual(Object.keys(arrival.event), ['type', 'timestamp', 'data']);
      assert.deepEqual([arrival.event.type, arrival.event.data], ['scan.finished', { id: 'scn_1' }]);
      assert.ok(Math.abs(Date.now() - Date.parse(arrival.event.timestamp)) < 60_000);
      const delivery = await whenEnded(endpoint);
      assert.deepEqual(
        [delivery.state, delivery.tries, delivery.lastStatus, delivery.lastError, delivery.eventId],
        ['delivered', 1, 204, null, arrival.id],
      );
      assert.equal(delivery.nextTryAt, null);
    });
  });

  it('tells each endpoint of the account what it wants, and no other account', async () => {
    const both = await make();
    const finished = await createEndpoint(database, { accountId: both.accountId, url: `${receiver.url}/finished`, events: ['scan.finished'] }); // prettier-ignore
    const stranger = await make();
    await work(async () => {
      await happen(both.accountId, 'scan.progress');
      await happen(both.accountId, 'scan.finished');
      const arrivals = await receiver.waitFor(both.path, 2);
      const [only] = await receiver.waitFor('/finished', 1);
      assert.deepEqual(arrivals.map(({ event }) => event.type).sort(), ['scan.finished', 'scan.progress']);
      assert.equal(only?.event.type, 'scan.finished');
      assert.ok(
        arrivals.some(({ id }) => id === only.id),
        'one event has one identifier everywhere',
      );
    });
    assert.equal((await logOf(finished)).length, 1);
    assert.deepEqual(await logOf(stranger), []);
  });

  it('tells nothing of what did not happen', async () => {
    const endpoint = await make();
    const undone = database.transaction(async (queries) => {
      await recordEvent(queries, queue, endpoint.accountId, {
        type: 'scan.finished',
        at: new Date(),
        data: {},
      });
      throw new CheckError('invalid_request', 'undone');
    });
    await assert.rejects(undone, /undone/);
    await work(async () => {
      await sendTest(database, queue, endpoint);
      await receiver.waitFor(endpoint.path, 1);
      await whenEnded(endpoint);
    });
    assert.deepEqual(
      (await logOf(endpoint)).map(({ type }) => type),
      ['webhook.test'],
    );
  });

  it('tries again after a 500, a redirect and a host that hangs, under one identifier', async () => {
    const endpoint = await make();
    const faults = [500, 302, null];
    receiver.answer((_req, res) => {
      const status = faults.shift();
      if (status !== null) res.writeHead(status ?? 200, { location: `${receiver.url}/elsewhere` }).end();
    });
    await work(
      async () => {
        await happen(endpoint.accountId);
        const arrivals = await receiver.waitFor(endpoint.path, 4);
        assert.equal(new Set(arrivals.map(({ id }) => id)).size, 1);
        assert.equal(new Set(arrivals.map(({ body }) => body)).size, 1);
        const delivery = await whenEnded(endpoint);
        assert.deepEqual([delivery.state, delivery.tries, delivery.lastError], ['delivered', 4, null]);
      },
      { fetcher: { ...receiver.world, timeoutMs: 500 } },
    );
    assert.equal(receiver.arrivals.filter(({ path }) => path === '/elsewhere').length, 0);
    assert.equal((await findEndpoint(database, endpoint.id)).failingSince, null);
  });

  it('says in the log what failed, and when it tries again', async () => {
    const endpoint = await make();
    receiver.answer((_req, res) => res.writeHead(302, { location: '/elsewhere' }).end());
    await work(
      async () => {
        await happen(endpoint.accountId);
        for (;;) {
          const [delivery] = await logOf(endpoint);
          if (delivery?.tries === 1) {
            assert.deepEqual([delivery.state, delivery.lastStatus], ['pending', 302]);
            assert.match(delivery.lastError ?? '', /status 302; redirects are not followed/);
            const pauseMs = delivery.nextTryAt!.getTime() - delivery.lastTriedAt!.getTime();
            assert.ok(pauseMs >= 3750 && pauseMs <= 6250, `${pauseMs} ms, drawn around 5 s`);
            break;
          }
          await setTimeout(20);
        }
      },
      { pauseMs: pauseAfter },
    );
  });

  it('never sends to an address that is not public', async () => {
    const endpoint = await make();
    await work(
      async () => {
        await happen(endpoint.accountId);
        for (;;) {
          const [delivery] = await logOf(endpoint);
          if (delivery && delivery.tries > 0) {
            assert.match(delivery.lastError ?? '', /not a public internet address/);
            break;
          }
          await setTimeout(20);
        }
      },
      { fetcher: { ...receiver.world, resolve: () => Promise.resolve(['127.0.0.1', '10.0.0.1']) } },
    );
    assert.equal(receiver.arrivals.filter(({ path }) => path === endpoint.path).length, 0);
    const { accountId } = endpoint;
    for (const [address, code] of [
      ['http://hooks.example.org/', 'invalid_url'],
      ['https://user:pw@hooks.example.org/', 'invalid_url'],
      ['hooks.example.org', 'invalid_url'],
      ['https://127.0.0.1/', 'url_not_public'],
      ['https://[::1]/', 'url_not_public'],
      ['https://2130706433/', 'url_not_public'],
      ['https://localhost/', 'url_not_public'],
      ['https://intranet/', 'url_not_public'],
    ] as const)
      await assert.rejects(createEndpoint(database, { accountId, url: address }), { code }, address);
  });

  it('gives up after 24 hours', async () => {
    const endpoint = await make();
    await work(async () => {
      receiver.answer((_req, res) => res.writeHead(500).end());
      await happen(endpoint.accountId);
      await receiver.waitFor(endpoint.path, 2);
      await database.run((queries) =>
        queries('webhook_deliveries').where({ endpoint_id: endpoint.id }).update({ give_up_at: Date.now() }),
      );
      const delivery = await whenEnded(endpoint);
      assert.deepEqual([delivery.state, delivery.lastStatus, delivery.nextTryAt], ['failed', 500, null]);
    });
    assert.equal((await findEndpoint(database, endpoint.id)).disabledAt, null, 'one event is not several');
  });

  it('disables an endpoint that answers 410, with what waits for it', async () => {
    const endpoint = await make();
    await happen(endpoint.accountId, 'scan.progress');
    await database.run((queries) =>
      queries('webhook_deliveries').where({ endpoint_id: endpoint.id }).update({ turn: 2 }),
    );
    receiver.answer((_req, res) => res.writeHead(410).end());
    await work(async () => {
      await happen(endpoint.accountId);
      await whenEnded(endpoint);
    });
    const [finished, waiting] = await logOf(endpoint);
    assert.deepEqual([finished?.state, finished?.lastStatus, finished?.tries], ['failed', 410, 1]);
    assert.deepEqual([waiting?.state, waiting?.lastError], ['failed', 'the webhook was disabled']);
    const disabled = await findEndpoint(database, endpoint.id);
    assert.ok(disabled.disabledAt);
    assert.match(disabled.disabledReason ?? '', /410/);
    assert.ok(logged.some((line) => line.includes('a webhook was disabled') && line.includes(endpoint.id)));
    await happen(endpoint.accountId);
    assert.equal((await logOf(endpoint)).length, 2, 'no more events are written down for it');
    await assert.rejects(sendTest(database, queue, disabled), /enable it first/);
    const enabled = await enableEndpoint(database, endpoint.id);
    assert.equal(enabled.disabledAt, null);
  });

  it('disables an endpoint at which nothing of several events arrived for 24 hours', async () => {
    const endpoint = await make();
    receiver.answer((_req, res) => res.writeHead(503).end());
    const failFor = (ms: number) =>
      database.run((queries) =>
        queries('webhook_endpoints')
          .where({ id: endpoint.id })
          .update({ failing_since: Date.now() - ms }),
      );
    await failFor(DAY_MS - 60_000);
    await work(async () => {
      for (let event = 0; event < 3; event += 1) await happen(endpoint.accountId);
      await receiver.waitFor(endpoint.path, 4);
      assert.equal((await findEndpoint(database, endpoint.id)).disabledAt, null, 'not for 24 hours yet');
      await failFor(DAY_MS);
      await whenEnded(endpoint);
    });
    const { disabledReason } = await findEndpoint(database, endpoint.id);
    assert.match(disabledReason ?? '', /24 hours/);
    assert.ok(logged.some((line) => line.includes('a webhook was disabled')));
    assert.deepEqual(new Set((await logOf(endpoint)).map(({ state }) => state)), new Set(['failed']));
  });

  it('lets the former secret sign along for 24 hours after a rotation', async () => {
    const endpoint = await make();
    const rotated = await rotateSecret(database, endpoint.id);
    assert.notEqual(rotated.secret, endpoint.secret);
    await work(async () => {
      await happen(endpoint.accountId);
      const [during] = await receiver.waitFor(endpoint.path, 1);
      assert.equal(during?.headers['webhook-signature']?.split(' ').length, 2);
      assert.deepEqual([endpoint.secret, rotated.secret].map((secret) => isSignedWith(during, secret)), [true, true]); // prettier-ignore
      await rotateSecret(database, endpoint.id, undefined, new Date(Date.now() - DAY_MS - 1));
      await happen(endpoint.accountId);
      const [, after] = await receiver.waitFor(endpoint.path, 2);
      assert.equal(after?.headers['webhook-signature']?.split(' ').length, 1);
      assert.equal(isSignedWith(after, rotated.secret), false);
    });
  });

  it('sends an event again by hand, under its identifier, and no more after it was deleted', async () => {
    const endpoint = await make();
    await work(async () => {
      await happen(endpoint.accountId);
      const { id } = await whenEnded(endpoint);
      const again = await redeliver(database, queue, endpoint, id);
      assert.equal(again.state, 'pending');
      const [first, second] = await receiver.waitFor(endpoint.path, 2);
      assert.deepEqual([second?.id, second?.body], [first?.id, first?.body]);
      assert.equal((await whenEnded(endpoint)).tries, 2);
      const stranger = await make();
      await assert.rejects(redeliver(database, queue, stranger, id), /no such delivery/);
      await assert.rejects(deleteEndpoint(database, endpoint.id, stranger.accountId), /no such webhook/);
    });
    await happen(endpoint.accountId);
    await deleteEndpoint(database, endpoint.id);
    const other = await make();
    await work(async () => {
      await happen(other.accountId);
      await whenEnded(other);
      while ((await queue.countWaiting(DELIVERY_JOBS)) > 1) await setTimeout(20);
    });
    assert.equal(receiver.arrivals.filter(({ path }) => path === endpoint.path).length, 2);
  });

  it('has at most five for an account, however they are made', async () => {
    const { accountId } = await make();
    const url = `${receiver.url}/many`;
    const made = await Promise.allSettled(Array.from({ length: 8 }, () => createEndpoint(database, { accountId, url }))); // prettier-ignore
    const refusals = made.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
    assert.equal(refusals.length, 4);
    for (const refusal of refusals) assert.match(refusal, /at most 5 webhooks/);
  });
});
