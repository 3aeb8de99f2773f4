// Converting a report to the JSON that the specification defines: these fields in this order. Source:
// interface specification, section 2.1.
import { Type, type TSchema } from '@sinclair/typebox';
import { exactly, nullable, oneOf, requireOptions } from '../base/shape.js';
import { presentDetails } from './present-details.js';
import type { MakerAnswer } from './makers.js';
import type { Details } from './details-schema.js';
import type { CheckResult } from './result-schema.js';
import { roundMs, roundScore } from '../base/numbers.js';
import { DETAIL_NAMES, type DetailName } from './types.js';
import type { CheckReport } from './report.js';

/** Options for converting a report to JSON. */
export interface PresentOptions {
  /** Fields of `details` to return. Default: none, which leaves out `details`. */
  readonly include?: readonly DetailName[] | undefined;
  /** Signed record of the check, returned if `include` names it. */
  readonly record?: object | null | undefined;
  /** Earlier checks of the same image, returned if `include` names them. Null if they were not searched. */
  readonly seen?: Details['seen'] | null;
  /** Results of the generator companies' services. Default: no service was called. */
  readonly provenance?: readonly MakerAnswer[] | null | undefined;
  /** True if the service stored the image; default false. */
  readonly imageStored?: boolean | undefined;
  /** Milliseconds from a request's last byte to the verdict; default: the check's own time. */
  readonly latencyMs?: number | undefined;
  /** Reference that the caller chose for the image; default: none. */
  readonly ref?: string | null | undefined;
  /** Milliseconds for fetching the image; default 0. */
  readonly fetchMs?: number | undefined;
}

const PresentOptionsSchema = exactly({
  ref: Type.Optional(nullable(Type.String())),
  include: Type.Optional(Type.Array(oneOf(DETAIL_NAMES))),
  record: Type.Optional(nullable(Type.Object({}))),
  seen: Type.Optional(nullable(Type.Object({}))),
  provenance: Type.Optional(nullable(Type.Array(Type.Object({})))),
  imageStored: Type.Optional(Type.Boolean()),
  latencyMs: Type.Optional(Type.Number()),
  fetchMs: Type.Optional(Type.Number()),
} satisfies Record<keyof PresentOptions, TSchema>);

/** Returns the JSON of a report. Throws TypeError for invalid options. */
export function presentCheck(report: CheckReport, options: PresentOptions = {}): CheckResult {
  requireOptions(PresentOptionsSchema, options);
  const {
    include = [],
    record,
    seen,
    provenance = null,
    imageStored = false,
    ref = null,
    latencyMs = report.timings.total,
    fetchMs = 0,
  } = options;
  const { credentials, bands } = report;
  return {
    id: report.id,
    is_ai: report.isAi,
    fired: report.fired,
    reason: report.reason,
    face_found: report.faces.length > 0,
    content_credentials: credentials.found
      ? { found: true, signer: credentials.signer, verified: credentials.verified, ai: credentials.ai }
      : { found: false },
    image: { width: report.image.width, height: report.image.height },
    model: report.model,
    bands_version: report.bandsVersion,
    latency_ms: roundMs(latencyMs),
    scores: {
      full_image_specialist: roundScore(report.fullImageScore, bands.fullImage.threshold),
      face_specialist: roundScore(report.faceScore, bands.face.threshold),
    },
    face_box: report.faceBox,
    profile: report.profile,
    image_stored: imageStored,
    ...(ref !== null && { ref }),
    ...((include.length > 0 || provenance !== null) && {
      details: {
        ...presentDetails(report, include, fetchMs),
        ...(seen && include.includes('seen') && { seen }),
        ...(provenance && { provenance }),
        ...(record && include.includes('record') && { record }),
      },
    }),
  };
}
