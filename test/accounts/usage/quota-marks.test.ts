// Tests quota warnings: each is sent once per month, in the transaction of the charge that reaches it, even
// under load.
import assert from 'node:assert/strict';
import type { QuotaListener } from '../../../src/accounts/usage/period-counter.js';
import { recordChecks, type Payer } from '../../../src/accounts/usage/record-checks.js';
import { reserveChecks, returnReserved } from '../../../src/accounts/usage/reservations.js';
import { readPeriodUsage } from '../../../src/accounts/usage/usage.js';
import type { Database } from '../../../src/storage/db/database.js';
import { newCheck, newPayer, PLAN } from '../../support/history.js';
import { describeOnEachDatabase } from '../../support/databases.js';

describeOnEachDatabase('quota warnings', (bench) => {
  const withQuota = async (database: Database, account: string, checksPerMonth: number): Promise<Payer> => ({
    ...(await newPayer(database, account)),
    plan: { ...PLAN, checksPerMonth },
  });
  const charge = (database: Database, payer: Payer, onMark: QuotaListener | null, count = 1) =>
    recordChecks(database, {
      payer,
      requestId: 'r',
      keepsHistory: false,
      checks: Array.from({ length: count }, () => newCheck()),
      answer: null,
      onMark,
    });
  const collect = (): { readonly told: number[]; readonly onMark: QuotaListener } => {
    const told: number[] = [];
    return { told, onMark: (_queries, { percent }) => Promise.resolve(void told.push(percent)) };
  };

  it('are sent once each, even with concurrent checks of two processes', async () => {
    const [one, other] = [await bench.open(), await bench.open()];
    const payer = await withQuota(one, 'at once', 20);
    const { told, onMark } = collect();
    const charges = Array.from({ length: 24 }, (_, at) => charge(at % 2 === 0 ? one : other, payer, onMark));
    const settled = await Promise.allSettled(charges);
    assert.equal(settled.filter(({ status }) => status === 'fulfilled').length, 20);
    assert.deepEqual(told, [80, 100]);
  });

  it('are sent at 80 % and 100 % of the quota (both if one request passes both), and never without a quota', async () => {
    const database = await bench.open();
    const payer = await withQuota(database, 'steps', 10);
    const { told, onMark } = collect();
    for (const expected of [[], [80], [80], [80, 100]]) {
      await charge(database, payer, onMark, expected.length === 0 ? 7 : 1);
      assert.deepEqual(told, expected);
    }
    const leap = collect();
    await charge(database, await withQuota(database, 'leap', 3), leap.onMark, 3);
    assert.deepEqual(leap.told, [80, 100]);
    const free = collect();
    await charge(database, await newPayer(database, 'no quota'), free.onMark, 3);
    assert.deepEqual(free.told, []);
  });

  it('count checks reserved for scans, and are not repeated if reserved checks are returned and used', async () => {
    const database = await bench.open();
    const payer = await withQuota(database, 'aside', 10);
    const { told, onMark } = collect();
    const now = new Date();
    const reservation = await database.transaction((queries) =>
      reserveChecks(queries, payer, 9, now, onMark),
    );
    assert.deepEqual(told, [80]);
    await database.transaction((queries) => returnReserved(queries, reservation, 9));
    await charge(database, payer, onMark, 9);
    assert.deepEqual(told, [80]);
    await charge(database, payer, onMark);
    assert.deepEqual(told, [80, 100]);
  });

  it('are sent after the quota was lowered, and again if sending failed', async () => {
    const database = await bench.open();
    const payer = await withQuota(database, 'smaller', 100);
    const { told, onMark } = collect();
    await charge(database, payer, onMark, 9);
    const fails: QuotaListener = () => Promise.reject(new Error('no queue'));
    const less = { ...payer, plan: { ...PLAN, checksPerMonth: 12 } };
    await assert.rejects(charge(database, less, fails), { message: 'no queue' });
    assert.equal((await readPeriodUsage(database, payer.accountId, PLAN.name, new Date())).used, 9);
    await charge(database, less, onMark);
    assert.deepEqual(told, [80]);
  });
});
