// Charging: counters, quota, replays, and what concurrent requests can't do.
import assert from 'node:assert/strict';
import { createKey } from '../../../src/accounts/keys.js';
import type { Plan } from '../../../src/accounts/plans.js';
import type { Database } from '../../../src/storage/db/database.js';
import { claimKey, releaseClaim, sweepKeys, type Claim } from '../../../src/accounts/usage/idempotency.js';
import { dayOf } from '../../../src/accounts/usage/period.js';
import { recordChecks, type CheckRecord, type Payer } from '../../../src/accounts/usage/record-checks.js';
import { readDays, readPeriodUsage } from '../../../src/accounts/usage/usage.js';
import { describeOnEachDatabase } from '../../support/databases.js';

const PLAN: Plan = {
  name: 'tiny',
  checksPerMonth: 10,
  requestsPerSecond: 1,
  burst: 1,
  batch: true,
  scanItems: 0,
  scansAtOnce: 0,
};
let count = 0;

function newCheck(): CheckRecord {
  count += 1;
  const verdict = {
    isAi: false,
    fired: [],
    profile: 'balanced',
    model: 'telltale-1.0.0',
    bandsVersion: '2026-01-01.1',
    reason: 'No AI detected',
    fullImageScore: 0.25,
    faceScore: null,
  };
  const answer = {
    face_found: false,
    content_credentials: { found: false },
    image: { width: 512, height: 512 },
    scores: { full_image_specialist: 0.25, face_specialist: null },
    face_box: null,
  } as const;
  const beside = { imageId: null, ref: null, name: null, attention: null, colours: [] };
  return { id: `chk_${count}`, ...verdict, latencyMs: 12.5, ...beside, answer };
}

async function newPayer(database: Database, account: string): Promise<Payer> {
  const key = await createKey(database, { account, plan: PLAN.name });
  return { accountId: key.accountId, keyId: key.id, plan: PLAN };
}

function countRows(database: Database, payer: Payer): Promise<number> {
  return database.run(async (queries) => {
    const rows = await queries('checks').where({ account_id: payer.accountId }).select('id');
    return rows.length;
  });
}

describeOnEachDatabase('recordChecks', (bench) => {
  it('writes a row a check and adds to the period and the day', async () => {
    const database = await bench.open();
    const payer = await newPayer(database, 'plain');
    const used = await recordChecks(database, {
      payer,
      requestId: 'r',
      keepsHistory: true,
      checks: [newCheck(), newCheck()],
      answer: null,
    });
    assert.deepEqual(used, { used: 2, reserved: 0 });
    await recordChecks(database, {
      payer,
      requestId: 'r',
      keepsHistory: true,
      checks: [newCheck()],
      answer: null,
    });
    const now = new Date();
    assert.equal((await readPeriodUsage(database, payer.accountId, PLAN.name, now)).used, 3);
    assert.deepEqual(await readDays(database, payer.accountId, PLAN.name, now, now), [
      { date: dayOf(now), checks: 3 },
    ]);
    assert.equal(await countRows(database, payer), 3);
  });

  it('charges nothing of a request that passes the quota, and says what is left', async () => {
    const database = await bench.open();
    const payer = await newPayer(database, 'full');
    const eight = Array.from({ length: 8 }, newCheck);
    await recordChecks(database, { payer, requestId: 'r', keepsHistory: true, checks: eight, answer: null });
    const three = Array.from({ length: 3 }, newCheck);
    await assert.rejects(
      recordChecks(database, { payer, requestId: 'r', keepsHistory: true, checks: three, answer: null }),
      (error: Error) => {
        assert.equal((error as { code?: string }).code, 'quota_exceeded');
        assert.match(error.message, /10 checks a month and 2 are left; this call needs 3/);
        return true;
      },
    );
    assert.equal(await countRows(database, payer), 8);
    assert.equal((await readPeriodUsage(database, payer.accountId, PLAN.name, new Date())).used, 8);
  });

  it('a first request larger than the whole quota is refused', async () => {
    const database = await bench.open();
    const payer = await newPayer(database, 'huge');
    const checks = Array.from({ length: 11 }, newCheck);
    await assert.rejects(
      recordChecks(database, { payer, requestId: 'r', keepsHistory: true, checks, answer: null }),
      {
        code: 'quota_exceeded',
      },
    );
  });

  it('40 at once over two connections end in exactly 10 charged', async () => {
    const databases = [await bench.open(), await bench.open()];
    const payer = await newPayer(databases[0]!, 'crowd');
    const outcomes = await Promise.allSettled(
      Array.from({ length: 40 }, (_, index) =>
        recordChecks(databases[index % 2]!, {
          payer,
          requestId: 'r',
          keepsHistory: true,
          checks: [newCheck()],
          answer: null,
        }),
      ),
    );
    const codes = outcomes.map((outcome) =>
      outcome.status === 'fulfilled' ? 'charged' : (outcome.reason as { code?: string }).code,
    );
    assert.equal(codes.filter((code) => code === 'charged').length, 10);
    assert.equal(codes.filter((code) => code === 'quota_exceeded').length, 30);
    assert.equal(await countRows(databases[0]!, payer), 10);
  });
});

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
