// Tests how waiting webhooks affect the number of workers: a retry can be due long after its scan has ended.
import assert from 'node:assert/strict';
import type { DeliveryRow } from '../../../src/service/webhooks/deliveries.js';
import { sharedPostgres } from '../../support/databases.js';
import { countWaiting } from '../../support/scaler.js';
import { WebhookBench } from '../../support/webhooks.js';

describe('the number of waiting webhook deliveries, by which workers are scaled', function () {
  this.timeout(120_000);
  let bench: WebhookBench;

  before(async function () {
    const server = await sharedPostgres();
    if (server === null) return this.skip();
    bench = await WebhookBench.open(server);
  });
  after(() => bench.close());

  it('includes due deliveries, and excludes finished deliveries and those due far in the future', async () => {
    const endpoint = await bench.make();
    assert.equal(await countWaiting(bench.database), 0);
    await bench.emitEvent(endpoint.accountId);
    assert.equal(await countWaiting(bench.database), 1);

    bench.receiver.answer((_req, res) => res.writeHead(500).end());
    const hour = { pauseMs: () => 3_600_000 };
    await bench.work(() => bench.receiver.waitFor(endpoint.path, 1), hour);
    assert.equal((await bench.logOf(endpoint))[0]?.state, 'pending');
    assert.equal(await countWaiting(bench.database), 0);

    const change = (changes: Partial<DeliveryRow>) =>
      bench.database.run((queries) => queries<DeliveryRow>('webhook_deliveries').update(changes));
    await change({ next_try_at: Date.now() - 1000 });
    assert.equal(await countWaiting(bench.database), 1);
    await change({ state: 'delivered', next_try_at: null, ended_at: Date.now() });
    assert.equal(await countWaiting(bench.database), 0);
  });
});
