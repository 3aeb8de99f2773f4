// Tests the semaphore that accounts share: how many permits each may hold, and in which order callers wait.
import assert from 'node:assert/strict';
import { setMaxListeners } from 'node:events';
import { QUARTER_FOR_OTHERS, Semaphore } from '../../../../src/library/base/concurrency.js';

const { signal } = new AbortController();
setMaxListeners(0, signal);

function open(permits: number, queueLimit = Infinity): Semaphore {
  return new Semaphore({
    permits,
    queueLimit,
    keptForOthers: QUARTER_FOR_OTHERS,
    refuse: () => new Error('full'),
  });
}

/** Lets all pending callbacks run. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('the semaphore whose permits accounts share', () => {
  it('gives one account at most three quarters of the permits and keeps the rest for other accounts', async () => {
    for (const [permits, share] of [
      [4, 3],
      [8, 6],
      [100, 75],
    ] as const) {
      const semaphore = open(permits);
      for (let ask = 0; ask <= permits; ask += 1) void semaphore.enter(signal, 'greedy');
      await settle();
      assert.equal(semaphore.inUse, share);
      assert.equal(semaphore.waiting, permits + 1 - share);
      await semaphore.enter(signal, 'other');
      assert.equal(semaphore.inUse, share + 1);
    }
  });

  it('keeps the configured share of permits for other accounts', async () => {
    const semaphore = new Semaphore({
      permits: 12,
      queueLimit: Infinity,
      keptForOthers: 0.5,
      refuse: () => new Error('full'),
    });
    for (const account of ['greedy', 'good'])
      for (let ask = 0; ask < 12; ask += 1) void semaphore.enter(signal, account);
    await settle();
    assert.deepEqual([semaphore.inUse, semaphore.waiting], [12, 12]);
  });

  it('alternates between accounts if there is only one permit', async () => {
    const semaphore = open(1);
    const order: string[] = [];
    const work = async (accountId: string): Promise<void> => {
      const leave = await semaphore.enter(signal, accountId);
      order.push(accountId);
      await settle();
      leave();
    };
    const greedy = Array.from({ length: 5 }, () => work('greedy'));
    await Promise.all([...greedy, work('second'), work('third'), work('second')]);
    assert.deepEqual(order.slice(0, 4), ['greedy', 'second', 'third', 'greedy']);
    assert.equal(order.length, 8);
    assert.equal(semaphore.inUse + semaphore.waiting, 0);
  });

  it('gives a released permit to the waiting account with the fewest permits', async () => {
    const semaphore = open(8);
    const [first] = await Promise.all(Array.from({ length: 6 }, () => semaphore.enter(signal, 'greedy')));
    const entered: string[] = [];
    const ask = (accountId: string): void =>
      void semaphore.enter(signal, accountId).then(() => entered.push(accountId));
    for (let asked = 0; asked < 4; asked += 1) ask('its twin');
    await settle();
    assert.equal(semaphore.inUse, 8);
    ask('good');
    first?.();
    await settle();
    assert.deepEqual(entered, ['its twin', 'its twin', 'good']);
    assert.equal(semaphore.inUse, 8);
  });

  it('limits the number of waiting callers for each account separately', async () => {
    const semaphore = open(4, 2);
    for (let ask = 0; ask < 5; ask += 1) void semaphore.enter(signal, 'greedy');
    await assert.rejects(semaphore.enter(signal, 'greedy'), /full/);
    (await semaphore.enter(signal, 'other'))();
  });

  it('removes callers that stop waiting from the queue, and rejects all callers after it was closed', async () => {
    const semaphore = open(4);
    for (let ask = 0; ask < 3; ask += 1) await semaphore.enter(signal, 'greedy');
    const leaving = new AbortController();
    const gone = semaphore.enter(leaving.signal, 'greedy');
    leaving.abort(new Error('gone'));
    await assert.rejects(gone, /gone/);
    assert.equal(semaphore.waiting, 0);
    const waiting = semaphore.enter(signal, 'greedy');
    semaphore.close();
    await assert.rejects(waiting, /full/);
    await assert.rejects(semaphore.enter(signal, 'other'), /full/);
  });
});
