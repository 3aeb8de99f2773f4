// Tests closing an engine: accepted work is finished, and other work is refused.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { createEngine } from '../../../src/library/engine/native/engine.js';
import { CheckError } from '../../../src/library/base/errors.js';
import { modelsDir } from '../../support/test-models.js';

const read = (path: string) => readFile(new URL(`../../../${path}`, import.meta.url));
const hasCode = (code: string) => (error: unknown) => error instanceof CheckError && error.code === code;

describe('closing an engine', () => {
  it('finishes accepted work and refuses new work; close can be called again, and the engine’s counters stay readable', async () => {
    const scene = await read('test/fixtures/images/jpeg/scene.jpg');
    const engine = await createEngine({ modelsDir, device: 'cpu', threads: 2 });
    const accepted = Array.from({ length: 6 }, () => engine.inspect(scene));
    const closing = engine.close();
    await assert.rejects(engine.inspect(scene), hasCode('overloaded'));
    assert.equal((await Promise.all(accepted)).length, 6);
    await closing;
    await engine.close();
    await assert.rejects(engine.inspect(scene), hasCode('overloaded'));
    await assert.rejects(engine.recompress(scene, { longSidePx: 9, quality: 9 }), hasCode('overloaded'));
    assert.equal(engine.stats().inspected, 6);
    await assert.rejects(engine.sniff(scene), hasCode('overloaded'));
    await assert.rejects(engine.readMetadata(scene), hasCode('overloaded'));
  });

  it('finishes running inspections and refuses inspections that wait in an account’s queue', async () => {
    const scene = await read('test/fixtures/images/jpeg/scene.jpg');
    const engine = await createEngine({ modelsDir, device: 'cpu', threads: 1 });
    const asked = Array.from({ length: 6 }, () => engine.inspect(scene, { accountId: 'greedy' }));
    const settled = Promise.allSettled(asked);
    await engine.close();
    const ends = (await settled).map((end) =>
      end.status === 'fulfilled' ? 'inspected' : (end.reason as CheckError).code,
    );
    assert.equal(ends.filter((end) => end === 'inspected').length, engine.stats().inspected);
    assert.deepEqual(new Set(ends.slice(2)), new Set(['overloaded']));
  });

  it('leaves a second engine running', async () => {
    const scene = await read('test/fixtures/images/jpeg/scene.jpg');
    const engines = await Promise.all([
      createEngine({ modelsDir, threads: 1 }),
      createEngine({ modelsDir, threads: 1 }),
    ]);
    const [a, b] = await Promise.all(engines.map((engine) => engine.inspect(scene)));
    assert.equal(a!.fullImageScore, b!.fullImageScore);
    await engines[0].close();
    await engines[1].inspect(scene);
    await engines[1].close();
  });
});
