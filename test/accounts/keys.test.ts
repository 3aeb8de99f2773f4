// Tests API keys, the plans of accounts, and the plans file.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import {
  createAccount,
  ensureAccount,
  findAccount,
  findAccountById,
  listAccounts,
  setPlan,
} from '../../src/accounts/accounts.js';
import {
  countKeys,
  createKey,
  findKey,
  listKeys,
  recordKeyUse,
  pageKeys,
  revokeKey,
} from '../../src/accounts/keys.js';
import { isUsable, readKeyId } from '../../src/accounts/key-text.js';
import { rollKey } from '../../src/accounts/key-rolling.js';
import { PAGE_ROWS } from '../../src/accounts/page.js';
import { isWithin, loadPlans, narrowPlan, presentLimits } from '../../src/accounts/plans.js';
import { describeOnEachDatabase } from '../support/databases.js';
import { makeFolder } from '../support/folders.js';

describeOnEachDatabase('API key storage', (bench) => {
  it('creates API keys in the documented format and stores no part of their secret', async () => {
    const database = await bench.open();
    const { key, id } = await createKey(database, { account: 'Ähre & Söhne', plan: 'growth', name: 'web' });
    assert.match(key, /^tt_live_[0-9a-z]{8}_[0-9a-z]{32}$/);
    assert.equal(readKeyId(key), id);
    const rows = JSON.stringify(await database.run((queries) => queries('api_keys').select()));
    assert.ok(rows.includes(id) && !rows.includes(key.slice(-32)));
  });

  it('accepts a key until it is revoked or expired, and only with its own secret', async () => {
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

  it('lists API keys by account, and fails to revoke an unknown key', async () => {
    const database = await bench.open();
    const { id } = await createKey(database, { account: 'lister', plan: 'free' });
    assert.deepEqual(
      (await listKeys(database, 'lister')).map((key) => key.id),
      [id],
    );
    assert.ok((await listKeys(database)).length > 1);
    await assert.rejects(revokeKey(database, 'nokeyatall'), /no key/);
  });

  it('sets the plan of an account at its first API key, and never changes an existing plan', async () => {
    const database = await bench.open();
    const planOf = async (id: string) => (await findAccountById(database, id))?.plan;
    const { id } = await createAccount(database, 'plans of keys');
    await createKey(database, { account: 'plans of keys', plan: 'growth' });
    assert.equal(await planOf(id), 'growth');
    await setPlan(database, id, 'scale');
    const narrowed = await createKey(database, { account: 'plans of keys', plan: 'free' });
    assert.equal(await planOf(id), 'scale');
    const found = (await listKeys(database, 'plans of keys')).map((key) => [key.plan, key.narrowedTo]);
    assert.deepEqual(found, [
      ['scale', null],
      ['scale', 'free'],
    ]);
    assert.equal(narrowed.narrowedTo, 'free');
    await assert.rejects(createKey(database, { account: 'without any plan' }), /has no plan yet/);
  });

  it('refuses a plan that is missing in the plans file or exceeds the account’s plan, and creates nothing', async () => {
    const [database, plans] = [await bench.open(), loadPlans()];
    const refuse = (account: string, plan: string, message: RegExp) =>
      assert.rejects(createKey(database, { account, plan }, plans), { name: 'AccountFault', message });
    await refuse('never made', 'gold', /Expected one of free, .* for the plan/);
    assert.equal(await findAccount(database, 'never made'), null);
    await createAccount(database, 'small', 'free');
    await refuse('small', 'scale', /The plan scale allows more than free/);
    assert.deepEqual(await listKeys(database, 'small'), []);
  });

  it('revokes and rolls only keys of the named account', async () => {
    const database = await bench.open();
    const { id } = await createKey(database, { account: 'own keys', plan: 'free' });
    const other = await createAccount(database, 'neighbour of keys');
    await assert.rejects(revokeKey(database, id, other.id), { code: 'not_found' });
    await assert.rejects(rollKey(database, id, 0, other.id), { code: 'not_found' });
    assert.equal((await findKey(database, id))?.revokedAt, null);
  });

  it('refuses a new API key with an unprintable name or an unknown scope', async () => {
    const database = await bench.open();
    const wanted = { account: 'named keys', plan: 'free' };
    for (const name of ['', 'a\nb', 'x'.repeat(101)])
      await assert.rejects(createKey(database, { ...wanted, name }), {
        name: 'AccountFault',
        message: /1 to 100 printable/,
      });
    const { id, name, scopes } = await createKey(database, wanted);
    assert.deepEqual([name, scopes], ['default', ['check', 'usage', 'scan']]);
    await database.run((queries) => queries('api_keys').where({ id }).update({ scopes: 'usage,later' }));
    assert.deepEqual((await findKey(database, id))?.scopes, ['usage']);
    assert.equal(readKeyId('tt_live_short'), null);
    assert.equal(await findKey(database, 'nokeyatall'), null);
  });

  it('records the time of each API key’s last use, to the minute', async () => {
    const database = await bench.open();
    const [used, other] = [
      await createKey(database, { account: 'users', plan: 'free' }),
      await createKey(database, { account: 'users', plan: 'free' }),
    ];
    const first = new Date('2026-01-01T00:00:00Z');
    const lastUse = async (id: string) => (await findKey(database, id))?.lastUsedAt;
    const noteAfter = async (ms: number) =>
      recordKeyUse(database, (await findKey(database, used.id))!, new Date(first.getTime() + ms));
    assert.equal(await lastUse(used.id), null);
    await noteAfter(0);
    assert.deepEqual(await lastUse(used.id), first);
    await noteAfter(59_999);
    assert.deepEqual(await lastUse(used.id), first);
    await noteAfter(60_000);
    assert.deepEqual(await lastUse(used.id), new Date(first.getTime() + 60_000));
    assert.equal(await lastUse(other.id), null);
  });

  it('lists API keys in pages, newest first, for one account or for all', async () => {
    const database = await bench.open();
    const { accountId, id: own } = await createKey(database, { account: 'pages', plan: 'free' });
    const rows = Array.from({ length: PAGE_ROWS + 1 }, (_, at) => ({
      id: `page${String(at).padStart(4, '0')}`,
      account_id: accountId,
      name: 'many',
      plan: 'free',
      scopes: 'check',
      hash: '',
      // Two keys each have the same timestamp, so that the order of the list also depends on the identifier.
      created_at: Date.now() + 1000 + Math.floor(at / 2),
    }));
    await database.run((queries) => queries('api_keys').insert(rows));
    const expected = [...rows.map(({ id }) => id).reverse(), own];
    const first = await pageKeys(database, accountId, undefined);
    assert.deepEqual(
      first.rows.map(({ id }) => id),
      expected.slice(0, PAGE_ROWS),
    );
    assert.equal(first.next, expected[PAGE_ROWS - 1]);
    const rest = await pageKeys(database, accountId, first.next);
    assert.deepEqual([rest.rows.map(({ id }) => id), rest.next], [expected.slice(PAGE_ROWS), null]);
    const all = await pageKeys(database, null, own);
    assert.ok(all.rows.length > 0 && all.rows.every((key) => key.accountId !== accountId));
    await revokeKey(database, own);
    const others = await createKey(database, { account: 'counted', plan: 'free' });
    const counts = await countKeys(database, [accountId, others.accountId]);
    assert.deepEqual([counts.get(accountId), counts.get(others.accountId)], [PAGE_ROWS + 1, 1]);
  });

  it('creates only one account if twenty keys for a new account are created concurrently', async () => {
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

describe('the plans file', () => {
  it('limits a key that has its own plan to the smaller limit of both plans, except for the account’s monthly quota', () => {
    const plans = loadPlans();
    const [free, scale] = [plans.get('free')!, plans.get('scale')!];
    assert.deepEqual(presentLimits(narrowPlan(scale, free)), {
      ...presentLimits(free),
      checks_per_month: null,
    });
    assert.deepEqual([isWithin(free, scale), isWithin(scale, free)], [true, false]);
    const odd = { ...free, name: 'odd', burst: 1000 };
    assert.deepEqual([isWithin(odd, scale), narrowPlan(scale, odd).burst], [false, 300]);
  });

  it('contains the plans and limits that the documentation states', () => {
    const plans = loadPlans();
    assert.deepEqual([...plans.keys()], ['free', 'starter', 'growth', 'scale']);
    const limits = { checksPerMonth: 50_000, requestsPerSecond: 20, burst: 60, batch: true };
    const growth = { name: 'growth', ...limits, scanItems: 50_000, scansAtOnce: 2 };
    assert.deepEqual(plans.get('growth'), growth);
    assert.equal(plans.get('scale')?.checksPerMonth, null);
    assert.equal(plans.get('free')?.batch, false);
    assert.deepEqual(presentLimits(plans.get('growth')!), {
      checks_per_month: 50_000,
      requests_per_second: 20,
      burst: 60,
      batch: true,
      scan_items: 50_000,
      scans_at_once: 2,
    });
  });

  it('allows no scans for a plan that does not mention scans', () => {
    const folder = makeFolder('plans');
    const path = join(folder, 'plans.json');
    const plan = { checks_per_month: null, requests_per_second: 0.5, burst: 1, batch: true };
    writeFileSync(path, JSON.stringify({ small: plan, large: { ...plan, scan_items: 9, scans_at_once: 3 } }));
    const limits = [...loadPlans(path).values()].map(({ scanItems, scansAtOnce }) => [
      scanItems,
      scansAtOnce,
    ]);
    assert.deepEqual(limits, [[0, 0], [9, 3]]); // prettier-ignore
  });

  it('is refused with an explanation if it is invalid', () => {
    const folder = makeFolder('plans');
    const path = join(folder, 'plans.json');
    const faults: readonly [string, RegExp][] = [
      ['{', /can't be read as JSON/],
      ['{}', /Expected one plan or more/],
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
  });
});
