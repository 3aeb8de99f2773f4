// Idempotency keys: one of many twins runs, its answer is repeated, and no account sees another's.
import assert from 'node:assert/strict';
import {
  claimKey,
  isKeyTaken,
  releaseClaim,
  sweepKeys,
  type Claim,
} from '../../../src/accounts/usage/idempotency.js';
import { recordChecks } from '../../../src/accounts/usage/record-checks.js';
import { countRows, newCheck, newPayer } from '../../support/charging.js';
import { describeOnEachDatabase } from '../../support/databases.js';

describeOnEachDatabase('idempotency keys', (bench) => {
  const leaseMs = 60_000;

  it('one of many twins is first; the others see its answer once it is charged', async () => {
    const databases = [await bench.open(), await bench.open()];
    const payer = await newPayer(databases[0]!, 'twins');
    const claimOf = (owner: string): Claim => ({
      accountId: payer.accountId,
      key: 'k',
      fingerprint: 'f',
      owner,
    });
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, (_, index) =>
        claimKey(databases[index % 2]!, claimOf(String(index)), leaseMs),
      ),
    );
    assert.equal(outcomes.filter(({ kind }) => kind === 'claimed').length, 1);
    assert.equal(outcomes.filter(({ kind }) => kind === 'running').length, 19);
    const claim = claimOf(String(outcomes.findIndex(({ kind }) => kind === 'claimed')));
    await recordChecks(databases[0]!, {
      payer,
      requestId: 'r',
      keepsHistory: true,
      checks: [newCheck()],
      answer: { claim, body: '{"a": "ü"}' },
    });
    assert.deepEqual(await claimKey(databases[1]!, claimOf('late'), leaseMs), {
      kind: 'answered',
      body: '{"a": "ü"}',
    });
  });

  it('another request under the same key is a mismatch, and another account has keys of its own', async () => {
    const database = await bench.open();
    const [one, two] = [await newPayer(database, 'one'), await newPayer(database, 'two')];
    await claimKey(database, { accountId: one.accountId, key: 'k', fingerprint: 'f', owner: 'a' }, leaseMs);
    const other = { accountId: one.accountId, key: 'k', fingerprint: 'g', owner: 'b' };
    await assert.rejects(claimKey(database, other, leaseMs), { code: 'idempotency_mismatch' });
    assert.equal((await claimKey(database, { ...other, accountId: two.accountId }, leaseMs)).kind, 'claimed');
    const twin = { ...other, accountId: two.accountId, owner: 'c' };
    assert.equal((await claimKey(database, twin, leaseMs)).kind, 'running', 'not the mismatch of the first');
    assert.equal(
      (await claimKey(database, { ...twin, key: 'l', fingerprint: 'h' }, leaseMs)).kind,
      'claimed',
    );
    const again = { ...twin, key: 'l', fingerprint: 'h', owner: 'd' };
    assert.equal((await claimKey(database, again, leaseMs)).kind, 'running', 'nor that of another key');
  });

  it('is released by its holder alone, and no other key with it', async () => {
    const database = await bench.open();
    const [one, two] = [await newPayer(database, 'holder'), await newPayer(database, 'neighbour')];
    const claim: Claim = { accountId: one.accountId, key: 'k', fingerprint: 'f', owner: 'a' };
    const others = [
      { ...claim, key: 'l' },
      { ...claim, accountId: two.accountId },
    ];
    for (const each of [claim, ...others]) await claimKey(database, each, leaseMs);
    await releaseClaim(database, { ...claim, owner: 'b' });
    assert.equal(await isKeyTaken(database, one.accountId, 'k'), true);
    await releaseClaim(database, claim);
    assert.equal(await isKeyTaken(database, one.accountId, 'k'), false);
    for (const { accountId, key } of others) assert.equal(await isKeyTaken(database, accountId, key), true);
    assert.equal(await isKeyTaken(database, two.accountId, 'l'), false);
    await claimKey(database, claim, -1000);
    assert.equal(await isKeyTaken(database, one.accountId, 'k'), false, 'it has expired');
  });

  it('a released key is free, and so is one whose holder died', async () => {
    const database = await bench.open();
    const { accountId } = await newPayer(database, 'retry');
    const claim: Claim = { accountId, key: 'k', fingerprint: 'f', owner: 'a' };
    await claimKey(database, claim, leaseMs);
    await releaseClaim(database, claim);
    assert.equal((await claimKey(database, { ...claim, owner: 'b' }, 0)).kind, 'claimed');
    assert.equal(
      (await claimKey(database, { ...claim, owner: 'c', fingerprint: 'g' }, leaseMs)).kind,
      'claimed',
    );
  });

  it('a request that lost its key is not charged', async () => {
    const database = await bench.open();
    const payer = await newPayer(database, 'late');
    const claim: Claim = { accountId: payer.accountId, key: 'k', fingerprint: 'f', owner: 'slow' };
    await claimKey(database, claim, 0);
    await claimKey(database, { ...claim, owner: 'fast' }, leaseMs);
    const charge = {
      payer,
      requestId: 'r',
      keepsHistory: true,
      checks: [newCheck()],
      answer: { claim, body: '{}' },
    };
    await assert.rejects(recordChecks(database, charge), { code: 'deadline_exceeded' });
    assert.equal(await countRows(database, payer), 0);
  });

  it('the sweep takes expired keys and leaves the others', async () => {
    const database = await bench.open();
    const { accountId } = await newPayer(database, 'sweep');
    await claimKey(database, { accountId, key: 'old', fingerprint: 'f', owner: 'a' }, -1000);
    await claimKey(database, { accountId, key: 'new', fingerprint: 'f', owner: 'a' }, leaseMs);
    await sweepKeys(database);
    const rows = await database.run((queries) =>
      queries('idempotency_keys').where({ account_id: accountId }).select('key'),
    );
    assert.deepEqual(rows, [{ key: 'new' }]);
  });
});
