// Tests replacing API keys by successors, and warnings before a key expires, on both databases.
import assert from 'node:assert/strict';
import { pageAudit } from '../../src/accounts/audit.js';
import { listExpiring, notifyOfExpiry } from '../../src/accounts/key-expiry.js';
import { readOverlap, rollKey } from '../../src/accounts/key-rolling.js';
import { createKey, findKey, revokeKey } from '../../src/accounts/keys.js';
import type { Database } from '../../src/storage/db/database.js';
import { isUsable } from '../../src/accounts/key-text.js';
import { describeOnEachDatabase } from '../support/databases.js';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

describeOnEachDatabase('rolling an API key (replacing it by a successor)', (bench) => {
  const worksAt = async (database: Database, key: string, id: string, ms: number): Promise<boolean> =>
    isUsable(key, await findKey(database, id), new Date(Date.now() + ms));

  it('creates a successor with the same permissions, and both keys work during the overlap', async () => {
    const database = await bench.open();
    await createKey(database, { account: 'rolled', plan: 'growth' });
    const old = await createKey(database, {
      account: 'rolled',
      plan: 'free',
      name: 'web',
      scopes: ['check'],
    });
    const { created, former } = await rollKey(database, old.id, 2 * HOUR_MS);
    assert.notEqual(created.id, old.id);
    for (const name of ['accountId', 'name', 'plan', 'narrowedTo', 'scopes', 'expiresAt'] as const)
      assert.deepEqual(created[name], old[name], name);
    assert.equal(former.id, old.id);
    assert.ok(await worksAt(database, created.key, created.id, 400 * DAY_MS));
    assert.ok(await worksAt(database, old.key, old.id, 1.9 * HOUR_MS));
    assert.ok(!(await worksAt(database, old.key, old.id, 2.1 * HOUR_MS)));
    const [entry] = (await pageAudit(database, { what: 'key.rolled' })).rows;
    assert.deepEqual([entry?.subject, entry?.after?.followed_by], [old.id, created.id]);
    assert.ok(!JSON.stringify(entry).includes(created.key));
  });

  it('gives a sandbox key another sandbox key as successor', async () => {
    const database = await bench.open();
    const { id } = await createKey(database, { account: 'sand', plan: 'free', sandbox: true });
    const { created } = await rollKey(database, id, 0);
    assert.match(created.key, /^tt_test_/);
    assert.deepEqual(created.scopes, ['sandbox']);
  });

  it('never extends the life of the rolled key, and gives its successor the same lifetime', async () => {
    const database = await bench.open();
    const expiresAt = new Date(Date.now() + 10 * DAY_MS);
    const old = await createKey(database, { account: 'brief', plan: 'free', expiresAt });
    const { created, former } = await rollKey(database, old.id, 30 * DAY_MS);
    assert.deepEqual(former.expiresAt, expiresAt);
    const lives = created.expiresAt!.getTime() - created.createdAt.getTime();
    assert.equal(lives, expiresAt.getTime() - old.createdAt.getTime());
    const { former: ended } = await rollKey(database, created.id, 0);
    assert.ok(!(await worksAt(database, created.key, ended.id, 1)));
    await assert.rejects(rollKey(database, created.id, 0), /has expired or was revoked/);
    await revokeKey(database, old.id);
    await assert.rejects(rollKey(database, old.id, 0), /has expired or was revoked/);
    await assert.rejects(rollKey(database, 'nosuchid', 0), /There is no key 'nosuchid'/);
  });

  it('warns once a week and once a day before a key expires, even with two concurrent processes', async () => {
    const [one, other] = [await bench.open(), await bench.open()];
    const key = async (account: string, days: number) =>
      createKey(one, { account, plan: 'free', expiresAt: new Date(Date.now() + days * DAY_MS) });
    const [late, soon] = [await key('late', 20), await key('soon', 3)];
    const gone = await key('gone', 20);
    await revokeKey(one, gone.id);
    const told: string[] = [];
    const sweep = (days: number) => {
      const now = new Date(Date.now() + days * DAY_MS);
      const tell = (database: Database) =>
        notifyOfExpiry(database, now, (_queries, { id, accountId }, mark) => {
          assert.ok(accountId.startsWith('acc_'));
          return Promise.resolve(void told.push(`${id} ${mark}`));
        });
      return Promise.all([tell(one), tell(other)]);
    };
    await sweep(0);
    assert.deepEqual(told, [], 'who sets an end of three days knows of it');
    await sweep(2.5);
    assert.deepEqual(told.splice(0), [`${soon.id} 1`]);
    await sweep(14);
    await sweep(15);
    assert.deepEqual(told.splice(0), [`${late.id} 7`]);
    await sweep(19.5);
    await sweep(21);
    assert.deepEqual(told, [`${late.id} 1`]);
    assert.deepEqual(
      (await listExpiring(one, soon.accountId, new Date())).map(({ id }) => id),
      [soon.id],
    );
    assert.deepEqual(await listExpiring(one, late.accountId, new Date()), []);
  });

  it('does not warn of a successor’s expiry for a mark that the lifetime of the key never reached', async () => {
    const database = await bench.open();
    const expiresAt = new Date(Date.now() + 3 * DAY_MS);
    const old = await createKey(database, { account: 'short-lived', plan: 'free', expiresAt });
    const { created } = await rollKey(database, old.id, HOUR_MS);
    const warnings: number[] = [];
    const notifyAfter = (days: number) =>
      notifyOfExpiry(database, new Date(Date.now() + days * DAY_MS), (_queries, { id }, mark) =>
        Promise.resolve(id === created.id ? void warnings.push(mark) : undefined),
      );
    await notifyAfter(0);
    assert.deepEqual(warnings, []);
    await notifyAfter(2.5);
    assert.deepEqual(warnings, [1]);
  });

  it('gives every successor the lifetime of the first key, however often the key is rolled', async () => {
    const database = await bench.open();
    const endless = await createKey(database, { account: 'twice', plan: 'free' });
    const life = 20 * DAY_MS;
    const expiresAt = new Date(endless.createdAt.getTime() + life);
    const ending = await createKey(database, { account: 'twice', plan: 'free', expiresAt });
    for (const [old, expected] of [
      [endless, null],
      [ending, life],
    ] as const) {
      const lifeOf = (key: { createdAt: Date; expiresAt: Date | null }): number | null =>
        key.expiresAt && Math.round((key.expiresAt.getTime() - key.createdAt.getTime()) / HOUR_MS);
      const rolls = [await rollKey(database, old.id, HOUR_MS), await rollKey(database, old.id, 2 * HOUR_MS)];
      const [first, again] = rolls;
      assert.ok(first && again);
      rolls.push(await rollKey(database, again.created.id, HOUR_MS));
      const lives = rolls.map(({ created }) => lifeOf(created));
      assert.deepEqual(lives, Array(3).fill(expected && expected / HOUR_MS));
      // Rolling a key a second time must not extend the life of the key.
      assert.deepEqual(again.former.expiresAt, first.former.expiresAt);
    }
  });
});

describe('the overlap in which a rolled key and its successor both work', () => {
  it('can be given in minutes, hours or days', () => {
    const texts = ['0', '30m', '24h', '7d', '90d'];
    assert.deepEqual(texts.map(readOverlap), [0, HOUR_MS / 2, DAY_MS, 7 * DAY_MS, 90 * DAY_MS]);
    for (const text of ['', '24', '-1h', '91d', '1.5h', '1w', '24 h', '9999999h'])
      assert.throws(() => readOverlap(text), /Expected an overlap such as 24h/, text);
  });
});
