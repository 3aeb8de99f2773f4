// Tests which steps of a check run in which case, and what the result contains.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { checkImage, type CheckDeps } from '../../../src/library/check/check.js';
import { describeUnread, READ_TIMED_OUT } from '../../../src/library/check/credentials/find-credentials.js';
import { CheckError } from '../../../src/library/base/errors.js';
import { MAX_IMAGE_BYTES } from '../../../src/library/base/limits.js';
import type { CredentialReader, Credentials } from '../../../src/library/check/types.js';
import type { SniffedImage } from '../../../src/library/engine/types.js';
import { BANDS, CREDENTIALS, IMAGE, PROFILE_BANDS, face, inspection } from '../../support/evidence.js';
import { createMemoryEngine, type MemoryEngine } from '../../support/memory-engine.js';

const bytes = new Uint8Array([1, 2, 3]);
const strict = {
  ...PROFILE_BANDS,
  fullImage: { ...PROFILE_BANDS.fullImage, photographed: { ...BANDS.fullImage, threshold: 0.95 } },
};

function setUp(
  image: Partial<SniffedImage> = {},
  credentials: Credentials | null = null,
  drawn = 0,
): { deps: CheckDeps; engine: MemoryEngine; reads: () => number } {
  const engine = createMemoryEngine(
    { ...IMAGE, ...image },
    inspection(0.9, [face(0.1), face(0.3, [5, 6, 70, 80])], drawn),
  );
  let reads = 0;
  const deps: CheckDeps = {
    engine,
    bands: {
      version: '2026-11-21.1',
      model: 'telltale-1.0.0',
      profiles: { strict, balanced: PROFILE_BANDS, sensitive: PROFILE_BANDS },
    },
    credentials: {
      read: () => {
        reads += 1;
        return Promise.resolve(credentials);
      },
    },
  };
  return { deps, engine, reads: () => reads };
}

