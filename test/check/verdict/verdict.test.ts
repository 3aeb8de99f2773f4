// What fires, and the line that explains it.
import assert from 'node:assert/strict';
import { assembleVerdict } from '../../../src/check/verdict/verdict.js';
import { CREDENTIALS } from '../../support/evidence.js';
import { EVIDENCE, VERDICT_ROWS } from '../../support/verdict-rows.js';

describe('assembleVerdict', () => {
  for (const { name, given, fired, reason } of VERDICT_ROWS) {
    it(name, () => {
      const verdict = assembleVerdict({ ...EVIDENCE, ...given });
      assert.deepEqual(verdict, { isAi: fired.length > 0, fired, reason });
    });
  }

  it('never says real, and never breaks the line', () => {
    for (const { given } of VERDICT_ROWS) {
      const { reason } = assembleVerdict({ ...EVIDENCE, ...given });
      assert.doesNotMatch(reason, /\breal\b|genuine|authentic|[\p{Cc}]/iu);
    }
  });

  it('refuses to decide without an inspection unless verified credentials record AI', () => {
    const unverified = { ...CREDENTIALS, verified: false, state: 'untrusted' as const };
    assert.throws(
      () => assembleVerdict({ ...EVIDENCE, credentials: unverified, inspection: null }),
      /decide without an inspection/,
    );
  });
});
