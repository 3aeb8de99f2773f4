// Shares of a gate: who takes what, who waits for whom.
import assert from 'node:assert/strict';
import { setMaxListeners } from 'node:events';
import { SharedGate } from '../../src/places/shared-gate.js';

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
      for (let ask = 0; ask <= places; ask += 1) void gate.enterFor('greedy', signal);
      await settle();
      assert.equal(gate.taken, share);
      assert.equal(gate.waiting, places + 1 - share);
      await gate.enterFor('other', signal);
      assert.equal(gate.taken, share + 1);
    }
  });

  it('takes turns where there is one place alone', async () => {
    const gate = open(1);
    const order: string[] = [];
    const work = async (accountId: string): Promise<void> => {
      const leave = await gate.enterFor(accountId, signal);
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

  it('bounds the queue of each account by itself', async () => {
    const gate = open(4, 2);
    for (let ask = 0; ask < 5; ask += 1) void gate.enterFor('greedy', signal);
    await assert.rejects(gate.enterFor('greedy', signal), /full/);
    (await gate.enterFor('other', signal))();
  });

  it('forgets whoever leaves while it waits, and refuses all once it is closed', async () => {
    const gate = open(4);
    for (let ask = 0; ask < 3; ask += 1) await gate.enterFor('greedy', signal);
    const leaving = new AbortController();
    const gone = gate.enterFor('greedy', leaving.signal);
    leaving.abort(new Error('gone'));
    await assert.rejects(gone, /gone/);
    assert.equal(gate.waiting, 0);
    const waiting = gate.enterFor('greedy', signal);
    gate.close();
    await assert.rejects(waiting, /full/);
    await assert.rejects(gate.enterFor('other', signal), /full/);
  });
});
