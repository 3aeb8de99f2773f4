// Tests that one process at a time fits thresholds, is replaced after a crash, and makes a limited number of
// attempts.
import assert from 'node:assert/strict';
import { leaseThresholds } from '../../../src/service/own-thresholds/lease.js';
import { pageThresholds, requestThresholds } from '../../../src/service/own-thresholds/own-thresholds.js';
import type { Database } from '../../../src/storage/db/database.js';
import { describeOnEachDatabase } from '../../support/databases.js';

const WANTED = {
  aims: { strict: 0.003, balanced: 0.01, sensitive: 0.05 },
  from: '2026-11-01T00:00:00.000Z',
  to: null,
  alsoReported: false,
  accountIds: ['acc_1'],
};

describeOnEachDatabase('the lease that lets only one process fit thresholds', (databases) => {
  let database: Database;
  let id = '';
  beforeEach(async () => {
    database = await databases.open();
    await database.run((queries) => queries('corrections').delete());
    id = await requestThresholds(database, 'desk', 'op@desk.example', WANTED);
  });

  const lease = async () => {
    const leased = await leaseThresholds(database);
    assert.ok(leased);
    return leased;
  };
  /** Makes the lease expire, as if its process had been gone for some time. */
  const expire = (): Promise<unknown> =>
    database.run((queries) => queries('corrections').update({ claimed_until: Date.now() - 1 }));
  const state = async (): Promise<unknown[]> => {
    const {
      rows: [found],
    } = await pageThresholds(database);
    return [found?.state, found?.reason];
  };

  it('lets only one process at a time work on a threshold fit', async () => {
    const mine = await lease();
    assert.equal(mine.id, id);
    assert.equal(await leaseThresholds(database), null);
    await mine.end({ state: 'refused', reason: 'x' });
    assert.deepEqual(await state(), ['refused', 'x']);
    assert.equal(await leaseThresholds(database), null);
  });

  it('passes a threshold fit to another process after it expires, and then accepts a result only from that process', async () => {
    const gone = await lease();
    await expire();
    const mine = await lease();
    await gone.end({ state: 'failed', reason: 'late' });
    assert.deepEqual(await state(), ['learning', null]);
    await mine.end({ state: 'refused', reason: 'in time' });
    assert.deepEqual(await state(), ['refused', 'in time']);
  });

  it('starts the next threshold fit only after the current one has ended', async () => {
    await assert.rejects(requestThresholds(database, 'more', 'op@desk.example', WANTED), {
      code: 'invalid_request',
      message: 'Other thresholds are being fitted',
    });
    const mine = await lease();
    assert.deepEqual(mine.request, WANTED);
    await mine.end({ state: 'refused', reason: 'x' });
    await assert.rejects(requestThresholds(database, 'desk', 'op@desk.example', WANTED), {
      message: 'Thresholds desk already exist',
    });
    await requestThresholds(database, 'more', 'op@desk.example', WANTED);
  });

  it('reports a threshold fit as failed after three unfinished attempts', async () => {
    for (let tries = 0; tries < 3; tries += 1) {
      await (await lease()).release({ isServiceFault: false });
      await expire();
    }
    assert.equal(await leaseThresholds(database), null);
    assert.deepEqual(await state(), ['failed', 'the fit was started three times and never finished']);
  });

  it('does not count an attempt that ended for reasons unrelated to the images', async () => {
    for (let tries = 0; tries < 5; tries += 1) {
      await (await lease()).release({ isServiceFault: true });
      await expire();
    }
    await (await lease()).end({ state: 'refused' });
  });
});
