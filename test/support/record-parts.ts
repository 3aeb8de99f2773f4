// Makes parts of records without an engine: settings, a result and a stored check.
import { ActiveCalibration } from '../../src/library/check/thresholds/calibration.js';
import type { Bands } from '../../src/library/check/types.js';
import type { CheckReport } from '../../src/library/check/report.js';
import type { PastCheck } from '../../src/accounts/history/checks.js';
import type { Engine, Preview, SniffedImage } from '../../src/library/engine/types.js';
import type { Original } from '../../src/record/content/compose.js';
import type { Provenance } from '../../src/record/content/provenance.js';
import type { MeasuredScores } from '../../src/record/content/rates.js';
import { BANDS, CREDENTIALS, face, IMAGE, inspection, MARK, PROFILE_BANDS } from './evidence.js';
import { createMemoryEngine } from './memory-engine.js';

/** Returns thresholds that differ by profile. */
export function bandsOf(version: string, faceThreshold = 0.6): Bands {
  const shifted = (by: number) => ({
    fullImage: {
      photographed: { ...BANDS.fullImage, threshold: BANDS.fullImage.threshold + by },
      drawn: { ...PROFILE_BANDS.fullImage.drawn, threshold: 0.9 + by },
    },
    face: { ...BANDS.face, threshold: faceThreshold + by },
  });
  const profiles = { strict: shifted(0.05), balanced: shifted(0), sensitive: shifted(-0.05) };
  return { version, model: 'telltale-1.0.0', profiles };
}

const scores = Array.from({ length: 40 }, (_, at) => at / 40);
const kinds = (names: readonly string[]) =>
  Object.fromEntries(names.map((name) => [name, { genuine: scores, ai: scores }]));
const measuredOf = (...names: string[]): MeasuredScores => ({
  model: 'telltale-1.0.0',
  tiers: { clean: kinds(names), web: kinds(names), hard: kinds(names) },
});

/** Returns the settings of a record in memory, with the given parts replaced. */
export function makeSetting({
  engine = {},
  ...changes
}: Partial<Omit<Provenance, 'engine'>> & { readonly engine?: Partial<Engine> } = {}): Provenance {
  return {
    version: '1.2.3',
    engine: {
      ...createMemoryEngine(IMAGE, inspection(0.5)),
      files: [{ name: 'encoder/weights.bin', sha256: 'a'.repeat(64) }],
      ...engine,
    },
    calibration: new ActiveCalibration(bandsOf('2026-01-01.1')),
    measured: {
      fullImage: measuredOf('photographed', 'drawn'),
      face: measuredOf('portrait', 'small face', 'group face'),
    },
    arithmetic: {
      device: 'cpu',
      precision: 'int8',
      onnxruntime: '1.0',
      processor: 'A Processor',
      architecture: 'x64',
      features: ['avx2', 'fma'],
    },
    trust: () => Promise.resolve({ dir: null, files: [] }),
    ...changes,
  };
}

/** Original of 300 bytes, which no test decodes. */
export const ORIGINAL: Original = { bytes: new Uint8Array(300), sha256: 'b'.repeat(64), requestId: 'req_1' };

/** Header of the images below. */
export const HEADER: SniffedImage = { ...IMAGE, orientation: 6, frameCount: 2 };

const { patches, timings } = inspection(0.5);

/** Result of a check with every possible finding. */
export const REPORT: CheckReport = {
  id: 'chk_01ARZ3NDEKTSV4RRFFQ69G5FAV',
  isAi: true,
  fired: ['face_specialist'],
  reasons: [{ code: 'no_face', params: { min_px: 64 } }],
  reason: 'AI detected: why',
  credentials: CREDENTIALS,
  image: HEADER,
  model: 'telltale-1.0.0',
  bandsVersion: '2026-01-01.1',
  profile: 'balanced',
  fullImageScore: 0.5,
  drawn: 0,
  faceScore: 0.75,
  faceBox: [1, 2, 100, 120],
  faces: [face(0.75, [1, 2, 100, 120])],
  patches,
  part: null,
  panels: [],
  panel: null,
  bands: BANDS,
  thresholds: bandsOf('2026-01-01.1'),
  warnings: [{ code: 'face_small', message: 'the face is small' }],
  attention: null,
  colours: [],
  pixelsSearched: true,
  remoteManifest: null,
  preview: null,
  scene: null,
  marks: [MARK],
  timings: { ...timings, header: 0, credentials: 0, total: 20 },
  views: 5,
};

/** A check of the history. */
export const PAST: PastCheck = {
  assessment: 'likely_ai',
  id: 'chk_01ARZ3NDEKTSV4RRFFQ69G5FAW',
  name: null,
  attention: null,
  colours: [],
  note: null,
  claim: null,
  accountId: 'acc_1',
  requestId: 'req_2',
  createdAt: new Date('2026-02-03T04:05:06.789Z'),
  isAi: true,
  fired: ['full_image_specialist'],
  reason: 'AI detected: then',
  profile: 'strict',
  model: 'telltale-1.0.0',
  bandsVersion: '2026-01-01.1',
  fullImageScore: 0.9,
  faceScore: 0.25,
  latencyMs: 1,
  key: null,
  memberEmail: null,
  image: null,
  report: null,
  ref: null,
  appeal: null,
};

/** A small copy of an image. */
export const PREVIEW: Preview = {
  width: 64,
  height: 32,
  jpeg: new Uint8Array([0xff, 0xd8, 0xff]),
  perceptualHash: '0123456789abcdef',
};

/** Data about the image in a record, if nothing is known. */
export const NO_IMAGE = {
  sha256: null,
  size_bytes: null,
  format: null,
  width: null,
  height: null,
  orientation: null,
  frames: null,
  jpeg_quality: null,
  perceptual_hash: null,
  preview: null,
};

/** All other data in a record, if nothing is known. */
export const UNKNOWN = {
  type: 'telltale-record',
  version: 1,
  refusal: null,
  verdict: null,
  faces: null,
  heat_map: null,
  content_credentials: null,
  marks: null,
  warnings: null,
};
