// Tests that a worker's engine has lower priority than checks over HTTP, but code that holds database locks
// does not.
import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { constants, getPriority } from 'node:os';
import { createEngine } from '../../../src/library/engine/native/engine.js';
import { inBackground } from '../../../src/library/engine/native/background.js';
import { modelsDir } from '../../support/test-models.js';

/** Returns the nice value of each thread of this process, by thread id. */
function priorities(): Map<number, number> {
  const found = new Map<number, number>();
  for (const thread of readdirSync('/proc/self/task').map(Number)) {
    try {
      const text = readFileSync(`/proc/self/task/${thread}/stat`, 'utf8');
      // The program name, in brackets, may contain spaces. The nice value is the 19th field.
      found.set(thread, Number(text.replace(/^.*\) /s, '').split(' ')[16]));
    } catch {
      // The thread has ended since it was listed, like the one that started an engine.
    }
  }
  return found;
}

describe('an engine for background work', function () {
  this.timeout(60_000);

  it('runs its threads at the lowest priority and leaves other threads of the process unchanged', async function () {
    if (process.platform !== 'linux') return this.skip();
    const own = getPriority();
    const before = priorities();
    const engine = await inBackground(() => createEngine({ modelsDir, threads: 2 }));
    try {
      const after = priorities();
      for (const [thread, nice] of before) if (after.has(thread)) assert.equal(after.get(thread), nice);
      const made = [...after].filter(([thread]) => !before.has(thread));
      assert.ok(made.length >= engine.stats().threads.decode, `${made.length} threads`);
      for (const [, nice] of made) assert.equal(nice, constants.priority.PRIORITY_LOW);
      assert.equal(getPriority(), own);
    } finally {
      await engine.close();
    }
  });

  it('rejects if the engine cannot be created', async () => {
    await assert.rejects(
      inBackground(() => Promise.reject(new Error('no models'))),
      /no models/,
    );
  });
});
