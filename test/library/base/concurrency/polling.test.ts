// Tests repeating work with pauses.
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { startPolling } from '../../../../src/library/base/concurrency.js';

describe('polling', () => {
  it('repeats at once after an attempt that returns true, and pauses after any other', async () => {
    let attempts = 0;
    const stop = startPolling(3_600_000, () => Promise.resolve((attempts += 1) < 3));
    while (attempts < 3) await setTimeout(1);
    await setTimeout(20);
    assert.equal(attempts, 3);
    await stop();
    assert.equal(attempts, 3);
  });

  it('aborts the signal of the running attempt when it stops, and waits for the end of the attempt', async () => {
    let isEnded = false;
    const stop = startPolling(1, async (signal) => {
      await setTimeout(3_600_000, undefined, { signal }).catch(() => undefined);
      await setTimeout(5);
      isEnded = true;
      return true;
    });
    await stop();
    assert.ok(isEnded);
  });
});
