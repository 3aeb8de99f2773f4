// Tests that results have the documented JSON form, with exact fields in exact order.
import assert from 'node:assert/strict';
import { presentCheck } from '../../../src/library/check/present.js';
import { DETAIL_NAMES } from '../../../src/library/check/types.js';
import type { CheckReport } from '../../../src/library/check/report.js';
import { BANDS, CREDENTIALS, IMAGE, MARK, face, inspection } from '../../support/evidence.js';
import { bandsOf } from '../../support/record-parts.js';

const { faces, patches, timings } = inspection(0.79999, [face(0.6, [1, 2, 70, 80])]);
const report: CheckReport = {
  id: 'chk_01ARZ3NDEKTSV4RRFFQ69G5FAV',
  isAi: true,
  fired: ['face_specialist'],
  reasons: [{ code: 'no_face', params: { min_px: 64 } }],
  reason: 'AI detected: why',
  credentials: { found: false },
  image: IMAGE,
  model: 'telltale-1.0.0',
  bandsVersion: '2026-11-21.1',
  profile: 'balanced',
  fullImageScore: 0.79999,
  drawn: 0.0123,
  faceScore: 0.6,
  faceBox: [1, 2, 70, 80],
  faces,
  patches,
  part: { box: [0, 30, 90, 90], score: 0.79999 },
  panels: [{ box: [0, 0, 90, 80], score: 0.79999, drawn: 0.1 }],
  panel: null,
  bands: BANDS,
  thresholds: bandsOf('2026-11-21.1'),
  warnings: [{ code: 'face_small', message: 'the face is 70 px' }],
  attention: null,
  colours: [],
  pixelsSearched: false,
  remoteManifest: null,
  preview: null,
  scene: null,
  marks: [MARK],
  timings: { ...timings, header: 0, credentials: 0, total: 23.789 },
  views: 5,
};

const expected = {
  id: 'chk_01ARZ3NDEKTSV4RRFFQ69G5FAV',
  is_ai: true,
  fired: ['face_specialist'],
  reason: 'AI detected: why',
  face_found: true,
  content_credentials: { found: false },
  image: { width: 900, height: 600 },
  model: 'telltale-1.0.0',
  bands_version: '2026-11-21.1',
  latency_ms: 23.8,
  scores: { full_image_specialist: 0.7999, face_specialist: 0.6 },
  face_box: [1, 2, 70, 80],
  profile: 'balanced',
  image_stored: false,
};

describe('the JSON form of a check result', () => {
  it('has the documented fields in order, and no details that were not requested', () => {
    assert.equal(JSON.stringify(presentCheck(report)), JSON.stringify(expected));
  });

  it('contains credentials with the four documented fields', () => {
    const { content_credentials } = presentCheck({ ...report, credentials: CREDENTIALS });
    assert.equal(
      JSON.stringify(content_credentials),
      '{"found":true,"signer":"Example Studios","verified":true,"ai":true}',
    );
  });

  it('contains null for scores if no detector ran', () => {
    const decided = {
      ...report,
      fullImageScore: null,
      faceScore: null,
      faceBox: null,
      faces: [],
      patches: [],
      part: null,
      panels: [],
      panel: null,
    };
    const { scores, face_box, face_found } = presentCheck(decided);
    assert.deepEqual(
      [scores.full_image_specialist, scores.face_specialist, face_box, face_found],
      [null, null, null, false],
    );
  });

  it('contains the values that only the service knows, if the service provides them', () => {
    const result = presentCheck(report, {
      imageStored: true,
      latencyMs: 99.99,
      fetchMs: 12.34,
      include: ['timings'],
    });
    assert.equal(result.image_stored, true);
    assert.equal(result.latency_ms, 100);
    assert.deepEqual(result.details, {
      timings: {
        fetch: 12.3,
        queue: 1.2,
        decode: 4.6,
        credentials: 0,
        faces: 7.9,
        inference: 10.1,
        views: 5,
      },
    });
  });

  it('gains only the requested detail, for each kind of detail', () => {
    for (const name of DETAIL_NAMES) {
      const { details, ...rest } = presentCheck(report, {
        include: [name],
        record: {},
        seen: { comparable: false, checks: [], known: null },
      });
      // The detail `credentials` also adds `remote_manifest`.
      const told: readonly string[] =
        name === 'credentials'
          ? [name, 'remote_manifest']
          : name === 'assessment'
            ? [name, 'assessment_rates']
            : [name];
      assert.deepEqual(Object.keys(details ?? {}), told);
      assert.deepEqual(rest, expected);
    }
    const { details } = presentCheck({ ...report, credentials: CREDENTIALS }, { include: DETAIL_NAMES });
    assert.deepEqual(details?.heatmap, {
      patches: [{ box: [0, 0, 224, 224], score: 0.1235 }],
      panels: [{ box: [0, 0, 90, 80], score: 0.7999 }],
      peak: { box: [0, 30, 90, 90], score: 0.7999 },
    });
    assert.deepEqual(details.faces, [
      { box: [1, 2, 70, 80], score: 0.6, manipulated: 0.6, generated: 0, confidence: 0.95 },
    ]);
    assert.equal(details.credentials?.state, 'verified');
    assert.deepEqual(details.credentials.validation_status, ['signingCredential.trusted']);
    assert.deepEqual(details.thresholds?.face_specialist, {
      threshold: 0.6,
      false_alarm_rate: 0.01,
      recall: { clean: 0.5, web: 0.4, hard: 0.3 },
    });
    assert.deepEqual(details.warnings, report.warnings);
    assert.deepEqual(details.marks, [MARK]);
  });

  it('contains null for the credentials of a file without a manifest', () => {
    assert.deepEqual(presentCheck(report, { include: ['credentials'] }).details, {
      credentials: null,
      remote_manifest: null,
    });
  });
});
