// Tests `telltale check` on signed images: verified AI decides, an unknown signer does not, and missing trust
// lists are reported.
import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { CheckResult } from '../../../src/library/check/result-schema.js';
import { makeFolder } from '../../support/folders.js';
import { openStudio, TOOL, type Studio } from '../../support/studio.js';
import { callTelltale } from '../../support/telltale.js';

describe('telltale check on signed images', () => {
  let studio: Studio;
  const folder = makeFolder('signed');
  let signed = '';
  before(async () => {
    studio = await openStudio();
    signed = join(folder, 'signed.jpg');
    await writeFile(signed, await studio.sign('jpeg'));
  });
  after(() => studio.close());

  it('bases the verdict on verified credentials that record AI', async () => {
    const env = { TELLTALE_TRUST_DIR: studio.trustDir };
    const { status, stdout, stderr } = await callTelltale(
      ['check', '--json', '--include', 'credentials', signed],
      { env },
    );
    assert.deepEqual([status, stderr], [0, '']);
    const result = JSON.parse(stdout) as CheckResult;
    assert.equal(result.is_ai, true);
    assert.deepEqual(result.fired, ['content_credentials']);
    assert.deepEqual(result.scores, { full_image_specialist: null, face_specialist: null });
    assert.deepEqual([result.face_found, result.face_box], [false, null]);
    assert.deepEqual(result.content_credentials, {
      found: true,
      signer: 'Test Studio',
      verified: true,
      ai: true,
    });
    assert.ok(result.reason.includes('signed by Test Studio') && result.reason.includes(TOOL), result.reason);
    assert.equal(result.details?.credentials?.state, 'verified');
  });

  it('leaves the verdict to the detectors if no trust list is installed, and explains once how to install one', async () => {
    const env = { TELLTALE_TRUST_DIR: join(folder, 'none') };
    const { status, stdout, stderr } = await callTelltale(['check', '--jsonl', signed, signed], { env });
    assert.equal(status, 0);
    const results = stdout
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line) as CheckResult);
    for (const { content_credentials, fired, scores } of results) {
      assert.deepEqual(content_credentials, {
        found: true,
        signer: 'Test Studio',
        verified: false,
        ai: true,
      });
      assert.ok(!fired.includes('content_credentials'));
      assert.notEqual(scores.full_image_specialist, null);
    }
    assert.match(stderr, /^telltale: no trust list is installed.*'telltale trust update'.*\n$/);
  });
});
