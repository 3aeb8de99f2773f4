// Tests the functions that describe scores and errors on the console pages.
import assert from 'node:assert/strict';
import { chipOf } from '../../../console/src/chip-words.js';
import { formatAnyScore, formatScore, formatShare, describeSignals } from '../../../console/src/format.js';
import { describeRates } from '../../../console/src/rates.js';
import { classify } from '../../../console/src/try/classify.js';
import { describeCharge, isAboutImage } from '../../../console/src/try/refusals.js';
import { firstWaiting } from '../../../console/src/try/turn.js';
import type { CheckResult } from '../../../src/library/check/result-schema.js';
import type { ShownProfile } from '../../../src/service/console/shapes.js';
import { ATTENTIONS } from '../../../src/library/check/types.js';
import type { RecordedRates } from '../../../src/record/content/schema-sections.js';
import { ERROR_STATUS, type ErrorCode } from '../../../src/library/base/error-codes.js';

const CODES = Object.keys(ERROR_STATUS) as ErrorCode[];

describe('scores on the console pages', () => {
  it('have four decimals, so that a score just below a threshold never looks equal to it', () => {
    assert.deepEqual([0.9355, 0.936, 0, 1].map(formatScore), ['0.9355', '0.9360', '0.0000', '1.0000']);
    assert.deepEqual([null, 0.1807].map(formatAnyScore), ['–', '0.1807']);
  });

  it('are compared with the thresholds of the chosen profile to explain a verdict', () => {
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
      classify(result, 'balanced', bands).reason,
      /: whole image 0\.9355 < 0\.9360, face 0\.1807 ≥ 0\.1807$/,
    );
    const drawn = { ...result, details: { thresholds: { drawn: 0.5 } } } as CheckResult;
    assert.match(classify(drawn, 'balanced', bands).reason, /: whole image 0\.9355 < 0\.9640, /);
  });
});

describe('error rates on the console pages', () => {
  it('are rounded up, so that no rate looks better than it is', () => {
    assert.deepEqual([0, 0.0001, 0.0104, 0.001, 0.07, 0.0999, 0.1, 0.281, 1].map(formatShare), [
      '0%',
      '0.1%',
      '1.1%',
      '0.1%',
      '7%',
      '10%',
      '10%',
      '29%',
      '100%',
    ]);
  });

  it('state how many of 1,000 images reach the same score, for the most specific known kind of image', () => {
    const share = (fired: number, pictures: number) => ({ fired, pictures, rate: 0, low: 0, high: 0 });
    const rates = (...kinds: RecordedRates['kinds']): RecordedRates => ({
      model: 'telltale-0.0.0',
      tier: 'clean',
      kinds,
    });
    const tell = (fired: number, pictures: number): string =>
      describeRates(rates({ kind: 'photographed', genuine: share(fired, pictures), ai: null }), false);
    assert.equal(tell(1, 674), 'Of 1,000 genuine photographs 1 or 2 score as high.');
    assert.equal(tell(1, 2000), 'Of 1,000 genuine photographs at most 1 score as high.');
    assert.equal(tell(1, 500), 'Of 1,000 genuine photographs 2 score as high.');
    assert.equal(tell(100, 674), 'Of 1,000 genuine photographs about 149 score as high.');
    assert.equal(tell(0, 674), 'None of 674 measured genuine photographs scored as high.');
    const all = { kind: 'all', genuine: share(1, 1000), ai: share(900, 1000) };
    assert.equal(
      describeRates(rates(all, { kind: 'group face', genuine: null, ai: null }), true),
      'Of 1,000 genuine faces 1 score as high. Of 1,000 AI or swapped faces 900 score as high.',
    );
    assert.equal(describeRates(rates({ kind: 'all', genuine: null, ai: null }), true), '');
  });
});

describe('verdict labels on the console pages', () => {
  it('give a reason of at most eight words to look closer', () => {
    for (const attention of ATTENTIONS) {
      const { because, word } = chipOf('unclear', attention);
      assert.ok(because !== null && because.split(' ').length <= 8, attention);
      assert.equal(word, 'Unclear');
    }
    assert.equal(chipOf('likely_ai', null).because, null);
    assert.equal(
      describeSignals(['full_image_specialist', 'face_specialist']),
      'the whole image and the face',
    );
  });
});

describe('error messages on the console pages', () => {
  it('list the accepted formats only if the image itself caused the error', () => {
    assert.deepEqual(
      CODES.filter((code) => isAboutImage({ code })),
      [
        'image_too_large',
        'unsupported_format',
        'image_too_small',
        'image_too_many_pixels',
        'jpeg_quality_too_low',
        'image_corrupt',
      ],
    );
    assert.equal(isAboutImage({ code: 'unreachable' }), false);
  });

  it('promise that nothing was charged only if the service refused the request', () => {
    for (const code of CODES) {
      const status = ERROR_STATUS[code];
      assert.equal(describeCharge({ code, status }), status < 500 ? 'Nothing was charged.' : null, code);
    }
    for (const status of [0, 502])
      assert.match(describeCharge({ code: 'unreachable', status }) ?? '', /^It may have been charged/);
  });
});

describe('the upload list of the Try page', () => {
  it('is processed in the order in which the person added the images', () => {
    // On the page the newest batch comes first, and each batch is in its own order.
    let list = [5, 6, 2, 3, 4, 1].map((id) => ({ id, state: { kind: id === 1 ? 'done' : 'waiting' } }));
    const order: number[] = [];
    for (let item = firstWaiting(list); item; item = firstWaiting(list)) {
      const { id } = item;
      order.push(id);
      list = list.map((each) => (each.id === id ? { id, state: { kind: 'sending' } } : each));
    }
    assert.deepEqual(order, [2, 3, 4, 5, 6]);
  });
});
