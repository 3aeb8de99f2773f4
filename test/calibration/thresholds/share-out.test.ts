// Tests the maximum number of images from one source: no more than from all other sources together.
import assert from 'node:assert/strict';
import { shareOut } from '../../../src/calibration/thresholds/share-out.js';

/** Returns images `a0 a1 ... b0 ...` of sources with the given counts. */
function images(counts: Record<string, number>): { source: string; path: string }[] {
  return Object.entries(counts).flatMap(([source, count]) =>
    Array.from({ length: count }, (_, at) => ({ source, path: `${source}${at}` })),
  );
}

describe('choosing images for a threshold fit', () => {
  const names = (of: readonly { path: string }[]): string => of.map(({ path }) => path).join(' ');

  it('takes at most half of the images from one source, starting with its first images', () => {
    const { taken, surplus } = shareOut(images({ a: 5, b: 2, c: 1 }), { isShared: true });
    assert.equal(names(taken), 'a0 a1 a2 b0 b1 c0');
    assert.equal(names(surplus), 'a3 a4');
    assert.deepEqual(shareOut(images({ a: 9 }), { isShared: true }).taken, []);
    assert.equal(shareOut(images({ a: 3, b: 3 }), { isShared: true }).surplus.length, 0);
    assert.deepEqual(shareOut([], { isShared: true }), { taken: [], surplus: [] });
  });

  it('takes all images if there is only one account', () => {
    assert.equal(shareOut(images({ a: 9 }), { isShared: false }).taken.length, 9);
  });

  it('takes images from each account in turn if their number is limited', () => {
    const { taken, surplus } = shareOut(images({ a: 90, b: 40, c: 2 }), { isShared: true, maximum: 10 });
    assert.equal(names(taken), 'a0 a1 a2 a3 b0 b1 b2 b3 c0 c1');
    assert.equal(surplus.length, 122);
    assert.equal(shareOut(images({ a: 90 }), { isShared: false, maximum: 10 }).taken.length, 10);
  });
});
