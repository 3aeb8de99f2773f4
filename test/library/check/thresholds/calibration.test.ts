// Tests which thresholds new checks use, and that records can still find earlier ones.
import assert from 'node:assert/strict';
import { ActiveCalibration } from '../../../../src/library/check/thresholds/calibration.js';
import type { Bands } from '../../../../src/library/check/types.js';
import { PROFILE_BANDS } from '../../../support/evidence.js';

const bands = (version: string): Bands => ({
  version,
  model: 'telltale-1.0.0',
  profiles: { strict: PROFILE_BANDS, balanced: PROFILE_BANDS, sensitive: PROFILE_BANDS },
});

describe('the active thresholds', () => {
  it('are the shipped ones until an operator activates others, and again after a rollback', () => {
    const inForce = new ActiveCalibration(bands('shipped'));
    assert.equal(inForce.current, inForce.shipped);
    const own = bands('own');
    inForce.adopt(own);
    assert.equal(inForce.current, own);
    inForce.adopt(null);
    assert.equal(inForce.current, inForce.shipped);
  });

  it('can still be found by version after others were activated', () => {
    const inForce = new ActiveCalibration(bands('shipped'));
    const own = bands('own');
    assert.equal(inForce.find('shipped'), inForce.shipped);
    assert.equal(inForce.find('own'), null);
    inForce.adopt(own);
    inForce.adopt(null);
    assert.equal(inForce.find('own'), own);
    assert.equal(inForce.find('shipped'), inForce.shipped);
  });
});
