// Tests charging checks: usage counters, quota and concurrent requests.
import assert from 'node:assert/strict';
import { lockKey } from '../../../src/accounts/usage/idempotency-locks.js';
import { dayOf } from '../../../src/accounts/usage/period.js';
import {
  ErasedMeanwhile,
  recordChecks,
  recordReservedChecks,
  type CheckRecord,
  type Payer,
} from '../../../src/accounts/usage/record-checks.js';
import { reserveChecks } from '../../../src/accounts/usage/reservations.js';
import { readDays, readPeriodUsage } from '../../../src/accounts/usage/usage.js';
import { countRows, newCheck, newPayer, PLAN } from '../../support/history.js';
import { describeOnEachDatabase } from '../../support/databases.js';

describeOnEachDatabase('storing and charging checks', (bench) => {
  it('stores one row per check and adds the check to the usage of the month and of the day', async () => {
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

  it('counts an account’s checks per day, for one plan or for all plans together', async () => {
    const database = await bench.open();
    const [payer, neighbour] = [await newPayer(database, 'days'), await newPayer(database, 'neighbour days')];
    const charge = (by: Payer, checks: readonly CheckRecord[]) =>
      recordChecks(database, { payer: by, requestId: 'r', keepsHistory: false, checks, answer: null });
    await charge(payer, [newCheck(), newCheck()]);
    await charge({ ...payer, plan: { ...PLAN, name: 'other' } }, [newCheck()]);
    await charge(neighbour, [newCheck(), newCheck(), newCheck(), newCheck()]);
    const now = new Date();
    const days = async (plan: string | null): Promise<number[]> =>
      (await readDays(database, payer.accountId, plan, now, now)).map(({ checks }) => checks);
    assert.deepEqual([await days('tiny'), await days('other'), await days(null)], [[2], [1], [3]]);
    assert.equal(await countRows(database, payer), 0, 'no history is kept');
  });

  it('stores the member who made a check and the main colours of the image', async () => {
    const database = await bench.open();
    const payer = await newPayer(database, 'by hand');
    const checks = [{ ...newCheck(), colours: ['#aabbcc', '#000000'] }];
    const byHand = { ...payer, keyId: null, memberId: 'member' };
    for (const [by, made] of [
      [byHand, checks],
      [payer, [newCheck()]],
    ] as const)
      await recordChecks(database, {
        payer: by,
        requestId: 'r',
        keepsHistory: true,
        checks: made,
        answer: null,
      });
    const rows = await database.run((queries) =>
      queries('checks')
        .where({ account_id: payer.accountId })
        .orderBy('colours')
        .select('key_id', 'member_id', 'colours'),
    );
    const byKey = { key_id: payer.keyId, member_id: null, colours: null };
    const hand = { key_id: null, member_id: 'member', colours: '#aabbcc #000000' };
    assert.deepEqual(new Set(rows), new Set([byKey, hand]));
  });

  it('stores checks of a scan like other checks, and charges no more of them than were reserved', async () => {
    const database = await bench.open();
    const payer = await newPayer(database, 'scan');
    const now = new Date();
    const usage = () => readPeriodUsage(database, payer.accountId, PLAN.name, now);
    const reservation = await database.transaction((queries) => reserveChecks(queries, payer, 10, now));
    for (const keepsHistory of [true, false])
      await database.transaction((queries) =>
        recordReservedChecks(
          queries,
          {
            reservation,
            keyId: payer.keyId!,
            memberId: null,
            workId: 'scan_1',
            keepsHistory,
            checks: [newCheck(), newCheck()],
          },
          now,
        ),
      );
    assert.deepEqual(await usage(), { used: 4, reserved: 6 });
    assert.deepEqual(await readDays(database, payer.accountId, PLAN.name, now, now), [
      { date: dayOf(now), checks: 4 },
    ]);
    const rows = await database.run((queries) =>
      queries('checks').where({ account_id: payer.accountId }).select('key_id', 'plan', 'request_id'),
    );
    const row = { key_id: payer.keyId, plan: 'tiny', request_id: 'scan_1' };
    assert.deepEqual(rows, [row, row]);
  });

  it('charges nothing and reports the remaining checks if a request exceeds the quota', async () => {
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

  it('refuses an account’s first request if it is larger than the whole quota', async () => {
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

  it('charges exactly 10 of 40 concurrent checks against a quota of 10 over two database connections', async () => {
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

  it('charges nothing if the response names an erased check or image, and reports which one', async () => {
    const database = await bench.open();
    const payer = await newPayer(database, 'erased meanwhile');
    const { accountId } = payer;
    const earlier = newCheck();
    await recordChecks(database, {
      payer,
      requestId: 'r',
      keepsHistory: true,
      checks: [earlier],
      answer: null,
    });
    const image = { account_id: accountId, sha256: 'a', format: 'jpeg', size_bytes: 1, stored_at: 1 };
    const expires = Date.now() + 60_000;
    await database.run((queries) =>
      queries('images').insert([
        { ...image, id: 'img_kept', expires_at: expires },
        { ...image, id: 'img_erased', sha256: 'b', expires_at: 0 },
      ]),
    );
    const lock = { accountId, key: 'k', fingerprint: 'f', owner: 'o' };
    await lockKey(database, lock, 60_000);
    const charge = (seenCheckIds: readonly string[], ...imageIds: readonly string[]) =>
      recordChecks(database, {
        payer,
        requestId: 'r',
        keepsHistory: true,
        checks: imageIds.map((imageId) => newCheck({ imageId })),
        answer: { lock, body: '{}', seenCheckIds },
      });
    const gone = ['chk_01ARZ3NDEKTSV4RRFFQ69G5FAV', 'img_erased'];
    await assert.rejects(charge([earlier.id, gone[0]!], 'img_kept', 'img_erased'), (error: unknown) => {
      assert.ok(error instanceof ErasedMeanwhile);
      assert.deepEqual([...error.checkIds, ...error.imageIds], gone);
      return true;
    });
    assert.equal((await lockKey(database, { ...lock, owner: 'p' }, 60_000)).kind, 'running');
    assert.equal((await charge([earlier.id], 'img_kept')).used, 2);
  });
});
