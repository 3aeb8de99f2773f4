// API keys, accounts and the plans file.
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createAccount, ensureAccount, listAccounts } from '../../src/accounts/accounts.js';
import { createKey, findKey, isUsable, listKeys, readKeyId, revokeKey } from '../../src/accounts/keys.js';
import { loadPlans } from '../../src/accounts/plans.js';
import { describeOnEachDatabase } from '../support/databases.js';

describeOnEachDatabase('keys', (bench) => {
  it('has the published form, and the tables hold no part of its secret', async () => {
    const database = await bench.open();
    const { key, id } = await createKey(database, { account: 'Ähre & Söhne', plan: 'growth', name: 'web' });
    assert.match(key, /^tt_live_[0-9a-z]{8}_[0-9a-z]{32}$/);
    assert.equal(readKeyId(key), id);
    const rows = JSON.stringify(await database.run((queries) => queries('api_keys').select()));
    assert.ok(rows.includes(id) && !rows.includes(key.slice(-32)));
  });

  it('is usable until revoked or expired, and only with its own secret', async () => {
    const database = await bench.open();
    const created = await createKey(database, { account: 'a', plan: 'free', scopes: ['usage'] });
    const stored = (await findKey(database, created.id))!;
    const now = new Date();
    assert.deepEqual(stored.scopes, ['usage']);
    assert.equal(isUsable(created.key, stored, now), true);
    assert.equal(
      isUsable(
        created.key.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x')),
        stored,
        now,
      ),
      false,
    );
    assert.equal(isUsable(created.key, null, now), false);
    await revokeKey(database, created.id);
    assert.equal(isUsable(created.key, await findKey(database, created.id), now), false);
    const brief = await createKey(database, {
      account: 'a',
      plan: 'free',
      expiresAt: new Date(now.getTime() + 1000),
    });
    const found = await findKey(database, brief.id);
    assert.equal(isUsable(brief.key, found, now), true);
    assert.equal(isUsable(brief.key, found, new Date(now.getTime() + 1000)), false);
  });

  it('lists keys by account; revoking an unknown one is refused', async () => {
    const database = await bench.open();
    const { id } = await createKey(database, { account: 'lister', plan: 'free' });
    assert.deepEqual(
      (await listKeys(database, 'lister')).map((key) => key.id),
      [id],
    );
    assert.ok((await listKeys(database)).length > 1);
    await assert.rejects(revokeKey(database, 'nokeyatall'), /no key/);
  });

  it('twenty at once for a new account make one account', async () => {
    const databases = [await bench.open(), await bench.open()];
    const accounts = await Promise.all(
      Array.from({ length: 20 }, (_, index) => ensureAccount(databases[index % 2]!, 'rush')),
    );
    assert.equal(new Set(accounts.map(({ id }) => id)).size, 1);
    assert.equal((await listAccounts(databases[0]!)).filter(({ name }) => name === 'rush').length, 1);
    await assert.rejects(createAccount(databases[0]!, 'rush'), /already/);
    await assert.rejects(createAccount(databases[0]!, ' '), /printable/);
  });
});

describe('loadPlans', () => {
  it('reads the plans of the decisions', () => {
    const plans = loadPlans();
    assert.deepEqual([...plans.keys()], ['free', 'starter', 'growth', 'scale']);
    const limits = { checksPerMonth: 50_000, requestsPerSecond: 20, burst: 60, batch: true };
    const growth = { name: 'growth', ...limits, scanItems: 50_000, scansAtOnce: 2 };
    assert.deepEqual(plans.get('growth'), growth);
    assert.equal(plans.get('scale')?.checksPerMonth, null);
    assert.equal(plans.get('free')?.batch, false);
  });

  it('names the fault of a file that is no plans file', () => {
    const folder = mkdtempSync(join(tmpdir(), 'telltale-plans-'));
    const path = join(folder, 'plans.json');
    const faults: readonly [string, RegExp][] = [
      ['{', /can't be read as JSON/],
      ['{}', /the whole/],
      [
        '{"free":{"checks_per_month":-1,"requests_per_second":1,"burst":5,"batch":false}}',
        /a whole number from 0, or null, for 'free\.checks_per_month' but received -1/,
      ],
      [
        '{"free":{"checks_per_month":1,"requests_per_second":1,"brust":5,"burst":5,"batch":false}}',
        /'free\.brust' is not known here; did you mean 'burst'\?/,
      ],
      [
        '{"free":{"checks_per_month":1,"requests_per_second":0,"burst":5,"batch":false}}',
        /requests_per_second/,
      ],
      ['{"Free!":{"checks_per_month":1,"requests_per_second":1,"burst":5,"batch":false}}', /Free/],
    ];
    for (const [content, expected] of faults) {
      writeFileSync(path, content);
      assert.throws(() => loadPlans(path), expected);
    }
    rmSync(folder, { recursive: true });
  });
});
