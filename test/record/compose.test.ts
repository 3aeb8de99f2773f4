// Tests the content of records of a check, a refusal and a stored check, without an engine.
import assert from 'node:assert/strict';
import { Value } from '@sinclair/typebox/value';
import { CheckError } from '../../src/library/base/errors.js';
import type { CheckReport } from '../../src/library/check/report.js';
import { composeCheck, composePast, composeRefusal, PREVIEW_PX } from '../../src/record/content/compose.js';
import { RecordContent } from '../../src/record/content/schema.js';
import { CREDENTIALS, face } from '../support/evidence.js';
import {
  bandsOf,
  HEADER,
  makeSetting,
  NO_IMAGE,
  ORIGINAL,
  PAST,
  PREVIEW,
  REPORT,
  UNKNOWN,
} from '../support/record-parts.js';

const DIRTY = 'a\u0000\ud800';
const CLEAN = 'a\ufffd\ufffd';
const TORN = new CheckError('image_corrupt', 'torn');
const BUSY = new CheckError('overloaded', 'busy');
const FILE = { ...NO_IMAGE, sha256: ORIGINAL.sha256, size_bytes: 300 };
const DESCRIBED = {
  ...FILE,
  format: 'jpeg',
  width: 900,
  height: 600,
  orientation: 6,
  frames: 2,
  jpeg_quality: 90,
};
const sniffing = { engine: { sniff: () => Promise.resolve(HEADER) } };

function isSound(record: RecordContent): void {
  assert.deepEqual([...Value.Errors(RecordContent, record)], []);
}

