// Hashes of what an image shows: near for shifted and noisy copies, far for other images, none for flat ones.
import assert from 'node:assert/strict';
import {
  countDifferent,
  hashMiddle,
  hashWindows,
  keysOf,
  KEYS,
  SCENE_BITS,
} from '../../src/base/scene-hash.js';

const SIDE = 64;

/** Smooth shapes from a seed, seen through a window of the unit square. */
function draw(seed: number, window: readonly [number, number, number, number] = [0, 0, 1, 1]): Uint8Array {
  const [left, top, width, height] = window;
  let state = seed;
  const random = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const waves = Array.from({ length: 40 }, () => {
    const frequency = 1 + 14 * random();
    const angle = 2 * Math.PI * random();
    return {
      x: frequency * Math.cos(angle),
      y: frequency * Math.sin(angle),
      phase: 6 * random(),
      height: 60 / frequency,
    };
  });
  return Uint8Array.from({ length: SIDE * SIDE }, (_, at) => {
    const x = left + (((at % SIDE) + 0.5) / SIDE) * width;
    const y = top + ((Math.floor(at / SIDE) + 0.5) / SIDE) * height;
    const level = waves.reduce(
      (sum, wave) => sum + wave.height * Math.sin(6.28 * (wave.x * x + wave.y * y) + wave.phase),
      0,
    );
    return Math.max(0, Math.min(255, 128 + level));
  });
}

const nearest = (kept: Uint8Array, query: Uint8Array): number => {
  const hash = hashMiddle(kept);
  assert.ok(hash);
  return Math.min(...hashWindows(query).map((window) => countDifferent(window, hash)));
};

describe('hashes of scenes', () => {
  it('are equal for the same levels, and found by every key', () => {
    const levels = draw(1);
    const hash = hashMiddle(levels);
    assert.ok(hash);
    assert.equal(nearest(levels, levels), 0);
    const keys = keysOf(hash);
    assert.equal(keys.length, KEYS);
    assert.ok(hashWindows(levels).some((window) => keysOf(window).join() === keys.join()));
  });

  it('are near for crops of up to a tenth, whichever of the two is the crop', () => {
    for (const window of [
      [0, 0, 0.9, 0.9],
      [0.1, 0.1, 0.9, 0.9],
      [0.04, 0.07, 0.93, 0.91],
    ] as const)
      for (const seed of [1, 2, 3, 4]) {
        assert.ok(nearest(draw(seed), draw(seed, window)) <= 40, `${seed} ${window.join()}`);
        assert.ok(nearest(draw(seed, window), draw(seed)) <= 40, `${seed} ${window.join()}`);
      }
  });

  it('are far for other images', () => {
    for (let seed = 1; seed <= 8; seed += 1)
      assert.ok(nearest(draw(seed), draw(seed + 1)) > 0.3 * SCENE_BITS, String(seed));
  });

  it('are none for flat levels, with a grain or a slope that is hardly seen too', () => {
    for (const level of [0, 128, 255])
      assert.equal(hashMiddle(new Uint8Array(SIDE * SIDE).fill(level)), null);
    assert.equal(hashMiddle(Uint8Array.from({ length: SIDE * SIDE }, (_, at) => 128 + (at % 3))), null);
    assert.equal(
      hashMiddle(Uint8Array.from({ length: SIDE * SIDE }, (_, at) => 128 + (at % SIDE) / 16)),
      null,
    );
  });
});