describe('checkImage, the steps of one check', () => {
  it('reports the scores, the face with the highest score and the settings used', async () => {
    const { deps } = setUp();
    const report = await checkImage(deps, { bytes });
    assert.equal(report.isAi, true);
    assert.deepEqual(report.fired, ['full_image_specialist']);
    assert.equal(report.fullImageScore, 0.9);
    assert.equal(report.faceScore, 0.3);
    assert.deepEqual(report.faceBox, [5, 6, 70, 80]);
    assert.equal(report.faces.length, 2);
    assert.equal(report.model, 'telltale-1.0.0');
    assert.equal(report.bandsVersion, '2026-11-21.1');
    assert.equal(report.profile, 'balanced');
    assert.deepEqual(report.credentials, { found: false });
    assert.deepEqual(
      report.warnings.map(({ code }) => code),
      ['face_small'],
    );
    assert.ok(report.timings.total >= 0);
  });

  it('requests a heat map from the engine only if the caller asks for one, and reports the number of crops', async () => {
    const { deps, engine } = setUp();
    assert.equal((await checkImage(deps, { bytes })).views, 5);
    assert.ok(!engine.lastOptions?.heatMap);
    await checkImage(deps, { bytes, heatMap: true });
    assert.equal(engine.lastOptions?.heatMap, true);
  });

  it('searches for visible signs and watermarks only if the caller asks, and never bases the verdict on them', async () => {
    const { deps, engine } = setUp();
    const plain = await checkImage(deps, { bytes });
    assert.ok(!engine.calls.includes('searchPixels'));
    const report = await checkImage(deps, { bytes, searchPixels: true });
    assert.deepEqual(report.marks, [
      {
        kind: 'visible',
        generator: 'Google Gemini',
        says: 'generated',
        where: 'pixels',
        value: 'four-pointed star, 48 x 48 px',
        box: [944, 944, 48, 48],
      },
      {
        kind: 'watermark',
        generator: 'Stable Diffusion XL',
        says: 'generated',
        where: 'pixels',
        value: '47 of 48 bits of its known message',
      },
    ]);
    assert.match(
      report.reason,
      /the image shows the visible sign of Google Gemini \(four-pointed star, 48 x 48 px\); anybody can draw this sign/,
    );
    assert.deepEqual([report.isAi, report.fired], [plain.isAi, plain.fired]);
  });

  it('does not search for watermarks if verified credentials decide the verdict', async () => {
    const { deps, engine } = setUp({ hasManifest: true }, CREDENTIALS);
    assert.deepEqual((await checkImage(deps, { bytes, searchPixels: true })).marks, []);
    assert.ok(!engine.calls.includes('searchPixels'));
  });

  it('compares the scores with the thresholds of the requested profile', async () => {
    const { deps } = setUp();
    const report = await checkImage(deps, { bytes, profile: 'strict' });
    assert.equal(report.isAi, false);
    assert.equal(report.profile, 'strict');
    assert.equal(report.bands.fullImage.threshold, 0.95);
  });

  it('uses a threshold between both for an image that may be a photograph or a drawing', async () => {
    for (const [drawn, threshold, told] of [
      [0, 0.8, 0],
      [0.50001, 0.8572, 0.5],
      [1, 0.9, 1],
    ] as const) {
      const report = await checkImage(setUp({}, null, drawn).deps, { bytes });
      assert.deepEqual([report.bands.fullImage.threshold, report.drawn], [threshold, told]);
      assert.deepEqual(report.fired, ['full_image_specialist']);
      assert.equal(/judged as a drawing or painting/.test(report.reason), told >= 0.5);
    }
    const { fired } = await checkImage(setUp({}, null, 1).deps, { bytes, profile: 'strict' });
    assert.deepEqual(fired, ['full_image_specialist'], 'strict is stricter with photographs alone');
  });

  it('runs no network if verified credentials record AI', async () => {
    const { deps, engine } = setUp({ hasManifest: true }, CREDENTIALS);
    const report = await checkImage(deps, { bytes });
    assert.deepEqual(engine.calls, ['sniff']);
    assert.deepEqual(report.fired, ['content_credentials']);
    assert.deepEqual([report.fullImageScore, report.faceScore, report.faceBox], [null, null, null]);
    assert.deepEqual([report.drawn, report.bands.fullImage.threshold], [null, 0.8]);
    assert.deepEqual([report.faces, report.patches, report.warnings], [[], [], []]);
  });

  it('makes no preview and no hash of an unreadable image if verified credentials decide, but fails for every other error', async () => {
    const { deps, engine } = setUp({ hasManifest: true }, CREDENTIALS);
    const corrupt = () => Promise.reject(new CheckError('image_corrupt', 'torn'));
    const unreadable = { ...engine, makePreview: corrupt, hashScene: corrupt };
    const input = { bytes, previewPx: 512, hashScene: true };
    const report = await checkImage({ ...deps, engine: unreadable }, input);
    assert.deepEqual([report.isAi, report.preview, report.scene], [true, null, null]);
    for (const error of [new CheckError('deadline_exceeded', 'too late'), new Error('called off')])
      for (const failing of ['makePreview', 'hashScene'] as const) {
        const failed = { ...unreadable, [failing]: () => Promise.reject(error) };
        await assert.rejects(checkImage({ ...deps, engine: failed }, input), error, failing);
      }
  });

  for (const [name, credentials] of [
    ['untrusted', { ...CREDENTIALS, verified: false, state: 'untrusted' }],
    ['verified but record no AI', { ...CREDENTIALS, ai: false, aiClaim: null, aiCounts: false }],
    ['verified but record AI only in an unverified ingredient', { ...CREDENTIALS, aiCounts: false }],
    ['announced in the header but absent', null],
  ] as const) {
    it(`runs the detectors if credentials are ${name}`, async () => {
      const { deps, engine, reads } = setUp({ hasManifest: true }, credentials);
      const report = await checkImage(deps, { bytes });
      assert.deepEqual(engine.calls, ['sniff', 'inspect']);
      assert.equal(reads(), 1);
      assert.deepEqual(report.credentials, credentials ?? { found: false });
    });
  }

  it('does not start the credential reader if the image header shows no manifest', async () => {
    const { deps, reads } = setUp({ hasManifest: false }, CREDENTIALS);
    await checkImage(deps, { bytes });
    assert.equal(reads(), 0);
  });

  it('refuses an unsuitable image before running a network, and an oversized file before reading its header', async () => {
    const small = setUp({ width: 200 });
    await assert.rejects(checkImage(small.deps, { bytes }), { code: 'image_too_small', status: 422 });
    assert.deepEqual(small.engine.calls, ['sniff']);
    const rough = setUp({ jpegQuality: 30 });
    await assert.rejects(checkImage(rough.deps, { bytes }), { code: 'jpeg_quality_too_low', status: 422 });
    const large = setUp({ width: 200 });
    await assert.rejects(checkImage(large.deps, { bytes: new Uint8Array(MAX_IMAGE_BYTES + 1) }), {
      code: 'image_too_large',
      status: 413,
    });
    assert.deepEqual(large.engine.calls, []);
  });

  it('passes the caller’s abort signal and the remaining time to the engine', async () => {
    const { deps, engine } = setUp();
    const { signal } = new AbortController();
    await checkImage(deps, { bytes, signal, deadlineMs: 60_000 });
    assert.equal(engine.lastOptions?.signal, signal);
    assert.ok((engine.lastOptions.deadlineMs ?? 0) > 0 && (engine.lastOptions.deadlineMs ?? 0) <= 60_000);
  });

  it('fails with deadline_exceeded if reading the credentials takes too long', async () => {
    const { deps, engine } = setUp({ hasManifest: true });
    const slow = { read: () => sleep(60_000, null, { ref: false }) };
    await assert.rejects(checkImage({ ...deps, credentials: slow }, { bytes, deadlineMs: 5 }), {
      code: 'deadline_exceeded',
      status: 504,
    });
    assert.deepEqual(engine.calls, ['sniff']);
  });

  it('treats credentials as unreadable if no reader process becomes free in time, and runs the detectors', async () => {
    const { deps, engine } = setUp({ hasManifest: true });
    const crowded: CredentialReader = {
      read: (_bytes, _image, { signal } = {}) =>
        new Promise((resolve) =>
          signal?.addEventListener('abort', () => resolve(describeUnread(READ_TIMED_OUT))),
        ),
    };
    const report = await checkImage({ ...deps, credentials: crowded }, { bytes, deadlineMs: 3000 });
    assert.equal(report.fullImageScore, 0.9);
    assert.ok(report.credentials.found && report.credentials.state === 'unreadable');
    assert.deepEqual(engine.calls, ['sniff', 'inspect']);
  });

  it('rejects with the reason of the abort signal, before and while it reads credentials', async () => {
    const { deps } = setUp({ hasManifest: true });
    const slow = { read: () => sleep(60_000, null, { ref: false }) };
    const reason = new Error('called off');
    await assert.rejects(checkImage(deps, { bytes, signal: AbortSignal.abort(reason) }), reason);
    const controller = new AbortController();
    const check = checkImage({ ...deps, credentials: slow }, { bytes, signal: controller.signal });
    controller.abort(reason);
    await assert.rejects(check, reason);
  });
});
