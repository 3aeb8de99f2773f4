// Tests webhooks on a real PostgreSQL: disabling, replacing the secret, and their maximum number.
import assert from 'node:assert/strict';
import { sendTest } from '../../../src/service/webhooks/deliveries.js';
import {
  activeSecrets,
  createEndpoint,
  enableEndpoint,
  findEndpoint,
  rotateSecret,
  type EndpointRow,
} from '../../../src/service/webhooks/endpoints.js';
import { sharedPostgres } from '../../support/databases.js';
import { isSignedWith } from '../../support/webhook-receiver.js';
import { WebhookBench } from '../../support/webhooks.js';

const DAY_MS = 86_400_000;

describe('webhooks of an account', function () {
  this.timeout(120_000);
  let bench: WebhookBench;

  before(async function () {
    const server = await sharedPostgres();
    if (server === null) return this.skip();
    bench = await WebhookBench.open(server);
  });
  after(() => bench.close());
  beforeEach(() => bench.reset());

  it('are disabled after a 410 response, together with their waiting deliveries', async () => {
    const endpoint = await bench.make();
    await bench.emitEvent(endpoint.accountId, 'scan.progress');
    await bench.database.run((queries) =>
      queries('webhook_deliveries').where({ endpoint_id: endpoint.id }).update({ turn: 2 }),
    );
    bench.receiver.answer((_req, res) => res.writeHead(410).end());
    await bench.work(async () => {
      await bench.emitEvent(endpoint.accountId);
      await bench.whenEnded(endpoint);
    });
    const [finished, waiting] = await bench.logOf(endpoint);
    assert.deepEqual([finished?.state, finished?.lastStatus, finished?.tries], ['failed', 410, 1]);
    assert.deepEqual([waiting?.state, waiting?.lastError], ['failed', 'the webhook was disabled']);
    const disabled = await findEndpoint(bench.database, endpoint.id);
    assert.ok(disabled.disabledAt);
    assert.match(disabled.disabledReason ?? '', /410/);
    assert.ok(
      bench.logged.some((line) => line.includes('a webhook was disabled') && line.includes(endpoint.id)),
    );
    await bench.emitEvent(endpoint.accountId);
    assert.equal((await bench.logOf(endpoint)).length, 2, 'no more events are written down for it');
    await assert.rejects(sendTest(bench.database, bench.queue, disabled), /Enable it first/);
    const enabled = await enableEndpoint(bench.database, endpoint.id);
    assert.equal(enabled.disabledAt, null);
  });

  it('receive no event that was recorded while they were being disabled', async () => {
    const endpoint = await bench.make();
    await bench.emitEvent(endpoint.accountId);
    await bench.database.run((queries) =>
      queries('webhook_endpoints')
        .where({ id: endpoint.id })
        .update({ disabled_at: Date.now(), disabled_reason: 'the address responded with status 410' }),
    );
    const delivery = await bench.work(() => bench.whenEnded(endpoint));
    assert.deepEqual([delivery.state, delivery.tries], ['failed', 0]);
    assert.equal(delivery.lastError, 'the webhook was disabled');
    assert.ok(!bench.receiver.arrivals.some(({ path }) => path === endpoint.path));
  });

  it('are disabled if several events failed and none succeeded for 24 hours', async () => {
    const endpoint = await bench.make();
    bench.receiver.answer((_req, res) => res.writeHead(503).end());
    const failFor = (ms: number) =>
      bench.database.run((queries) =>
        queries('webhook_endpoints')
          .where({ id: endpoint.id })
          .update({ failing_since: Date.now() - ms }),
      );
    await failFor(DAY_MS - 60_000);
    await bench.work(async () => {
      for (let event = 0; event < 3; event += 1) await bench.emitEvent(endpoint.accountId);
      await bench.receiver.waitFor(endpoint.path, 4);
      assert.equal(
        (await findEndpoint(bench.database, endpoint.id)).disabledAt,
        null,
        'not for 24 hours yet',
      );
      await failFor(DAY_MS);
      await bench.whenEnded(endpoint);
    });
    const { disabledReason } = await findEndpoint(bench.database, endpoint.id);
    assert.match(disabledReason ?? '', /24 hours/);
    assert.ok(bench.logged.some((line) => line.includes('a webhook was disabled')));
    assert.deepEqual(new Set((await bench.logOf(endpoint)).map(({ state }) => state)), new Set(['failed']));
  });

  it('get signatures with the old and the new secret for 24 hours after the secret was replaced', async () => {
    const endpoint = await bench.make();
    const rotated = await rotateSecret(bench.database, endpoint.id);
    assert.notEqual(rotated.secret, endpoint.secret);
    await bench.work(async () => {
      await bench.emitEvent(endpoint.accountId);
      const [during] = await bench.receiver.waitFor(endpoint.path, 1);
      assert.equal(during?.headers['webhook-signature']?.split(' ').length, 2);
      assert.deepEqual([endpoint.secret, rotated.secret].map((secret) => isSignedWith(during, secret)), [true, true]); // prettier-ignore
      await bench.database.run((queries) =>
        queries('webhook_endpoints').where({ id: endpoint.id }).update({ former_secret_until: Date.now() }),
      );
      await bench.emitEvent(endpoint.accountId);
      const [, after] = await bench.receiver.waitFor(endpoint.path, 2);
      assert.equal(after?.headers['webhook-signature']?.split(' ').length, 1);
      assert.equal(isSignedWith(after, rotated.secret), true);
    });
  });

  it('sign with every secret that was replaced within 24 hours, newest first', async () => {
    const endpoint = await bench.make();
    const start = Date.now();
    const secrets = [endpoint.secret];
    const rotateAfter = async (ms: number): Promise<void> => {
      const { secret } = await rotateSecret(bench.database, endpoint.id, undefined, new Date(start + ms));
      secrets.unshift(secret);
    };
    const secretsAfter = async (ms: number): Promise<string[]> => {
      const row = await bench.database.run((queries) =>
        queries<EndpointRow>('webhook_endpoints').where({ id: endpoint.id }).first(),
      );
      return activeSecrets(row!, new Date(start + ms));
    };
    await rotateAfter(0);
    await rotateAfter(1000);
    assert.deepEqual(await secretsAfter(DAY_MS), secrets);
    assert.deepEqual(await secretsAfter(DAY_MS + 1000), secrets.slice(0, 1));
    await rotateAfter(DAY_MS + 1000);
    assert.deepEqual(await secretsAfter(DAY_MS + 2000), secrets.slice(0, 2));
    for (let times = 0; times < 6; times += 1) await rotateAfter(DAY_MS + 2000);
    assert.deepEqual(await secretsAfter(DAY_MS + 3000), secrets.slice(0, 5));
  });

  it('are limited to five per account, even with concurrent requests', async () => {
    const { accountId } = await bench.make();
    const url = `${bench.receiver.url}/many`;
    const made = await Promise.allSettled(Array.from({ length: 8 }, () => createEndpoint(bench.database, { accountId, url }))); // prettier-ignore
    const refusals = made.flatMap((one) => (one.status === 'rejected' ? [String(one.reason)] : []));
    assert.equal(refusals.length, 4);
    for (const refusal of refusals) assert.match(refusal, /maximum of 5 webhooks/);
  });
});
