import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { pino } from 'pino';
import { startSweeping } from '../../src/service/sweeps.js';

const log = pino({ level: 'silent' });

describe('the service’s regular clean-up (sweeps)', () => {
  it('starts no sweep while another one runs, however long that takes', async () => {
    let running = 0;
    let most = 0;
    let begun = 0;
    const gates: (() => void)[] = [];
    const slow = async (): Promise<void> => {
      most = Math.max(most, ++running);
      begun++;
      await new Promise<void>((open) => gates.push(open));
      running--;
    };
    const stop = startSweeping({ slow }, log, 1);
    await setTimeout(50);
    assert.equal(begun, 1);
    gates.shift()?.();
    while (gates.length === 0) await setTimeout(1);
    assert.equal(most, 1);
    const stopped = stop();
    gates.shift()?.();
    await stopped;
    assert.equal(running, 0);
  });

  it('waits for the running task when stopped, and starts no further task, because the database may be closed', async () => {
    const begun: string[] = [];
    let open = (): void => undefined;
    const gate = new Promise<void>((resolve) => (open = resolve));
    const first = async (): Promise<void> => {
      begun.push('first');
      await gate;
    };
    const second = async (): Promise<void> => {
      begun.push('second');
      return Promise.resolve();
    };
    const stop = startSweeping({ first, second }, log, 1);
    let isStopped = false;
    const stopped = stop().then(() => (isStopped = true));
    await setTimeout(5);
    assert.equal(isStopped, false);
    open();
    await stopped;
    assert.deepEqual(begun, ['first']);
  });

  it('continues with the other tasks and the next sweep if a task fails', async () => {
    const begun: string[] = [];
    const failing = (): Promise<void> => {
      begun.push('failing');
      return Promise.reject(new Error('locked'));
    };
    let done = (): void => undefined;
    const twice = new Promise<void>((resolve) => (done = resolve));
    const other = (): Promise<void> => {
      begun.push('other');
      if (begun.length === 4) done();
      return Promise.resolve();
    };
    const stop = startSweeping({ failing, other }, log, 1);
    await twice;
    await stop();
    assert.deepEqual(begun.slice(0, 4), ['failing', 'other', 'failing', 'other']);
  });
});
