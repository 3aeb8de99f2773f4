// Rates as people read them.
import assert from 'node:assert/strict';
import { percentDown, percentUp, roundDown, roundUp } from '../../../src/library/base/rates.js';

describe('a rate', () => {
  it('of mistakes is never told lower than it is', () => {
    const shares = [0, 0.0015, 0.003, 0.00151, 0.00001, 0.07, 0.0999, 0.1, 0.12345, 1 / 3, 1];
    assert.deepEqual(shares.map(percentUp), ['0%', '0.15%', '0.3%', '0.16%', '0.01%', '7%', '9.99%', '10%', '12.4%', '33.4%', '100%']); // prettier-ignore
  });

  it('of hits is never told higher than it is', () => {
    assert.deepEqual([0, 0.0799, 0.6789, 2 / 3, 0.9999, 1].map(percentDown), ['0%', '7.99%', '67.8%', '66.6%', '99.9%', '100%']); // prettier-ignore
  });

  it('stays what it is where it has few decimals, though floats lie beside them', () => {
    for (let step = 0; step <= 1000; step += 1)
      assert.deepEqual([roundUp(step / 1000, 3), roundDown(step / 1000, 3)], [step / 1000, step / 1000]);
  });
});
