// Which process learns: one at a time, another where that one is gone, and none for ever.
import assert from 'node:assert/strict';
import { leaseCorrection } from '../../../src/service/corrections/lease.js';
import { pageCorrections, requestCorrection } from '../../../src/service/corrections/corrections.js';
import type { Database } from '../../../src/storage/db/database.js';
import { describeOnEachDatabase } from '../../support/databases.js';

describeOnEachDatabase('a lease', (databases) => {
  let database: Database;
  let id = '';
  beforeEach(async () => {
    database = await databases.open();
    await database.run((queries) => queries('corrections').delete());
    id = await requestCorrection(database, 'desk', 'op@desk.example');
  });

  const lease = async () => {
    const leased = await leaseCorrection(database);
    assert.ok(leased);
    return leased;
  };
  /** As if the process that has it were gone for a while. */
  const expire = (): Promise<unknown> =>
    database.run((queries) => queries('corrections').update({ claimed_until: Date.now() - 1 }));
  const state = async (): Promise<unknown[]> => {
    const {
      rows: [found],
    } = await pageCorrections(database);
    return [found?.state, found?.reason];
  };

  it('is one process’s', async () => {
    const mine = await lease();
    assert.equal(mine.id, id);
    assert.equal(await leaseCorrection(database), null);
    await mine.end({ state: 'refused', reason: 'x' });
    assert.deepEqual(await state(), ['refused', 'x']);
    assert.equal(await leaseCorrection(database), null);
  });

  it('goes to another where it ran out, whose end alone counts', async () => {
    const gone = await lease();
    await expire();
    const mine = await lease();
    await gone.end({ state: 'failed', reason: 'late' });
    assert.deepEqual(await state(), ['learning', null]);
    await mine.end({ state: 'refused', reason: 'in time' });
    assert.deepEqual(await state(), ['refused', 'in time']);
  });

  it('is of a correction or of thresholds, one of each at a time', async () => {
    const wanted = {
      aims: { strict: 0.003, balanced: 0.01, sensitive: 0.05 },
      from: '2026-11-01T00:00:00.000Z',
      to: null,
      alsoReported: false,
      accountIds: ['acc_1'],
    };
    const other = await requestCorrection(database, 'own', 'op@desk.example', wanted);
    await assert.rejects(requestCorrection(database, 'more', 'op@desk.example', wanted), {
      code: 'invalid_request',
      message: 'other thresholds are being learned',
    });
    // A version before knows the first slot alone, and would learn a correction in their place.
    const slots = await database.run((queries) => queries('corrections').pluck<number[]>('at_work'));
    assert.deepEqual(slots.sort(), [1, 2]);
    const leases = [await lease(), await lease()];
    const [first, second] = [id, other].map((asked) => leases.find((of) => of.id === asked));
    assert.deepEqual([first?.wanted, second?.wanted], [null, wanted]);
    assert.equal(await leaseCorrection(database), null);
    await second?.end({ state: 'refused', reason: 'x' });
    const { rows } = await pageCorrections(database);
    assert.deepEqual(rows.map(({ kind, state: at }) => `${kind} ${at}`).sort(), [
      'correction learning',
      'thresholds refused',
    ]);
  });

  it('that was begun three times and never ended is the last', async () => {
    for (let tries = 0; tries < 3; tries += 1) {
      await (await lease()).release(false);
      await expire();
    }
    assert.equal(await leaseCorrection(database), null);
    assert.deepEqual(await state(), ['failed', 'it was begun three times and never ended']);
  });

  it('that was given back for what is no fault of the pictures counts for nothing', async () => {
    for (let tries = 0; tries < 5; tries += 1) {
      await (await lease()).release(true);
      await expire();
    }
    await (await lease()).end({ state: 'refused' });
  });
});
