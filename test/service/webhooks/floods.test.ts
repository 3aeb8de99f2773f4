// Tests webhooks of one account that never respond, on a real PostgreSQL, and their effect on other accounts.
import assert from 'node:assert/strict';
import type { ServerResponse } from 'node:http';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { createEndpoint } from '../../../src/service/webhooks/endpoints.js';
import { redeliver, sendTest } from '../../../src/service/webhooks/deliveries.js';
import type { NewWebhook } from '../../../src/service/console/shapes.js';
import type { PresentedDelivery } from '../../../src/service/webhooks/deliveries.js';
import { signIn } from '../../support/console.js';
import { sharedPostgres } from '../../support/databases.js';
import { makeFolder } from '../../support/folders.js';
import { openBench } from '../../support/service.js';
import { WebhookBench } from '../../support/webhooks.js';

describe('webhooks whose host never responds', function () {
  this.timeout(60_000);
  let bench: WebhookBench;

  before(async function () {
    const server = await sharedPostgres();
    if (server === null) return this.skip();
    bench = await WebhookBench.open(server);
  });
  after(() => bench.close());
  beforeEach(() => bench.reset());

  it('take at most two delivery attempts at once and do not delay events of other accounts', async () => {
    const hanging = await bench.make();
    const second = await createEndpoint(bench.database, { accountId: hanging.accountId, url: `${bench.receiver.url}/second` }); // prettier-ignore
    const good = await bench.make();
    const held: ServerResponse[] = [];
    bench.receiver.answer((req, res) => {
      if (req.url === good.path) res.writeHead(204).end();
      else held.push(res);
    });
    for (let count = 0; count < 10; count += 1)
      for (const endpoint of [hanging, second]) await sendTest(bench.database, bench.queue, endpoint);
    // The time limit is much longer than the test takes, so that only the test ends the attempts.
    const fetcher = { ...bench.receiver.world, timeoutMs: 30_000 };
    await bench.work(
      async () => {
        await bench.emitEvent(good.accountId);
        await bench.receiver.waitFor(good.path, 1);
        await bench.whenEnded(good);
        // The event may overtake an attempt that has begun but not arrived.
        while (held.length < 2) await setTimeout(20);
        assert.equal(held.length, 2);
        // Once the webhooks respond, skipped deliveries arrive too, and nothing arrives twice.
        bench.receiver.answer((_req, res) => res.writeHead(204).end());
        for (const res of held) res.writeHead(204).end();
        const arrivals = [
          ...(await bench.receiver.waitFor(hanging.path, 10)),
          ...(await bench.receiver.waitFor('/second', 10)),
        ];
        assert.equal(new Set(arrivals.map(({ id }) => id)).size, 20);
      },
      { fetcher },
    );
  });

  it('have at most 100 waiting deliveries', async () => {
    const endpoint = await bench.make();
    const first = await sendTest(bench.database, bench.queue, endpoint);
    await bench.database.run((queries) =>
      queries('webhook_deliveries').where({ id: first.id }).update({ state: 'failed', ended_at: Date.now() }),
    );
    for (let count = 0; count < 100; count += 1) await sendTest(bench.database, bench.queue, endpoint);
    const tooMany = /100 deliveries of this webhook wait/;
    await assert.rejects(sendTest(bench.database, bench.queue, endpoint), tooMany);
    await assert.rejects(redeliver(bench.database, bench.queue, endpoint, first.id), tooMany);
    // The log contains the event, so that it can be sent again by hand.
    await bench.emitEvent(endpoint.accountId);
    const [latest] = await bench.logOf(endpoint);
    assert.deepEqual([latest?.type, latest?.state, latest?.nextTryAt], ['scan.finished', 'failed', null]);
    assert.match(latest?.lastError ?? '', tooMany);
  });
});

describe('test events sent repeatedly from the console', function () {
  this.timeout(60_000);

  it('count as requests against the rate limit of the plan', async function () {
    const server = await sharedPostgres();
    if (server === null) return this.skip();
    const folder = makeFolder('floods');
    const plansFile = join(folder, 'plans.json');
    const slow = { checks_per_month: null, requests_per_second: 0.001, burst: 2, batch: false };
    writeFileSync(plansFile, JSON.stringify({ slow }));
    const bench = await openBench({ kind: 'postgres', url: server.createDatabase() }, { plansFile });
    try {
      const client = await signIn(bench, {
        account: 'acme',
        plan: 'slow',
        email: 'ann@acme.example',
        role: 'owner',
      });
      const wanted = { url: 'https://hooks.example.org/', events: ['scan.finished'] };
      const path = `/webhooks/${(await client.call<NewWebhook>('POST', '/webhooks', wanted)).body.id}`;
      const { body } = await client.call<PresentedDelivery>('POST', `${path}/test`);
      const again = `${path}/deliveries/${body.id}/redeliver`;
      assert.equal((await client.call('POST', again)).status, 202);
      for (const address of [again, `${path}/test`]) {
        const refused = await client.call('POST', address);
        assert.deepEqual([refused.status, refused.body.error.code], [429, 'rate_limited']);
        assert.ok(refused.headers.get('retry-after'));
      }
    } finally {
      await bench.close();
    }
  });
});
