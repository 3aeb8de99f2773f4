// Tests that an engine runs requests of waiting callers before background work.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createChecker, type Checker } from '../../../src/library/check/checker.js';
import { modelsDir } from '../../support/test-models.js';

describe('an engine with background work', function () {
  this.timeout(120_000);
  const image = readFileSync('samples/scene.jpg');
  let checker: Checker;

  before(async () => {
    checker = await createChecker({ modelsDir, threads: 1, views: 1, device: 'cpu' });
  });
  after(() => checker.close());

  it('runs foreground work before earlier background work, and completes all background work', async () => {
    const { engine } = checker;
    const order: string[] = [];
    const ask = async (name: string, background: boolean): Promise<void> => {
      // The account has no effect on background work, which has its own queue.
      await engine.inspect(image, { background, accountId: 'one' });
      order.push(name);
    };
    // All are submitted at once, while the engine's only thread works on the first ones. On a busy machine that
    // thread may finish several of the background work before the callers' work is submitted, but not all.
    const numbers = Array.from({ length: 20 }, (_, at) => at + 1);
    const background = numbers.map((number) => ask(`background ${number}`, true));
    const callers = ['a', 'b'].map((name) => ask(`caller ${name}`, false));
    await Promise.all([...background, ...callers]);
    assert.deepEqual(
      order.filter((name) => name.startsWith('background')),
      numbers.map((number) => `background ${number}`),
    );
    assert.ok(order.indexOf('caller b') < order.indexOf('background 20'), order.join(', '));
  });

  it('returns the same result for a background inspection as for a foreground inspection', async () => {
    const [one, other] = await Promise.all([
      checker.check(image),
      checker.check(image, { background: true }),
    ]);
    assert.equal(one.fullImageScore, other.fullImageScore);
    await assert.rejects(checker.check(image, { background: 'yes' as unknown as boolean }), TypeError);
    await assert.rejects(checker.engine.inspect(image, { background: 1 as unknown as boolean }), TypeError);
  });
});
