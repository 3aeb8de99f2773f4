// Tests the time limit of a check: the remaining time, and whether work, limit or abort signal comes first.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { startDeadline } from '../../../src/library/check/deadline.js';

const never = new Promise<never>(() => undefined);

describe('the time limit of a check', () => {
  it('returns the result of the check if the check finishes in time', async () => {
    for (const given of [{}, { deadlineMs: 60_000 }, { signal: new AbortController().signal }]) {
      const deadline = startDeadline(given);
      assert.equal(await deadline.race(Promise.resolve(7)), 7);
      await assert.rejects(deadline.race(Promise.reject(new Error('its own fault'))), /its own fault/);
    }
  });

  it('fails the check with deadline_exceeded, counted from the start of the check', async () => {
    const deadline = startDeadline({ deadlineMs: 5 });
    const fault = { name: 'CheckError', code: 'deadline_exceeded', message: /within 5 ms/ };
    await assert.rejects(deadline.race(never), fault);
    await assert.rejects(startDeadline({ deadlineMs: 0 }).race(never), { code: 'deadline_exceeded' });
    await sleep(10);
    assert.deepEqual(deadline.remaining(), { deadlineMs: 0 });
  });

  it('rejects with the reason of the abort signal before the check starts, before its work and during its work', async () => {
    const reason = new Error('called off');
    assert.throws(() => startDeadline({ signal: AbortSignal.abort(reason) }), reason);
    const controller = new AbortController();
    const deadline = startDeadline({ signal: controller.signal, deadlineMs: 60_000 });
    const race = assert.rejects(deadline.race(never), reason);
    controller.abort(reason);
    await race;
    await assert.rejects(deadline.race(never), reason);
  });

  it('reports the remaining time, or no time if there is no limit', async () => {
    const { signal } = new AbortController();
    assert.deepEqual(startDeadline({}).remaining(), {});
    assert.deepEqual(startDeadline({ signal }).remaining(), { signal });
    const deadline = startDeadline({ deadlineMs: 60_000 });
    await sleep(5);
    const [elapsed, { deadlineMs = NaN }] = [deadline.elapsedMs(), deadline.remaining()];
    assert.ok(elapsed >= 4 && elapsed < 60_000, String(elapsed));
    assert.ok(deadlineMs <= 60_000 - elapsed && deadlineMs > 0, String(deadlineMs));
  });

  it('leaves no timer running after the check', async () => {
    const timers = async (): Promise<number> => {
      await new Promise((resolve) => setImmediate(resolve));
      return process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
    };
    const before = await timers();
    await startDeadline({ deadlineMs: 60_000 }).race(Promise.resolve());
    assert.equal(await timers(), before);
  });
});
