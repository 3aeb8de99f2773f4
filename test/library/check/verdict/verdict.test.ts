// Tests which detectors decide a verdict, and the line that explains the verdict.
import assert from 'node:assert/strict';
import { composeReport } from '../../../../src/library/check/check.js';
import { REASON_CODES } from '../../../../src/library/check/types.js';
import { CREDENTIALS, face, inspection, MARK } from '../../../support/evidence.js';
import { bandsOf } from '../../../support/record-parts.js';
import { EVIDENCE, VERDICT_ROWS } from '../../../support/verdict-rows.js';

/** Thresholds of the profile balanced: 0.8 for photographs, 0.9 for illustrations, 0.6 for faces; strict adds 0.05. */
const THRESHOLDS = bandsOf('2026-01-01.1');

describe('the verdict and its reason', () => {
  for (const { name, given, fired, reason } of VERDICT_ROWS) {
    it(name, () => {
      const report = composeReport({ ...EVIDENCE, ...given }, THRESHOLDS, 'balanced');
      assert.equal(report.reason, reason);
      assert.deepEqual([report.isAi, report.fired], [fired.length > 0, fired]);
      assert.ok(report.reasons.every(({ code }) => REASON_CODES.includes(code)));
    });
  }

  it('are also returned as codes with parameters, in the order of the sentence', () => {
    const given = {
      inspection: inspection(0.1, [face(0.99, [10, 10, 80, 80]), face(0.02, [600, 400, 80, 80])]),
      marks: [MARK],
    };
    assert.deepEqual(composeReport({ ...EVIDENCE, ...given }, THRESHOLDS, 'balanced').reasons, [
      {
        code: 'full_image_below',
        params: { strength: 'far_below', judged_as: 'photograph', embedded: null },
      },
      {
        code: 'face_fired',
        params: { strength: 'far_above', position: 'upper_left', faces: 2, fired: 1, trace: 'manipulated' },
      },
      {
        code: 'mark_noted',
        params: { kind: MARK.kind, says: MARK.says, generator: MARK.generator, value: MARK.value },
      },
    ]);
    const credentials = { ...CREDENTIALS, signer: 'a\nb' };
    const decided = composeReport({ ...EVIDENCE, credentials, inspection: null }, THRESHOLDS, 'balanced');
    assert.deepEqual(decided.reasons, [
      {
        code: 'credentials_record_ai',
        params: { claim: CREDENTIALS.aiClaim, signer: 'a b', tool: CREDENTIALS.tool },
      },
    ]);
  });

  it('never call an image real, and fit on one line', () => {
    for (const { given } of VERDICT_ROWS) {
      const { reason } = composeReport({ ...EVIDENCE, ...given }, THRESHOLDS, 'balanced');
      assert.doesNotMatch(reason, /\breal\b|genuine|authentic|[\p{Cc}]/iu);
    }
  });

  it('are not given if no detector ran, unless verified credentials record AI', () => {
    const unverified = { ...CREDENTIALS, verified: false, state: 'untrusted' as const };
    assert.throws(
      () => composeReport({ ...EVIDENCE, credentials: unverified, inspection: null }, THRESHOLDS, 'balanced'),
      /decide without an inspection/,
    );
  });
});
