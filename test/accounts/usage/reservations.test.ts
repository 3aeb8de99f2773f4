// Tests checks reserved for scans: they count against the quota until they are charged or returned.
import assert from 'node:assert/strict';
import { createAccount } from '../../../src/accounts/accounts.js';
import type { Plan } from '../../../src/accounts/plans.js';
import { requireLeft } from '../../../src/accounts/usage/period-counter.js';
import { reserveChecks, returnReserved, spendReserved } from '../../../src/accounts/usage/reservations.js';
import { readPeriodUsage, readUsedByAccount, readUsedByPlan } from '../../../src/accounts/usage/usage.js';
import { describeOnEachDatabase } from '../../support/databases.js';

const PLAN: Plan = {
  name: 'tiny',
  checksPerMonth: 10,
  requestsPerSecond: 1,
  burst: 1,
  batch: true,
  scanItems: 10,
  scansAtOnce: 1,
};
const NOW = new Date('2026-02-10T12:00:00Z');

describeOnEachDatabase('checks reserved for scans', (bench) => {
  it('are deducted from the remaining quota, and returned if they are not charged', async () => {
    const database = await bench.open();
    const accountId = (await createAccount(database, 'aside')).id;
    const payer = { accountId, plan: PLAN };
    const usage = () => readPeriodUsage(database, accountId, PLAN.name, NOW);
    const reserve = (count: number) =>
      database.transaction((queries) => reserveChecks(queries, payer, count, NOW));
    const reservation = await reserve(7);
    assert.deepEqual(reservation, { accountId, plan: 'tiny', period: '2026-02' });
    assert.deepEqual(await usage(), { used: 0, reserved: 7 });
    await assert.rejects(reserve(4), {
      code: 'quota_exceeded',
      message:
        'the plan tiny has 10 checks a month and 3 are left (7 are reserved for scans); this call needs 4. ' +
        'The next period starts on 2026-03-01 (UTC)',
    });
    await reserve(3);
    await database.transaction((queries) => spendReserved(queries, reservation, 2));
    assert.deepEqual(await usage(), { used: 2, reserved: 8 });
    await database.transaction((queries) => returnReserved(queries, reservation, 5));
    assert.deepEqual(await usage(), { used: 2, reserved: 3 });
  });

  it('are charged in the month of their reservation, to their own account and plan', async () => {
    const database = await bench.open();
    const ids = [
      (await createAccount(database, 'first')).id,
      (await createAccount(database, 'second')).id,
    ] as const;
    const other: Plan = { ...PLAN, name: 'other', checksPerMonth: null };
    await database.transaction(async (queries) => {
      const reserve = (accountId: string, plan: Plan, now: Date) =>
        reserveChecks(queries, { accountId, plan }, 3, now);
      const january = await reserve(ids[0], PLAN, new Date('2026-01-31T23:59:59Z'));
      const february = await reserve(ids[0], PLAN, NOW);
      await spendReserved(queries, january, 3);
      await spendReserved(queries, february, 1);
      await spendReserved(queries, await reserve(ids[0], other, NOW), 2);
      await spendReserved(queries, await reserve(ids[1], PLAN, NOW), 3);
    });
    assert.deepEqual(await readUsedByPlan(database, ids[0], NOW), [
      { plan: 'other', used: 2 },
      { plan: 'tiny', used: 1 },
    ]);
    assert.deepEqual(
      await readUsedByAccount(database, ids, NOW),
      new Map([
        [ids[0], 3],
        [ids[1], 3],
      ]),
    );
    assert.deepEqual(await readUsedByAccount(database, [ids[1]], NOW), new Map([[ids[1], 3]]));
    const january = new Date('2026-01-01T00:00:00Z');
    assert.deepEqual(await readUsedByPlan(database, ids[0], january), [{ plan: 'tiny', used: 3 }]);
  });
});

describe('the remaining quota of an account', () => {
  const left = (used: number, reserved: number, wanted: number, plan = PLAN): string => {
    try {
      requireLeft(plan, { used, reserved }, wanted, NOW);
    } catch (error) {
      return (error as Error).message;
    }
    return '';
  };

  it('allows checks up to the last one, excluding those reserved for scans', () => {
    assert.equal(left(6, 3, 1), '');
    assert.equal(left(1_000_000, 0, 1, { ...PLAN, checksPerMonth: null }), '');
    assert.match(left(6, 3, 2), /1 is left \(3 are reserved for scans\); this call needs 2/);
    assert.match(left(9, 1, 1), /0 are left \(1 is reserved for scans\); this check needs 1/);
    assert.match(left(12, 0, 1), /0 are left; this check needs 1/);
  });
});