describe('the evidence record of a check', () => {
  const compose = (changes: Partial<CheckReport> = {}, setting = makeSetting()) =>
    composeCheck(setting, { ...REPORT, ...changes }, ORIGINAL);

  it('contains everything in the check’s result', async () => {
    const before = Date.now();
    const record = await compose();
    isSound(record);
    const { time, scores, made_with: made, ...rest } = record;
    assert.ok(Date.parse(time) >= before && Date.parse(time) <= Date.now());
    assert.deepEqual(rest, {
      ...UNKNOWN,
      source: 'check',
      id: REPORT.id,
      request_id: 'req_1',
      verdict: { is_ai: true, fired: ['face_specialist'], reason: 'AI detected: why', profile: 'balanced' },
      picture: DESCRIBED,
      faces: [{ box: [1, 2, 100, 120], score: 0.75, manipulated: 0.75, generated: 0, confidence: 0.95 }],
      heat_map: [{ box: [0, 0, 224, 224], score: 0.1235 }],
      content_credentials: {
        found: true,
        manifest: {
          state: 'verified',
          signer: 'Example Studios',
          trust_tier: 'official',
          signed_at: null,
          ai: true,
          ai_claim: 'generated',
          tool: 'Example Imaginer',
          claim_generator: 'Example Imaginer',
          manifests: ['urn:c2pa:1'],
          validation_status: ['signingCredential.trusted'],
          digital_source_types: ['trainedAlgorithmicMedia'],
        },
      },
      marks: { pixels_searched: true, found: REPORT.marks },
      warnings: REPORT.warnings,
    });
    assert.deepEqual(
      [scores?.drawn, scores?.full_image_specialist.score, scores?.face_specialist.score],
      [0, 0.5, 0.75],
    );
    assert.equal(made.telltale, '1.2.3');
  });

  it('contains texts without control characters and scores with 15 digits', async () => {
    const [mark] = REPORT.marks;
    const record = await compose({
      reason: DIRTY,
      fullImageScore: 0.1 + 0.2,
      faceScore: 1e-7,
      faces: [{ ...face(0.1 + 0.2), generated: 1e-7, confidence: 0.7 + 0.1 }],
      credentials: {
        ...CREDENTIALS,
        signer: DIRTY,
        signedAt: DIRTY,
        tool: DIRTY,
        claimGenerator: DIRTY,
        manifests: [DIRTY],
        validationCodes: [DIRTY],
        digitalSourceTypes: [DIRTY],
      },
      marks: [{ ...mark!, generator: DIRTY, where: DIRTY, value: DIRTY }],
      warnings: [{ code: 'face_small', message: DIRTY }],
    });
    const text = JSON.stringify(record);
    assert.ok(!text.includes('\\u0000') && !text.includes('\\ud800'));
    assert.equal(text.split(CLEAN).length - 1, 12);
    assert.deepEqual(record.faces?.[0], {
      box: [60, 60, 100, 120],
      score: 0.3,
      manipulated: 0.3,
      generated: 0,
      confidence: 0.8,
    });
    const { full_image_specialist: whole, face_specialist: ofFace } = record.scores!;
    assert.deepEqual([whole.score, ofFace.score], [0.3, 0]);
  });

  it('contains a small copy of the image, and no credentials if the image has none', async () => {
    const record = await compose({ preview: PREVIEW, credentials: { found: false } });
    isSound(record);
    assert.deepEqual(record.picture, {
      ...DESCRIBED,
      perceptual_hash: '0123456789abcdef',
      preview: { width: 64, height: 32, jpeg: '/9j/' },
    });
    assert.deepEqual(record.content_credentials, { found: false, manifest: null });
  });

  it('contains the thresholds of every profile for this kind of image, from the thresholds file used by the check', async () => {
    const thresholds = async (changes: Partial<CheckReport>, setting = makeSetting()) => {
      const { full_image_specialist: whole, face_specialist: ofFace } = (await compose(changes, setting))
        .scores!;
      const values = [whole.thresholds, ofFace.thresholds].map(
        (found) =>
          found && [found.strict, found.balanced, found.sensitive].map((one) => Number(one.toFixed(4))),
      );
      return values;
    };
    assert.deepEqual(await thresholds({}), [[0.85, 0.8, 0.75], [0.65, 0.6, 0.55]]); // prettier-ignore
    assert.deepEqual((await thresholds({ drawn: 1 }))[0], [0.95, 0.9, 0.85]);
    assert.deepEqual((await thresholds({ drawn: null }))[0], [0.85, 0.8, 0.75]);
    const setting = makeSetting();
    setting.calibration.adopt(bandsOf('own', 0.3));
    assert.deepEqual((await thresholds({}, setting))[1], [0.65, 0.6, 0.55]);
    assert.deepEqual((await thresholds({ bandsVersion: 'own' }, setting))[1], [0.35, 0.3, 0.25]);
    assert.deepEqual((await thresholds({ bandsVersion: 'forgotten' }, setting))[1], [0.35, 0.3, 0.25]);
  });

  it('states how common the scores are among similar images, if that was measured', async () => {
    const kindsOf = async (changes: Partial<CheckReport>, setting = makeSetting()) => {
      const { full_image_specialist: whole, face_specialist: ofFace } = (await compose(changes, setting))
        .scores!;
      return [whole.rates, ofFace.rates].map((rates) => rates && rates.kinds.map(({ kind }) => kind));
    };
    assert.deepEqual(await kindsOf({}), [['all', 'photographed'], ['all', 'portrait']]); // prettier-ignore
    assert.deepEqual((await kindsOf({ drawn: 0.5 }))[0], ['all', 'drawn']);
    assert.deepEqual((await kindsOf({ drawn: null }))[0], ['all', 'photographed']);
    const two = [face(0.1), face(0.2)];
    for (const [faces, faceBox, kind] of [
      [two, [0, 0, 96, 96], 'group face'],
      [two, [0, 0, 95, 200], 'small face'],
      [two.slice(1), [0, 0, 200, 95], 'small face'],
      [two.slice(1), [0, 0, 96, 96], 'portrait'],
    ] as const)
      assert.deepEqual((await kindsOf({ faces, faceBox }))[1], ['all', kind]);
    assert.deepEqual(await kindsOf({ fullImageScore: null, faceScore: null, faceBox: null, faces: [] }), [
      null,
      null,
    ]);
    assert.deepEqual(await kindsOf({ model: 'telltale-0.9.0' }), [null, null]);
    assert.deepEqual(await kindsOf({}, makeSetting({ measured: { fullImage: null, face: null } })), [
      null,
      null,
    ]);
    const { rates } = (await compose()).scores!.full_image_specialist;
    assert.deepEqual([rates?.tier, rates?.kinds[1]?.genuine?.fired], ['clean', 20]);
  });
});

