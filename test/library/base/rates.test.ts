// Tests how displayed rates are rounded.
import assert from 'node:assert/strict';
import { percentDown, percentUp, roundDown, roundUp } from '../../../src/library/base/numbers.js';

describe('rounding of a displayed rate', () => {
  it('rounds an error rate up, so that the displayed rate never looks better than it is', () => {
    const shares = [0, 0.0015, 0.003, 0.00151, 0.00001, 0.07, 0.0999, 0.1, 0.12345, 1 / 3, 1];
    assert.deepEqual(shares.map(percentUp), ['0%', '0.15%', '0.3%', '0.16%', '0.01%', '7%', '9.99%', '10%', '12.4%', '33.4%', '100%']); // prettier-ignore
  });

  it('rounds a detection rate down, so that the displayed rate never looks better than it is', () => {
    assert.deepEqual([0, 0.0799, 0.6789, 2 / 3, 0.9999, 1].map(percentDown), ['0%', '7.99%', '67.8%', '66.6%', '99.9%', '100%']); // prettier-ignore
  });

  it('keeps a rate with few decimals unchanged, despite floating-point errors', () => {
    for (let step = 0; step <= 1000; step += 1)
      assert.deepEqual([roundUp(step / 1000, 3), roundDown(step / 1000, 3)], [step / 1000, step / 1000]);
  });
});
