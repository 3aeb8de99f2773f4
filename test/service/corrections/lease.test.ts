// Which process learns: one at a time, another where that one is gone, and none for ever.
import assert from 'node:assert/strict';
import { leaseCorrection } from '../../../src/service/corrections/lease.js';
import { pageCorrections, requestCorrection } from '../../../src/service/corrections/corrections.js';
import type { Database } from '../../../src/storage/db/database.js';
import { describeOnEachDatabase } from '../../support/databases.js';

describeOnEachDatabase('a claim', (databases) => {
  let database: Database;
  let id = '';
  beforeEach(async () => {
    database = await databases.open();
    await database.run((queries) => queries('corrections').delete());
    id = await requestCorrection(database, 'desk', 'op@desk.example');
  });

  const claim = async () => {
    const claimed = await leaseCorrection(database);
    assert.ok(claimed);
    return claimed;
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
    const mine = await claim();
    assert.equal(mine.id, id);
    assert.equal(await leaseCorrection(database), null);
    await mine.end({ state: 'refused', reason: 'x' });
    assert.deepEqual(await state(), ['refused', 'x']);
    assert.equal(await leaseCorrection(database), null);
  });

  it('goes to another where it ran out, whose end alone counts', async () => {
    const gone = await claim();
    await expire();
    const mine = await claim();
    await gone.end({ state: 'failed', reason: 'late' });
    assert.deepEqual(await state(), ['learning', null]);
    await mine.end({ state: 'refused', reason: 'in time' });
    assert.deepEqual(await state(), ['refused', 'in time']);
  });

  it('that was begun three times and never ended is the last', async () => {
    for (let tries = 0; tries < 3; tries += 1) {
      await (await claim()).release(false);
      await expire();
    }
    assert.equal(await leaseCorrection(database), null);
    assert.deepEqual(await state(), ['failed', 'it was begun three times and never ended']);
  });

  it('that was given back for what is no fault of the pictures counts for nothing', async () => {
    for (let tries = 0; tries < 5; tries += 1) {
      await (await claim()).release(true);
      await expire();
    }
    await (await claim()).end({ state: 'refused' });
  });
});
