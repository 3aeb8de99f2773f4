// Tests inspecting an operator's images: copies, contradicting labels, animations, and images that a check
// would refuse.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { loadFitImages } from '../../../src/calibration/thresholds/fit-images.js';
import type { Engine } from '../../../src/library/engine/types.js';
import { face, IMAGE, inspection } from '../../support/evidence.js';
import { makeFolder } from '../../support/folders.js';
import { createMemoryEngine } from '../../support/memory-engine.js';

describe('inspecting images for calibration', () => {
  const { signal } = new AbortController();
  const folder = makeFolder('see');
  before(async () => {
    const contents = { a: 'one', b: 'one', c: 'two', d: 'two', e: 'animated', f: 'small', g: 'three' };
    for (const [name, text] of Object.entries(contents)) await writeFile(join(folder, `${name}.jpg`), text);
  });

  /** Returns an engine that recognises an image by the text in its file. */
  function engine(): Engine {
    const memory = createMemoryEngine(IMAGE, inspection(0.25, [face(0.4), face(0.6)]));
    return {
      ...memory,
      sniff: (bytes) => {
        const text = Buffer.from(bytes).toString();
        return Promise.resolve({
          ...IMAGE,
          ...(text === 'animated' && { frameCount: 12 }),
          ...(text === 'small' && { width: 100 }),
        });
      },
      stats: () => ({ threads: { decode: 2 } }) as ReturnType<Engine['stats']>,
    };
  }

  it('inspects each distinct image once and names the skipped ones', async () => {
    let steps = 0;
    const labelled = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'none'].map((name) => ({
      path: join(folder, `${name}.jpg`),
      isAi: name === 'd',
      source: 's',
      group: 's',
      kind: '',
      content: '',
    }));
    const onImage = (): Promise<void> => {
      steps += 1;
      return Promise.resolve();
    };
    const found = await loadFitImages(labelled, { engine: engine(), limits: { signal }, onImage });
    const names = (paths: readonly string[]): string[] => paths.map((path) => path.at(-5)!);
    assert.equal(steps, 8);
    assert.deepEqual(names(found.usable.map(({ path }) => path)), ['a', 'e', 'g']);
    assert.deepEqual(names(found.copies), ['b']);
    assert.deepEqual(names(found.contradictions), ['c', 'd']);
    assert.deepEqual(names(found.animations), ['e']);
    assert.deepEqual(
      found.refused.map(({ code }) => code),
      ['image_too_small', 'not_found'],
    );
    assert.deepEqual(
      [found.usable[0]?.fullImage, found.usable[0]?.face, found.usable[0]?.sha256.length],
      [0.25, 0.6, 64],
    );
  });
});
