// Tests how near copies of an image are recognised by their perceptual hashes.
import assert from 'node:assert/strict';
import { countDifferentBits, findNearCopies } from '../../../src/library/base/perceptual-hash.js';

describe('perceptual hashes', () => {
  it('are compared in all 64 bits', () => {
    assert.equal(countDifferentBits('0000000000000000', 'ffffffffffffffff'), 64);
    assert.equal(countDifferentBits('8000000000000001', '0000000000000000'), 2);
    assert.equal(countDifferentBits('f00000000000000f', 'f00000000000000f'), 0);
    for (let bit = 0; bit < 64; bit += 1) {
      const one = (1n << BigInt(bit)).toString(16).padStart(16, '0');
      assert.equal(countDifferentBits(one, '0000000000000000'), 1, one);
    }
  });

  it('group near copies of an image under the first copy', () => {
    const hashes = [
      '00000000000000ff',
      null,
      '0000000000000000',
      '0000000000ffffff',
      null,
      '0000000000fffffe',
    ];
    assert.deepEqual(findNearCopies(hashes), [2, 5]);
    assert.deepEqual(findNearCopies(['00000000000001ff', '0000000000000000']), [], '9 bits are no copy');
    assert.deepEqual(findNearCopies([]), []);
  });
});
