// Tests the assessment for people, which has three values, and its measured rates.
import assert from 'node:assert/strict';
import { composeReport } from '../../../../src/library/check/check.js';
import { presentCheck } from '../../../../src/library/check/present.js';
import {
  ASSESSMENTS,
  PROFILE_NAMES,
  type Assessment,
  type Bands,
} from '../../../../src/library/check/types.js';
import {
  assess,
  assessmentOf,
  describeShares,
  HEADLINES,
  ratesOfAssessment,
  withoutHeadline,
} from '../../../../src/library/check/verdict/assessment.js';
import { addKnownReason } from '../../../../src/library/check/verdict/verdict.js';
import { CREDENTIALS, face, IMAGE, inspection, MARK } from '../../../support/evidence.js';
import { bandsOf } from '../../../support/record-parts.js';

const share = { rate: 0.5, low: 0.4, high: 0.6 };
const rates = (images: number) => ({
  images,
  sources: 3,
  ofAi: 0.5,
  ofGenuine: 0.1,
  at1In10: share,
  at1In2: share,
});
/**
 * Thresholds for photographs are 0.75, 0.8 and 0.85, for faces 0.55, 0.6 and 0.65. The lower limits are 0.7
 * (drawings 0.75) and 0.5.
 */
const own = bandsOf('2026-01-01.1');
const BANDS: Bands = {
  ...own,
  assessment: {
    lowerEdges: { fullImage: { photographed: 0.7, drawn: 0.75 }, face: 0.5 },
    rates: { likely_ai: rates(1), unclear: rates(2), no_ai_detected: rates(3) },
  },
};
const plain = { image: IMAGE, credentials: null, marks: [], inspection: inspection(0.1) };
const untrusted = { ...CREDENTIALS, verified: false, aiCounts: false, state: 'untrusted' as const };
const tampered = { ...untrusted, state: 'tampered' as const, ai: false, aiClaim: null };
const part = { box: [0, 0, 90, 90] as const, score: 0.9 };

