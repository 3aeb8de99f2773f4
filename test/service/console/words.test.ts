// What the pages say of scores and of errors: the plain functions behind them.
import assert from 'node:assert/strict';
import { formatAnyScore, formatScore } from '../../../console/src/format.js';
import { judge } from '../../../console/src/try/judge.js';
import { describeCharge, isOfPicture } from '../../../console/src/try/refusals.js';
import type { CheckResult } from '../../../src/check/present.js';
import type { ShownProfile } from '../../../src/service/console/shapes.js';
import { ERROR_STATUS, type ErrorCode } from '../../../src/base/errors.js';

const CODES = Object.keys(ERROR_STATUS) as ErrorCode[];

describe('scores on the pages', () => {
  it('have four decimals, as the service rounds them, so that none reads like a threshold it missed', () => {
    assert.deepEqual([0.9355, 0.936, 0, 1].map(formatScore), ['0.9355', '0.9360', '0.0000', '1.0000']);
    assert.deepEqual([null, 0.1807].map(formatAnyScore), ['–', '0.1807']);
  });

  it('stand in the reason of a verdict by another profile as they compare', () => {
    const result = {
      profile: 'strict',
      fired: [],
      scores: { full_image_specialist: 0.9355, face_specialist: 0.1807 },
    } as unknown as CheckResult;
    const bands = {
      full_image_specialist: { photographed: { threshold: 0.936 }, drawn: { threshold: 0.98 } },
      face_specialist: { threshold: 0.1807 },
    } as ShownProfile;
    assert.match(
      judge(result, 'balanced', bands).reason,
      /: whole picture 0\.9355 < 0\.9360, face 0\.1807 ≥ 0\.1807$/,
    );
    const drawn = { ...result, details: { thresholds: { drawn: 0.5 } } } as CheckResult;
    assert.match(judge(drawn, 'balanced', bands).reason, /: whole picture 0\.9355 < 0\.9640, /);
  });
});

describe('errors on the pages', () => {
  it('tell what is accepted where the picture itself is to blame, and nowhere else', () => {
    assert.deepEqual(
      CODES.filter((code) => isOfPicture({ code })),
      [
        'image_too_large',
        'unsupported_format',
        'image_too_small',
        'image_too_many_pixels',
        'jpeg_quality_too_low',
        'image_corrupt',
      ],
    );
    assert.equal(isOfPicture({ code: 'unreachable' }), false);
  });

  it('promise that nothing was charged only where the service refused', () => {
    for (const code of CODES) {
      const status = ERROR_STATUS[code];
      assert.equal(describeCharge({ code, status }), status < 500 ? 'Nothing was charged.' : null, code);
    }
    for (const status of [0, 502])
      assert.match(describeCharge({ code: 'unreachable', status }) ?? '', /^It may have been charged/);
  });
});
