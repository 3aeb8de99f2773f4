// Tests checks of images with real Content Credentials: only verified AI decides without running a network.
import assert from 'node:assert/strict';
import { checkImage } from '../../../../src/library/check/check.js';
import type { CheckReport } from '../../../../src/library/check/report.js';
import { PROFILE_BANDS, IMAGE, inspection } from '../../../support/evidence.js';
import { createMemoryEngine } from '../../../support/memory-engine.js';
import { CAPTURED, openStudio, TOOL, type Studio } from '../../../support/studio.js';

let studio: Studio;

before(async () => {
  studio = await openStudio();
});

after(() => studio.close());

/** Returns the result for `bytes` and the calls to the engine. The scores of the engine flag no image. */
async function check(bytes: Buffer): Promise<{ report: CheckReport; calls: readonly string[] }> {
  const engine = createMemoryEngine({ ...IMAGE, hasManifest: true }, inspection(0.1));
  const profiles = { strict: PROFILE_BANDS, balanced: PROFILE_BANDS, sensitive: PROFILE_BANDS };
  const bands = { version: '2026-11-21.1', model: 'telltale-1.0.0', profiles };
  const report = await checkImage({ engine, bands, credentials: studio.reader }, { bytes });
  return { report, calls: engine.calls };
}

describe('a check of an image with Content Credentials', () => {
  it('bases the verdict on verified credentials that record AI, names signer and tool, and runs no detector', async () => {
    const { report, calls } = await check(await studio.sign('jpeg'));
    assert.deepEqual(calls, ['sniff']);
    assert.equal(report.isAi, true);
    assert.deepEqual(report.fired, ['content_credentials']);
    assert.equal(report.fullImageScore, null);
    assert.equal(report.faceScore, null);
    assert.match(report.reason, /Test Studio/);
    assert.match(report.reason, new RegExp(TOOL));
  });

  it('runs the detectors if verified credentials record no AI', async () => {
    const { report, calls } = await check(await studio.sign('jpeg', { actions: [CAPTURED] }));
    assert.deepEqual(calls, ['sniff', 'inspect']);
    assert.equal(report.isAi, false);
    assert.equal(report.credentials.found && report.credentials.verified, true);
  });

  it('never bases the verdict on an unknown signer, a changed file or an unreadable manifest, and explains each case', async () => {
    const signed = await studio.sign('jpeg');
    const tampered = Buffer.from(signed);
    tampered[tampered.length - 1000] = (tampered[tampered.length - 1000] ?? 0) ^ 1;
    const unreadable = Buffer.from(signed);
    unreadable.fill(0, signed.indexOf('c2pa.claim'), signed.indexOf('c2pa.claim') + 2000);
    const files = [await studio.sign('jpeg', { signer: studio.stranger }), tampered, unreadable];
    const checks = await Promise.all(files.map(check));
    const states = checks.map(({ report }) => report.credentials.found && report.credentials.state);
    assert.deepEqual(states, ['untrusted', 'tampered', 'unreadable']);
    for (const { report, calls } of checks) {
      assert.deepEqual(calls, ['sniff', 'inspect']);
      assert.equal(report.isAi, false);
      assert.deepEqual(report.fired, []);
      assert.equal(report.fullImageScore, 0.1);
    }
    assert.equal(new Set(checks.map(({ report }) => report.reason)).size, 3);
  });
});
