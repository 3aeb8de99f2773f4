// Tests the limit on requests per second, a token bucket that all processes share through the database.
import assert from 'node:assert/strict';
import { createAccount } from '../../../src/accounts/accounts.js';
import type { Plan } from '../../../src/accounts/plans.js';
import { consumeRequest, sweepRateLimits } from '../../../src/accounts/usage/rate-limit.js';
import { describeOnEachDatabase } from '../../support/databases.js';

// Plan whose bucket refills so slowly that no request is restored during a test.
const SLOW: Plan = {
  name: 'slow',
  checksPerMonth: null,
  requestsPerSecond: 0.001,
  burst: 5,
  batch: false,
  scanItems: 0,
  scansAtOnce: 0,
};

describeOnEachDatabase('the rate limit of an account', (bench) => {
  it('allows a burst over all database connections together, then refuses requests and returns the time to wait', async () => {
    const databases = [await bench.open(), await bench.open()];
    const { id } = await createAccount(databases[0]!, 'burst');
    const states = await Promise.all(
      Array.from({ length: 30 }, (_, index) => consumeRequest(databases[index % 2]!, id, SLOW)),
    );
    const allowed = states.filter((state) => state.allowed);
    assert.equal(allowed.length, 5);
    // A statement that had to wait for another one uses an earlier time, so it may report one remaining
    // request too few.
    const told = allowed.map(({ remaining }) => remaining).sort();
    assert.ok(
      told.every((remaining, left) => remaining === left || remaining === Math.max(0, left - 1)),
      told.join(),
    );
    for (const state of states.filter((state) => !state.allowed)) {
      assert.equal(state.remaining, 0);
      assert.ok(state.retryInMs > 900_000 && state.retryInMs <= 1_000_000, String(state.retryInMs));
    }
  });

  it('neither blocks requests for long nor allows additional ones after the clock was set back', async () => {
    const database = await bench.open();
    const { id } = await createAccount(database, 'clock');
    await consumeRequest(database, id, SLOW);
    const full = 'full_at + 86400000000';
    await database.run((queries) =>
      queries('rate_limits')
        .where({ account_id: id })
        .update({ full_at: queries.raw(full) }),
    );
    const states = [await consumeRequest(database, id, SLOW), await consumeRequest(database, id, SLOW)];
    assert.deepEqual(
      states.map(({ allowed }) => allowed),
      [true, false],
    );
    assert.ok(states[1]!.retryInMs <= 1_000_000, String(states[1]!.retryInMs));
  });

  it('allows requests again as time passes', async () => {
    const database = await bench.open();
    const { id } = await createAccount(database, 'refill');
    const plan: Plan = { ...SLOW, name: 'quick', requestsPerSecond: 20, burst: 1 };
    assert.equal((await consumeRequest(database, id, plan)).allowed, true);
    const refused = await consumeRequest(database, id, plan);
    await new Promise((resolve) => setTimeout(resolve, refused.retryInMs + 20));
    assert.equal((await consumeRequest(database, id, plan)).allowed, true);
  });

  it('deletes a counter that has been full for a day, whichever key, link or member it belongs to', async () => {
    const database = await bench.open();
    const { id } = await createAccount(database, 'swept');
    for (const name of ['key old', 'console mem_old', 'key recent'])
      await consumeRequest(database, id, { ...SLOW, name });
    await database.run((queries) =>
      queries('rate_limits')
        .where({ account_id: id })
        .where('plan', 'like', '%old')
        .update({ full_at: Date.now() - 86_400_001 }),
    );
    await sweepRateLimits(database);
    const names = await database.run((queries) =>
      queries('rate_limits').where({ account_id: id }).pluck('plan'),
    );
    assert.deepEqual(names, ['key recent']);
  });
});
