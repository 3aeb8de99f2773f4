// Shares of a gate: who takes what, who waits for whom.
import assert from 'node:assert/strict';
import { setMaxListeners } from 'node:events';
import { SharedGate } from '../../../src/base/concurrency/shared-gate.js';

const { signal } = new AbortController();
setMaxListeners(0, signal);

function open(places: number, queueLimit = Infinity): SharedGate {
  return new SharedGate({ places, queueLimit, refuse: () => new Error('full') });
}

/** Lets everything that can happen without anybody's doing happen. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('a gate with shares', () => {
  it('gives one account three quarters, and the rest to others', async () => {
    for (const [places, share] of [
      [4, 3],
      [8, 6],
      [100, 75],
    ] as const) {
      const gate = open(places);
      for (let ask = 0; ask <= places; ask += 1) void gate.enter(signal, 'greedy');
      await settle();
      assert.equal(gate.taken, share);
      assert.equal(gate.waiting, places + 1 - share);
      await gate.enter(signal, 'other');
      assert.equal(gate.taken, share + 1);
    }
  });

  it('takes turns where there is one place alone', async () => {
    const gate = open(1);
    const order: string[] = [];
    const work = async (accountId: string): Promise<void> => {
      const leave = await gate.enter(signal, accountId);
      order.push(accountId);
      await settle();
      leave();
    };
    const greedy = Array.from({ length: 5 }, () => work('greedy'));
    await Promise.all([...greedy, work('second'), work('third'), work('second')]);
    assert.deepEqual(order.slice(0, 4), ['greedy', 'second', 'third', 'greedy']);
    assert.equal(order.length, 8);
    assert.equal(gate.taken + gate.waiting, 0);
  });

  it('gives the place that comes free to the account that holds the fewest', async () => {
    const gate = open(8);
    const [first] = await Promise.all(Array.from({ length: 6 }, () => gate.enter(signal, 'greedy')));
    const entered: string[] = [];
    const ask = (accountId: string): void =>
      void gate.enter(signal, accountId).then(() => entered.push(accountId));
    for (let asked = 0; asked < 4; asked += 1) ask('its twin');
    await settle();
    assert.equal(gate.taken, 8);
    ask('good');
    first?.();
    await settle();
    assert.deepEqual(entered, ['its twin', 'its twin', 'good']);
    assert.equal(gate.taken, 8);
  });

  it('bounds the queue of each account by itself', async () => {
    const gate = open(4, 2);
    for (let ask = 0; ask < 5; ask += 1) void gate.enter(signal, 'greedy');
    await assert.rejects(gate.enter(signal, 'greedy'), /full/);
    (await gate.enter(signal, 'other'))();
  });

  it('forgets whoever leaves while it waits, and refuses all once it is closed', async () => {
    const gate = open(4);
    for (let ask = 0; ask < 3; ask += 1) await gate.enter(signal, 'greedy');
    const leaving = new AbortController();
    const gone = gate.enter(leaving.signal, 'greedy');
    leaving.abort(new Error('gone'));
    await assert.rejects(gone, /gone/);
    assert.equal(gate.waiting, 0);
    const waiting = gate.enter(signal, 'greedy');
    gate.close();
    await assert.rejects(waiting, /full/);
    await assert.rejects(gate.enter(signal, 'other'), /full/);
  });
});
