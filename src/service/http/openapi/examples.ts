// Answers as /openapi.json and /docs show them.
import type { ReadonlyStatic } from '../../../base/shape.js';
import type { CheckResult } from '../../../check/result-schema.js';
import type { BatchResult, ErrorBody } from './schemas.js';
import type { UsageRecord } from './usage-schemas.js';

/** Of one picture. */
export const CHECK_EXAMPLE: CheckResult = {
  id: 'chk_01M7YJSXEMPQ2P39JDDM7E7HQB',
  is_ai: false,
  fired: [],
  reason:
    'No AI detected: the picture as a whole scores far below its threshold and the face in the upper centre scores far below its own; this is no proof, as the detectors miss some AI pictures',
  face_found: true,
  content_credentials: { found: false },
  image: { width: 512, height: 512 },
  model: 'telltale-2.13.0',
  bands_version: '2026-11-26.1',
  latency_ms: 361.8,
  scores: { full_image_specialist: 0.153, face_specialist: 0.0049 },
  face_box: [178, 57, 91, 119],
  profile: 'balanced',
  image_stored: false,
};

const REFUSED: ReadonlyStatic<typeof ErrorBody> = {
  error: {
    code: 'image_too_small',
    message: 'the image is 200 × 200 px; the shorter side must be at least 256 px',
  },
};

/** Of two, one of which is refused. */
export const BATCH_EXAMPLE: ReadonlyStatic<typeof BatchResult> = {
  results: [CHECK_EXAMPLE, REFUSED],
  model: CHECK_EXAMPLE.model,
  bands_version: CHECK_EXAMPLE.bands_version,
  latency_ms: 390.2,
};

/** Of a month that has begun. */
export const USAGE_EXAMPLE: ReadonlyStatic<typeof UsageRecord> = {
  plan: 'growth',
  period: { start: '2026-11-01T00:00:00Z', end: '2026-12-01T00:00:00Z' },
  checks: { used: 1234, reserved: 0, quota: 50_000, remaining: 48_766 },
  days: [{ date: '2026-11-01', checks: 57 }],
};
