// Tests the search for open watermarks, which the generators' own library wrote into the test image.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createEngine } from '../../../src/library/engine/native/engine.js';
import type { Engine } from '../../../src/library/engine/types.js';
import { readFixture, SCENE_JPEG } from '../../support/images.js';
import { modelsDir } from '../../support/test-models.js';

const MESSAGES: readonly (readonly [file: string, generator: string, bits: number])[] = [
  ['sd1', 'Stable Diffusion 1', 136],
  ['sd2', 'Stable Diffusion 2', 32],
  ['sdxl', 'Stable Diffusion XL', 48],
  ['flux', 'FLUX', 46],
  ['invokeai', 'InvokeAI', 64],
];

describe('the search for invisible watermarks', () => {
  let engine: Engine;
  before(async () => {
    engine = await createEngine({ modelsDir, device: 'cpu', threads: 1 });
  });
  after(() => engine.close());

  for (const [file, generator, bits] of MESSAGES) {
    it(`finds the watermark of ${generator}, and no other`, async () => {
      const png = readFileSync(new URL(`../../fixtures/watermarks/${file}.png`, import.meta.url));
      const { watermarks: found } = await engine.searchPixels(png);
      assert.deepEqual(
        found.map((one) => [one.generator, one.bits]),
        [[generator, bits]],
      );
      assert.ok(found[0]!.matchingBits <= bits);
    });
  }

  it('finds no watermark in images without one', async () => {
    for (const image of [SCENE_JPEG, readFixture('png/scene.png'), readFixture('webp/scene.webp')])
      assert.deepEqual(await engine.searchPixels(image), { visible: [], watermarks: [] });
  });

  it('refuses bytes that are not an image, and respects abort signal and time limit', async () => {
    await assert.rejects(engine.searchPixels(Buffer.from('no image')), { code: 'unsupported_format' });
    await assert.rejects(engine.searchPixels(SCENE_JPEG.subarray(0, 9000)), { code: 'image_corrupt' });
    const reason = new Error('gone');
    await assert.rejects(engine.searchPixels(SCENE_JPEG, { signal: AbortSignal.abort(reason) }), reason);
  });
});
