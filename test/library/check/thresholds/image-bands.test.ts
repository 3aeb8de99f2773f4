// Tests the threshold for one image, which lies between the ones for photographs and drawings.
import assert from 'node:assert/strict';
import { bandsOf, mediumOf, thresholdBetween } from '../../../../src/library/check/thresholds/image-bands.js';
import { PROFILE_BANDS } from '../../../support/evidence.js';

describe('the threshold for one image', () => {
  const thresholds = { photographed: 0.8765, drawn: 0.9791 };
  const at = (drawn: number): number => thresholdBetween(thresholds, drawn);

  it('is the threshold for photographs or the one for drawings if the kind of image is certain', () => {
    assert.deepEqual([at(0), at(1)], [0.8765, 0.9791]);
  });

  it('changes smoothly between both thresholds with the probability that the image is a drawing', () => {
    assert.equal(thresholdBetween({ photographed: 0.9, drawn: 0.99 }, 0.5), 0.9676);
    const all = Array.from({ length: 1001 }, (_, step) => at(step / 1000));
    for (const [step, threshold] of all.entries()) {
      const before = all[step - 1] ?? threshold;
      assert.ok(threshold >= before && threshold - before < 0.001, `${step}: ${before}, ${threshold}`);
    }
  });

  it('stays the same if the probability of a drawing is rounded to four decimals', () => {
    for (const drawn of [0.12344, 0.499951, 0.77777, 0.99996]) {
      const told = Math.round(drawn * 1e4) / 1e4;
      assert.deepEqual([at(drawn), mediumOf(drawn)], [at(told), mediumOf(told)]);
    }
  });

  it('is a valid number even if the threshold for drawings is 1, at which no drawing is flagged', () => {
    assert.equal(thresholdBetween({ photographed: 0.9, drawn: 1 }, 0), 0.9);
    assert.equal(thresholdBetween({ photographed: 0.9, drawn: 1 }, 1), 1);
    const between = thresholdBetween({ photographed: 0.9, drawn: 1 }, 0.1);
    assert.ok(between > 0.9 && between < 1);
  });

  it('comes with error rates weighted between both kinds, or without rates if one rate was not measured', () => {
    const { fullImage, face } = bandsOf(PROFILE_BANDS, 0.25);
    assert.deepEqual(fullImage, {
      threshold: 0.8305,
      falseAlarmRate: 0.0125,
      recall: { clean: 0.45, web: 0.35, hard: null },
    });
    assert.equal(face, PROFILE_BANDS.face);
    const { photographed, drawn } = PROFILE_BANDS.fullImage;
    const swapped = { fullImage: { photographed: drawn, drawn: photographed }, face };
    assert.equal(bandsOf(swapped, 0.25).fullImage.recall.hard, null);
  });

  it('is the threshold for photographs if no detector ran', () => {
    assert.equal(bandsOf(PROFILE_BANDS, null).fullImage.threshold, 0.8);
  });
});