describe('the evidence record of a refused image', () => {
  const refusal = { code: 'image_too_small', message: DIRTY } as const;

  it('contains the reason and the data of the image header', async () => {
    const { time, made_with: made, ...rest } = await composeRefusal(makeSetting(sniffing), refusal, ORIGINAL);
    assert.ok(Math.abs(Date.now() - Date.parse(time)) < 60_000);
    assert.deepEqual(rest, {
      ...UNKNOWN,
      source: 'check',
      id: null,
      request_id: 'req_1',
      refusal: { code: 'image_too_small', message: CLEAN },
      picture: DESCRIBED,
      scores: null,
    });
    assert.equal(made.bands_version, '2026-01-01.1');
  });

  it('contains only data about the file if the file is not an image; no record is made after a temporary error', async () => {
    const failing = (error: Error) => makeSetting({ engine: { sniff: () => Promise.reject(error) } });
    assert.deepEqual((await composeRefusal(failing(TORN), refusal, ORIGINAL)).picture, FILE);
    for (const error of [BUSY, new Error('lost')])
      await assert.rejects(composeRefusal(failing(error), refusal, ORIGINAL), error);
  });
});

describe('the evidence record of an earlier check', () => {
  const past = (
    changes = {},
    kept: typeof ORIGINAL | null = null,
    setting = makeSetting({ engine: { ...sniffing.engine, makePreview: () => Promise.resolve(PREVIEW) } }),
  ) => composePast(setting, { ...PAST, ...changes }, kept, { deadlineMs: 7 });

  it('contains the data in the check history, and null for data that the history lacks', async () => {
    const record = await past();
    isSound(record);
    const { made_with: made, scores, ...rest } = record;
    assert.deepEqual(rest, {
      ...UNKNOWN,
      source: 'history',
      id: PAST.id,
      time: '2026-02-03T04:05:06.789Z',
      request_id: 'req_2',
      verdict: {
        is_ai: true,
        fired: ['full_image_specialist'],
        reason: 'AI detected: then',
        profile: 'strict',
      },
      picture: NO_IMAGE,
    });
    const { face_specialist: ofFace } = scores!;
    assert.deepEqual(
      { ...scores, face_specialist: { ...ofFace, thresholds: Object.keys(ofFace.thresholds ?? {}) } },
      {
        drawn: null,
        full_image_specialist: { score: 0.9, thresholds: null, rates: null },
        face_specialist: { score: 0.25, thresholds: ['strict', 'balanced', 'sensitive'], rates: null },
      },
    );
    const { model, bands_version: bands, views, files, trust_lists: lists, arithmetic } = made;
    assert.deepEqual(
      [model, bands, views, files?.length, lists, arithmetic],
      ['telltale-1.0.0', '2026-01-01.1', 1, 1, null, null],
    );
    assert.equal((await past({ reason: null })).verdict?.reason, '');
    assert.equal((await past({ reason: DIRTY })).verdict?.reason, CLEAN);
  });

  it('omits networks, rates and thresholds if their model or thresholds file is no longer installed', async () => {
    const gone = { model: 'telltale-0.9.0', bandsVersion: 'forgotten' };
    const { made_with: made, scores } = await past(gone, ORIGINAL);
    assert.deepEqual(
      [made.model, made.bands_version, made.views, made.files],
      ['telltale-0.9.0', 'forgotten', null, null],
    );
    for (const { thresholds, rates } of [scores!.full_image_specialist, scores!.face_specialist])
      assert.deepEqual([thresholds, rates], [null, null]);
  });

  it('contains a small copy of the stored image and the meaning of its scores', async () => {
    const asked: unknown[] = [];
    const makePreview = (_bytes: Uint8Array, options: unknown) => {
      asked.push(options);
      return Promise.resolve(PREVIEW);
    };
    const setting = makeSetting({ engine: { ...sniffing.engine, makePreview } });
    const { picture, scores } = await past({}, ORIGINAL, setting);
    assert.deepEqual(asked, [{ deadlineMs: 7, longSidePx: PREVIEW_PX }]);
    assert.deepEqual(
      [picture.sha256, picture.width, picture.perceptual_hash, picture.preview?.jpeg],
      [ORIGINAL.sha256, 900, '0123456789abcdef', '/9j/'],
    );
    for (const { rates } of [scores!.full_image_specialist, scores!.face_specialist])
      assert.deepEqual(
        rates?.kinds.map(({ kind }) => kind),
        ['all'],
      );
  });

  it('contains no copy of an undecodable image; no record is made after a temporary error', async () => {
    const failing = (error: Error) =>
      makeSetting({ engine: { ...sniffing.engine, makePreview: () => Promise.reject(error) } });
    assert.deepEqual((await past({}, ORIGINAL, failing(TORN))).picture, DESCRIBED);
    await assert.rejects(past({}, ORIGINAL, failing(BUSY)), BUSY);
  });
});
