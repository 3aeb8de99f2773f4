// Tests the warnings about a nearly used quota and about keys that expire soon, as webhook events and on the
// console pages.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createKey, findKey } from '../../../src/accounts/keys.js';
import { readKeyId } from '../../../src/accounts/key-text.js';
import { ASSESSMENTS } from '../../../src/library/check/types.js';
import { loadPlans, presentLimits } from '../../../src/accounts/plans.js';
import type { Notices, Usage } from '../../../src/service/console/shapes.js';
import { createEndpoint } from '../../../src/service/webhooks/endpoints.js';
import { notifyExpiringKeys } from '../../../src/service/webhooks/work.js';
import { findAccountById } from '../../../src/accounts/accounts.js';
import { signIn } from '../../support/console.js';
import { sharedPostgres } from '../../support/databases.js';
import { makeFolder } from '../../support/folders.js';
import { SCENE_JPEG } from '../../support/images.js';
import { describeServiceOnEachDatabase, postForm } from '../../support/service.js';
import { WebhookBench } from '../../support/webhooks.js';

const DAY_MS = 86_400_000;
const QUOTA = 5;

/** Writes the packaged plans plus one with a small quota, and returns the path. */
function writePlans(): string {
  const path = join(makeFolder('plans'), 'plans.json');
  const plans = [...loadPlans()].map(([name, plan]) => [name, presentLimits(plan)] as const);
  const scale = Object.fromEntries(plans).scale!;
  const small = { ...scale, checks_per_month: QUOTA };
  writeFileSync(path, JSON.stringify({ ...Object.fromEntries(plans), small }));
  return path;
}

describeServiceOnEachDatabase(
  'quota warnings of an account',
  (bench) => {
    it('are sent once each as webhook events, however many checks run concurrently', async () => {
      const { database, url } = bench();
      const key = await bench().newKey({ plan: 'small' });
      const { accountId } = (await findKey(database, readKeyId(key)!))!;
      const { name } = (await findAccountById(database, accountId))!;
      const owner = await signIn(bench(), { account: name, email: `o@${accountId}.example`, role: 'owner' });
      const member = await signIn(bench(), {
        account: name,
        email: `m@${accountId}.example`,
        role: 'member',
      });
      const notices = async (by = owner) => (await by.call<Notices>('GET', '/notices')).body;
      const hasEvents = database.dialect === 'postgres';
      if (hasEvents) await createEndpoint(database, { accountId, url: 'https://hooks.example/' });
      const check = () => postForm(`${url}/v1/check`, key, 'file', [SCENE_JPEG]);
      await Promise.all([check(), check(), check()]);
      assert.deepEqual(await notices(), {
        quota: null,
        keys: [],
        appeals: { received_at: null, decided_at: null },
        appeals_to_decide: 0,
      });
      const last = await Promise.all([check(), check(), check(), check()]);
      assert.deepEqual(last.map(({ status }) => status).sort(), [200, 200, 429, 429]);
      const { quota } = await notices(member);
      assert.deepEqual([quota?.gone, quota?.quota], [QUOTA, QUOTA]);
      const bodies = await database.run<{ body: string }[]>((queries) =>
        queries('webhook_deliveries').where({ type: 'quota.reached' }).orderBy('id').select('body'),
      );
      const events = bodies.map(({ body }) => (JSON.parse(body) as { data: Record<string, unknown> }).data);
      assert.deepEqual(
        events.map(({ plan, percent, checks }) => [plan, percent, checks]),
        hasEvents
          ? [
              ['small', 80, { used: 4, reserved: 0, quota: QUOTA }],
              ['small', 100, { used: 5, reserved: 0, quota: QUOTA }],
            ]
          : [],
      );
      const soon = new Date(Date.now() + 3 * DAY_MS);
      const { id } = await createKey(database, { account: name, name: 'brief', expiresAt: soon });
      assert.deepEqual((await notices()).keys, [{ id, name: 'brief', expires_at: soon.toISOString() }]);
      assert.deepEqual((await notices(member)).keys, [], 'keys are the owners’');
      const usage = (await owner.call<Usage>('GET', '/usage')).body;
      // All checks of the account are from this test, but midnight may lie between them.
      const counts = usage.verdicts.flatMap((day) => ASSESSMENTS.map((name) => day[name]));
      assert.equal(
        counts.reduce((sum, count) => sum + count, 0),
        QUOTA,
      );
      assert.ok(usage.verdicts.some(({ median_score: score }) => (score ?? -1) >= 0));
    });
  },
  { plansFile: writePlans() },
);

describe('the warning about an API key that expires soon', function () {
  this.timeout(120_000);
  let bench: WebhookBench;

  before(async function () {
    const server = await sharedPostgres();
    if (server === null) return this.skip();
    bench = await WebhookBench.open(server);
  });
  after(() => bench.close());

  it('is sent once, signed, to the subscribed webhooks', async () => {
    const endpoint = await bench.make(['key.expiring']);
    const deaf = await bench.make(['scan.finished']);
    const { database, queue } = bench;
    const { name: account } = (await findAccountById(database, endpoint.accountId))!;
    const expiresAt = new Date(Date.now() + 10 * DAY_MS);
    const { id } = await createKey(database, { account, plan: 'free', name: 'web', expiresAt });
    await bench.work(async () => {
      const later = new Date(Date.now() + 4 * DAY_MS);
      await Promise.all([
        notifyExpiringKeys(database, queue, later),
        notifyExpiringKeys(database, queue, later),
      ]);
      assert.equal((await bench.whenEnded(endpoint)).state, 'delivered');
    });
    const arrived = bench.receiver.arrivals.filter(({ path }) => path === endpoint.path);
    assert.equal(arrived.length, 1);
    const { type, data } = JSON.parse(arrived[0]!.body) as { type: string; data: object };
    const key = { id, name: 'web', expires_at: expiresAt.toISOString() };
    assert.deepEqual([type, data], ['key.expiring', { key, days: 7 }]);
    assert.deepEqual(await bench.logOf(deaf), []);
  });
});