describe('the assessment (AI detected, unclear, or no AI detected)', () => {
  const rows: readonly [string, Partial<Parameters<typeof composeReport>[0]>, Assessment][] = [
    ['nothing scores high', {}, 'no_ai_detected'],
    ['just below the lower edge', { inspection: inspection(0.6999, [face(0.4999)]) }, 'no_ai_detected'],
    ['at the lower edge', { inspection: inspection(0.7) }, 'unclear'],
    ['an illustration below its own', { inspection: inspection(0.7, [], 1) }, 'no_ai_detected'],
    ['a face at its lower edge', { inspection: inspection(0.1, [face(0.5)]) }, 'unclear'],
    ['between balanced and strict', { inspection: inspection(0.84) }, 'unclear'],
    ['at strict', { inspection: inspection(0.85) }, 'likely_ai'],
    ['a face at strict', { inspection: inspection(0.1, [face(0.2), face(0.66)]) }, 'likely_ai'],
    ['credentials decide', { credentials: CREDENTIALS, inspection: null }, 'likely_ai'],
    ['credentials that do not count record AI', { credentials: untrusted }, 'unclear'],
    ['the file says so', { marks: [MARK] }, 'unclear'],
    ['a camera took it', { marks: [{ ...MARK, says: 'camera', kind: 'camera' }] }, 'no_ai_detected'],
    ['the file was changed after signing', { credentials: tampered }, 'unclear'],
    ['a suspicious region', { inspection: { ...inspection(0.1), part } }, 'unclear'],
    ['one colour', { inspection: { ...inspection(0.5), isBlank: true } }, 'unclear'],
    ['one colour that would fire', { inspection: { ...inspection(0.9), isBlank: true } }, 'unclear'],
    ['a small image with a small face', { image: { ...IMAGE, height: 256 }, inspection: inspection(0.1, [face(0.1, [0, 0, 64, 64])]) }, 'no_ai_detected'], // prettier-ignore
  ];
  for (const [name, given, expected] of rows)
    it(name, () => {
      for (const profile of PROFILE_NAMES)
        assert.equal(assess(composeReport({ ...plain, ...given }, BANDS, profile)), expected, profile);
    });

  it('uses an operator’s known fake only if known fakes may decide verdicts', () => {
    const known = { label: 'fake', note: '', source: null } as const;
    const report = composeReport(plain, BANDS, 'balanced');
    const decided = addKnownReason(report, known, true);
    assert.deepEqual([assess(decided), ratesOfAssessment(decided)], ['likely_ai', null]);
    assert.equal(assess(addKnownReason(report, known, false)), 'unclear');
    assert.equal(assess(addKnownReason(report, { ...known, label: 'genuine' }, true)), 'no_ai_detected');
  });

  it('is “AI detected” for a known fake that may decide even if a detector flags the image, unless verified credentials decided', () => {
    const known = { label: 'fake', note: '', source: null } as const;
    const judge = (given: Partial<typeof plain> | object) => {
      const report = addKnownReason(composeReport({ ...plain, ...given }, BANDS, 'balanced'), known, true);
      return [assess(report), report.reasons[0]?.code, report.reason.includes('which decides the verdict')];
    };
    const decided = ['likely_ai', 'known_image', true];
    assert.deepEqual(judge({ inspection: inspection(0.84) }), decided, 'between balanced and strict');
    assert.deepEqual(judge({ inspection: inspection(0.9) }), decided, 'above strict');
    const credentials = { credentials: CREDENTIALS, inspection: null };
    assert.deepEqual(judge(credentials), ['likely_ai', 'credentials_record_ai', false]);
  });

  it('never contradicts the verdict, whatever the thresholds', () => {
    const scores = Array.from({ length: 101 }, (_, at) => at / 100);
    for (const bands of [BANDS, own, bandsOf('x', 0.3)])
      for (const profile of PROFILE_NAMES)
        for (const score of scores) {
          const found = { ...plain, inspection: inspection(score, [face(1 - score)], score) };
          const report = composeReport(found, bands, profile);
          assert.notEqual(assess(report), report.isAi ? 'no_ai_detected' : 'likely_ai');
        }
  });

  it('uses the thresholds of the sensitive profile as lower limits if no other limits are given', () => {
    const at = (score: number) =>
      assess(composeReport({ ...plain, inspection: inspection(score) }, own, 'balanced'));
    assert.deepEqual([at(0.7499), at(0.75), at(0.85)], ['no_ai_detected', 'unclear', 'likely_ai']);
  });

  it('comes with its measured error rates, if there are any', () => {
    const detailsOf = (given: Partial<typeof plain> | object, bands: Bands) =>
      presentCheck(composeReport({ ...plain, ...given }, bands, 'balanced'), { include: ['assessment'] })
        .details;
    assert.deepEqual(detailsOf({}, BANDS), {
      assessment: 'no_ai_detected',
      assessment_rates: {
        images: 3,
        sources: 3,
        of_ai: 0.5,
        of_genuine: 0.1,
        at_1_in_10: share,
        at_1_in_2: share,
      },
    });
    assert.deepEqual(detailsOf({}, own), { assessment: 'no_ai_detected', assessment_rates: null });
    const decided = { credentials: CREDENTIALS, inspection: null };
    assert.deepEqual(detailsOf(decided, BANDS), { assessment: 'likely_ai', assessment_rates: null });
    for (const given of [
      { marks: [MARK] },
      { credentials: tampered },
      { inspection: { ...inspection(0.1), part } },
    ])
      assert.deepEqual(detailsOf(given, BANDS), { assessment: 'unclear', assessment_rates: null });
  });

  it('is the headline with which the reason begins, and the reason says whether the profile flags an unclear image', () => {
    for (const [name, given, expected] of rows)
      for (const profile of PROFILE_NAMES) {
        const { reason, isAi } = composeReport({ ...plain, ...given }, BANDS, profile);
        assert.equal(reason.split(':')[0], HEADLINES[expected], name);
        assert.equal(assessmentOf({ is_ai: isAi, reason }), expected, name);
        assert.equal(withoutHeadline(reason), reason.slice(HEADLINES[expected].length + 2));
        const flag = `the profile ${profile} ${isAi ? 'flags' : 'does not flag'} the image`;
        assert.equal(reason.includes(flag), expected === 'unclear', name);
      }
  });

  it('is given by is_ai for a check without a reason', () => {
    assert.equal(assessmentOf({ is_ai: true, reason: null }), 'likely_ai');
    assert.equal(assessmentOf({ is_ai: false, reason: null }), 'no_ai_detected');
  });

  it('is described in a sentence', () => {
    assert.equal(
      describeShares({ rate: 0.9449, low: 0.9, high: 0.971 }, { rate: 0.0042, low: 0, high: 0.0101 }),
      'Of 100 images with this result, about 94 were AI when 1 in 10 images was AI, and fewer than 1 when 1 in 2 was.',
    );
    assert.equal(ASSESSMENTS.length, 3);
  });
});
