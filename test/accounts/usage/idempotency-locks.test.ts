// Tests idempotency keys: only one of many equal requests runs, the others get its response, and accounts are
// separate.
import assert from 'node:assert/strict';
import {
  lockKey,
  isKeyInUse,
  renewKey,
  unlockKey,
  sweepKeys,
  type KeyLock,
} from '../../../src/accounts/usage/idempotency-locks.js';
import { recordChecks } from '../../../src/accounts/usage/record-checks.js';
import { countRows, newCheck, newPayer } from '../../support/history.js';
import { describeOnEachDatabase } from '../../support/databases.js';

describeOnEachDatabase('the idempotency store', (bench) => {
  const leaseMs = 60_000;

  it('lets only one of many requests with the same idempotency key run, and returns its response to the others', async () => {
    const databases = [await bench.open(), await bench.open()];
    const payer = await newPayer(databases[0]!, 'twins');
    const lockOf = (owner: string): KeyLock => ({
      accountId: payer.accountId,
      key: 'k',
      fingerprint: 'f',
      owner,
    });
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        lockKey(databases[index % 2]!, lockOf(String(index)), leaseMs),
      ),
    );
    assert.equal(outcomes.filter(({ kind }) => kind === 'locked').length, 1);
    assert.equal(outcomes.filter(({ kind }) => kind === 'running').length, 19);
    const lock = lockOf(String(outcomes.findIndex(({ kind }) => kind === 'locked')));
    await recordChecks(databases[0]!, {
      payer,
      requestId: 'r',
      keepsHistory: true,
      checks: [newCheck()],
      answer: { lock, body: '{"a": "ü"}' },
    });
    assert.deepEqual(await lockKey(databases[1]!, lockOf('late'), leaseMs), {
      kind: 'answered',
      body: '{"a": "ü"}',
    });
  });

  it('renews the lease of a running request unless another request has taken over its idempotency key', async () => {
    const database = await bench.open();
    const { accountId } = await newPayer(database, 'slow');
    const lock = { accountId, key: 'k', fingerprint: 'f', owner: 'a' };
    await lockKey(database, lock, -1000);
    await renewKey(database, lock, leaseMs);
    assert.equal((await lockKey(database, { ...lock, owner: 'b' }, leaseMs)).kind, 'running');
    await renewKey(database, lock, -1000);
    assert.equal((await lockKey(database, { ...lock, owner: 'b' }, -1000)).kind, 'locked');
    await renewKey(database, lock, leaseMs);
    assert.equal((await lockKey(database, { ...lock, owner: 'c' }, leaseMs)).kind, 'locked');
  });

  it('refuses a different request with a used idempotency key, and keeps the keys of accounts separate', async () => {
    const database = await bench.open();
    const [one, two] = [await newPayer(database, 'one'), await newPayer(database, 'two')];
    await lockKey(database, { accountId: one.accountId, key: 'k', fingerprint: 'f', owner: 'a' }, leaseMs);
    const other = { accountId: one.accountId, key: 'k', fingerprint: 'g', owner: 'b' };
    await assert.rejects(lockKey(database, other, leaseMs), { code: 'idempotency_mismatch' });
    assert.equal((await lockKey(database, { ...other, accountId: two.accountId }, leaseMs)).kind, 'locked');
    const twin = { ...other, accountId: two.accountId, owner: 'c' };
    assert.equal((await lockKey(database, twin, leaseMs)).kind, 'running', 'not the mismatch of the first');
    assert.equal((await lockKey(database, { ...twin, key: 'l', fingerprint: 'h' }, leaseMs)).kind, 'locked');
    const again = { ...twin, key: 'l', fingerprint: 'h', owner: 'd' };
    assert.equal((await lockKey(database, again, leaseMs)).kind, 'running', 'nor that of another key');
  });

  it('lets only the request that holds an idempotency key release the key', async () => {
    const database = await bench.open();
    const [one, two] = [await newPayer(database, 'holder'), await newPayer(database, 'neighbour')];
    const lock: KeyLock = { accountId: one.accountId, key: 'k', fingerprint: 'f', owner: 'a' };
    const others = [
      { ...lock, key: 'l' },
      { ...lock, accountId: two.accountId },
    ];
    for (const each of [lock, ...others]) await lockKey(database, each, leaseMs);
    await unlockKey(database, { ...lock, owner: 'b' });
    assert.equal(await isKeyInUse(database, { ...one, key: 'k' }), true);
    await unlockKey(database, lock);
    assert.equal(await isKeyInUse(database, { ...one, key: 'k' }), false);
    for (const other of others) assert.equal(await isKeyInUse(database, other), true);
    assert.equal(await isKeyInUse(database, { ...two, key: 'l' }), false);
    await lockKey(database, lock, -1000);
    assert.equal(await isKeyInUse(database, { ...one, key: 'k' }), false, 'it has expired');
  });

  it('allows an idempotency key again after its release, or after the lease of the holding request expired', async () => {
    const database = await bench.open();
    const { accountId } = await newPayer(database, 'retry');
    const lock: KeyLock = { accountId, key: 'k', fingerprint: 'f', owner: 'a' };
    await lockKey(database, lock, leaseMs);
    await unlockKey(database, lock);
    assert.equal((await lockKey(database, { ...lock, owner: 'b' }, 0)).kind, 'locked');
    assert.equal(
      (await lockKey(database, { ...lock, owner: 'c', fingerprint: 'g' }, leaseMs)).kind,
      'locked',
    );
  });

  it('does not charge a request if another request has taken over its idempotency key', async () => {
    const database = await bench.open();
    const payer = await newPayer(database, 'late');
    const lock: KeyLock = { accountId: payer.accountId, key: 'k', fingerprint: 'f', owner: 'slow' };
    await lockKey(database, lock, 0);
    await lockKey(database, { ...lock, owner: 'fast' }, leaseMs);
    const charge = {
      payer,
      requestId: 'r',
      keepsHistory: true,
      checks: [newCheck()],
      answer: { lock, body: '{}' },
    };
    await assert.rejects(recordChecks(database, charge), { code: 'deadline_exceeded' });
    assert.equal(await countRows(database, payer), 0);
  });

  it('deletes only expired idempotency keys', async () => {
    const database = await bench.open();
    const { accountId } = await newPayer(database, 'sweep');
    await lockKey(database, { accountId, key: 'old', fingerprint: 'f', owner: 'a' }, -1000);
    await lockKey(database, { accountId, key: 'new', fingerprint: 'f', owner: 'a' }, leaseMs);
    await sweepKeys(database);
    const rows = await database.run((queries) =>
      queries('idempotency_keys').where({ account_id: accountId }).select('key'),
    );
    assert.deepEqual(rows, [{ key: 'new' }]);
  });
});
