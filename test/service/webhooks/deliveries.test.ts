// Tests webhook deliveries on a real PostgreSQL, to a real receiver that verifies signatures with the
// official library.
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { CheckError } from '../../../src/library/base/errors.js';
import { DELIVERY_JOBS, recordEvent, redeliver, sendTest } from '../../../src/service/webhooks/deliveries.js';
import { createEndpoint, deleteEndpoint, findEndpoint } from '../../../src/service/webhooks/endpoints.js';
import { retryDelay } from '../../../src/service/webhooks/deliver.js';
import { sharedPostgres } from '../../support/databases.js';
import { countWaiting } from '../../support/leases.js';
import { isSignedWith } from '../../support/webhook-receiver.js';
import { WebhookBench } from '../../support/webhooks.js';

describe('deliveries of webhook events', function () {
  this.timeout(120_000);
  let bench: WebhookBench;

  before(async function () {
    const server = await sharedPostgres();
    if (server === null) return this.skip();
    bench = await WebhookBench.open(server);
  });
  after(() => bench.close());
  beforeEach(() => bench.reset());

  it('send a signed, dated event and store a log entry', async () => {
    const endpoint = await bench.make();
    await bench.work(async () => {
      await bench.emitEvent(endpoint.accountId, 'scan.finished', { id: 'scn_1' });
      const [arrival] = await bench.receiver.waitFor(endpoint.path, 1);
      assert.ok(arrival && isSignedWith(arrival, endpoint.secret));
      assert.equal(isSignedWith({ ...arrival, body: `${arrival.body} ` }, endpoint.secret), false);
      assert.match(arrival.id, /^evt_[0-9A-Z]{26}$/);
      assert.equal(arrival.headers['content-type'], 'application/json');
      assert.deepEqual(Object.keys(arrival.event), ['type', 'timestamp', 'data']);
      assert.deepEqual([arrival.event.type, arrival.event.data], ['scan.finished', { id: 'scn_1' }]);
      assert.ok(Math.abs(Date.now() - Date.parse(arrival.event.timestamp)) < 60_000);
      const delivery = await bench.whenEnded(endpoint);
      assert.deepEqual(
        [delivery.state, delivery.tries, delivery.lastStatus, delivery.lastError, delivery.eventId],
        ['delivered', 1, 204, null, arrival.id],
      );
      assert.equal(delivery.nextTryAt, null);
    });
  });

  it('send each webhook address of the account its subscribed events, and nothing of other accounts', async () => {
    const both = await bench.make();
    const finished = await createEndpoint(bench.database, { accountId: both.accountId, url: `${bench.receiver.url}/finished`, events: ['scan.finished'] }); // prettier-ignore
    const stranger = await bench.make();
    await bench.work(async () => {
      await bench.emitEvent(both.accountId, 'scan.progress');
      await bench.emitEvent(both.accountId, 'scan.finished');
      const arrivals = await bench.receiver.waitFor(both.path, 2);
      const [only] = await bench.receiver.waitFor('/finished', 1);
      assert.deepEqual(arrivals.map(({ event }) => event.type).sort(), ['scan.finished', 'scan.progress']);
      assert.equal(only?.event.type, 'scan.finished');
      assert.ok(
        arrivals.some(({ id }) => id === only.id),
        'one event has one identifier everywhere',
      );
    });
    assert.equal((await bench.logOf(finished)).length, 1);
    assert.deepEqual(await bench.logOf(stranger), []);
  });

  it('send nothing if the transaction that recorded the event was rolled back', async () => {
    const endpoint = await bench.make();
    const undone = bench.database.transaction(async (queries) => {
      await recordEvent(queries, bench.queue, endpoint.accountId, {
        type: 'scan.finished',
        at: new Date(),
        data: {},
      });
      throw new CheckError('invalid_request', 'undone');
    });
    await assert.rejects(undone, /undone/);
    await bench.work(async () => {
      await sendTest(bench.database, bench.queue, endpoint);
      await bench.receiver.waitFor(endpoint.path, 1);
      await bench.whenEnded(endpoint);
    });
    assert.deepEqual(
      (await bench.logOf(endpoint)).map(({ type }) => type),
      ['webhook.test'],
    );
  });

  it('retry after a 500, a redirect or a timeout, with the same event identifier', async () => {
    const endpoint = await bench.make();
    const faults = [500, 302, null];
    bench.receiver.answer((_req, res) => {
      const status = faults.shift();
      if (status !== null)
        res.writeHead(status ?? 200, { location: `${bench.receiver.url}/elsewhere` }).end();
    });
    await bench.work(
      async () => {
        await bench.emitEvent(endpoint.accountId);
        const arrivals = await bench.receiver.waitFor(endpoint.path, 4);
        assert.equal(new Set(arrivals.map(({ id }) => id)).size, 1);
        assert.equal(new Set(arrivals.map(({ body }) => body)).size, 1);
        const delivery = await bench.whenEnded(endpoint);
        assert.deepEqual([delivery.state, delivery.tries, delivery.lastError], ['delivered', 4, null]);
      },
      // Only the attempt without a response may reach the time limit, even on a slow machine.
      { fetcher: { ...bench.receiver.world, timeoutMs: 5000 } },
    );
    assert.equal(bench.receiver.arrivals.filter(({ path }) => path === '/elsewhere').length, 0);
    assert.equal((await findEndpoint(bench.database, endpoint.id)).failingSince, null);
  });

  it('log why a delivery failed and when the next attempt is due', async () => {
    const endpoint = await bench.make();
    bench.receiver.answer((_req, res) => res.writeHead(302, { location: '/elsewhere' }).end());
    await bench.work(
      async () => {
        await bench.emitEvent(endpoint.accountId);
        for (;;) {
          const [delivery] = await bench.logOf(endpoint);
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
      { pauseMs: retryDelay },
    );
  });

  it('never go to a non-public address', async () => {
    const endpoint = await bench.make();
    await bench.work(
      async () => {
        await bench.emitEvent(endpoint.accountId);
        for (;;) {
          const [delivery] = await bench.logOf(endpoint);
          if (delivery && delivery.tries > 0) {
            assert.match(delivery.lastError ?? '', /not a public internet address/);
            break;
          }
          await setTimeout(20);
        }
      },
      { fetcher: { ...bench.receiver.world, resolve: () => Promise.resolve(['127.0.0.1', '10.0.0.1']) } },
    );
    assert.equal(bench.receiver.arrivals.filter(({ path }) => path === endpoint.path).length, 0);
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
      await assert.rejects(createEndpoint(bench.database, { accountId, url: address }), { code }, address);
  });

  it('stop after 24 hours', async () => {
    const endpoint = await bench.make();
    await bench.work(async () => {
      bench.receiver.answer((_req, res) => res.writeHead(500).end());
      await bench.emitEvent(endpoint.accountId);
      await bench.receiver.waitFor(endpoint.path, 2);
      await bench.database.run((queries) =>
        queries('webhook_deliveries').where({ endpoint_id: endpoint.id }).update({ give_up_at: Date.now() }),
      );
      const delivery = await bench.whenEnded(endpoint);
      assert.deepEqual([delivery.state, delivery.lastStatus, delivery.nextTryAt], ['failed', 500, null]);
    });
    assert.equal(
      (await findEndpoint(bench.database, endpoint.id)).disabledAt,
      null,
      'one event is not several',
    );
  });

  it('include an attempt that runs during a manual repetition, and take their result from the newer attempt', async () => {
    const endpoint = await bench.make();
    const held = new Promise<() => void>((resolve) => {
      let isHeld = false;
      // Accepts all other requests, because deliveries of earlier tests may still be retried.
      bench.receiver.answer(({ url }, res) => {
        if (isHeld || url !== endpoint.path) return res.writeHead(204).end();
        isHeld = true;
        resolve(() => res.writeHead(500).end());
      });
    });
    await bench.work(async () => {
      const { id } = await sendTest(bench.database, bench.queue, endpoint);
      const answerFirst = await held;
      await redeliver(bench.database, bench.queue, endpoint, id);
      const ended = await bench.whenEnded(endpoint);
      assert.deepEqual([ended.state, ended.tries, ended.lastStatus], ['delivered', 1, 204]);
      answerFirst();
      while ((await bench.logOf(endpoint))[0]?.tries === 1) await setTimeout(20);
      const [counted] = await bench.logOf(endpoint);
      assert.deepEqual([counted?.state, counted?.tries, counted?.lastStatus], ['delivered', 2, 204]);
    });
  });

  it('can be repeated by hand with the same identifier, until the webhook is deleted', async () => {
    const endpoint = await bench.make();
    await bench.work(async () => {
      await bench.emitEvent(endpoint.accountId);
      const { id } = await bench.whenEnded(endpoint);
      const again = await redeliver(bench.database, bench.queue, endpoint, id);
      assert.equal(again.state, 'pending');
      const [first, second] = await bench.receiver.waitFor(endpoint.path, 2);
      assert.deepEqual([second?.id, second?.body], [first?.id, first?.body]);
      assert.equal((await bench.whenEnded(endpoint)).tries, 2);
      const stranger = await bench.make();
      await assert.rejects(redeliver(bench.database, bench.queue, stranger, id), /no such delivery/);
      await assert.rejects(
        deleteEndpoint(bench.database, endpoint.id, stranger.accountId),
        /no such webhook/,
      );
    });
    await bench.emitEvent(endpoint.accountId);
    await deleteEndpoint(bench.database, endpoint.id);
    const other = await bench.make();
    await bench.work(async () => {
      await bench.emitEvent(other.accountId);
      await bench.whenEnded(other);
      while ((await countWaiting(bench.database, DELIVERY_JOBS)) > 1) await setTimeout(20);
    });
    assert.equal(bench.receiver.arrivals.filter(({ path }) => path === endpoint.path).length, 2);
  });
});
