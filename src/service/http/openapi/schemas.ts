// Schemas of requests and responses. They validate requests, and /openapi.json publishes them.
import { MAX_NOTE } from '../../../accounts/history/remarks.js';
import { DAY, TIME } from '../../../accounts/usage/period.js';
import { Type, type TOptional, type TString } from '@sinclair/typebox';
import { APPEAL_STATES } from '../../../accounts/appeals/appeals.js';
import { AssessmentSchema } from 'telltale-engine/internal/check/details-schema.js';
import { CheckResultSchema, SANDBOX_MARK } from 'telltale-engine/internal/check/result-schema.js';
import { ERROR_CODE_NAMES } from 'telltale-engine/internal/base/error-codes.js';
import { MAX_BATCH_IMAGES, MAX_IMAGE_MB } from 'telltale-engine/internal/base/limits.js';
import { exactly, named, nullable, oneOf, type ReadonlyStatic } from 'telltale-engine/internal/base/shape.js';
import { OPTIONS, publishedAs, REF, REFS } from './option-schemas.js';

const ImageUrl = Type.String({
  description: 'absolute http or https address on a public host, from which the service fetches the image',
});
const ImageB64 = Type.String({
  description: 'original file in standard base64 (RFC 4648, section 4) with padding',
});

/** Image in the JSON body of a batch. Other code requires exactly one of the two image fields. */
const BatchImage = named(
  'BatchImage',
  exactly({ image_url: Type.Optional(ImageUrl), image_b64: Type.Optional(ImageB64), ref: REF }),
);
/** JSON body of POST /v1/check. Other code requires exactly one of the two image fields. */
export const CheckJson = named(
  'CheckJson',
  exactly({
    image_url: Type.Optional(ImageUrl),
    image_b64: Type.Optional(ImageB64),
    ...OPTIONS,
    ref: REF,
  }),
);
/** JSON body of POST /v1/check/batch. */
export const BatchJson = named(
  'BatchJson',
  exactly({
    images: Type.Array(BatchImage, {
      description: `images to check, 1 to ${MAX_BATCH_IMAGES}, each with either image_url or image_b64`,
    }),
    ...OPTIONS,
  }),
);
const File = Type.String({
  format: 'binary',
  description: `image file: JPEG, PNG, WebP, AVIF, GIF, BMP or TIFF, at most ${MAX_IMAGE_MB} MB`,
});
/** Form of POST /v1/check. */
export const CheckForm = exactly({ file: File, ...OPTIONS, ref: REF });
/** Form of POST /v1/check/batch. */
export const BatchForm = exactly({
  files: Type.Array(File, { minItems: 1, maxItems: MAX_BATCH_IMAGES }),
  ...OPTIONS,
  ref: REFS,
});
/** Body of an error response. Source: specification, section 7. */
export const ErrorBody = Type.Object(
  {
    error: exactly({
      code: named(
        'ErrorCode',
        oneOf(ERROR_CODE_NAMES, 'error code, by which programs distinguish errors; codes never change'),
      ),
      message: Type.String({ description: 'explanation of the error' }),
      param: Type.Optional(
        Type.String({
          description: 'name of the invalid field, parameter or header; absent if the error concerns none',
        }),
      ),
      request_id: Type.Optional(
        Type.String({
          description: 'identifier of the request, as in X-Request-Id; absent in the results of a scan',
        }),
      ),
    }),
    record: Type.Optional(
      Type.Unknown({
        description:
          'signed record of the refused image, by the schema /schemas/record.json; only with include=record',
      }),
    ),
    sandbox: SANDBOX_MARK,
  },
  { $id: 'Error', additionalProperties: false },
);
/** Body of an error response, and entry of a failed image in a batch. */
export type ErrorBody = ReadonlyStatic<typeof ErrorBody>;

const ERROR_FIELDS = ErrorBody.properties.error.properties;
/** Error response in the form of RFC 9457, sent for `Accept: application/problem+json`. */
export const Problem = Type.Object(
  {
    type: Type.String({ description: 'path on this service of a page that explains the error code' }),
    title: Type.String({ description: 'error code in words' }),
    status: Type.Integer({ minimum: 400, maximum: 599, description: 'HTTP status' }),
    detail: Type.String({ description: 'explanation of the error: `message` of the default error format' }),
    instance: Type.String({ description: 'path of the request, with its identifier' }),
    ...{ code: ERROR_FIELDS.code, param: ERROR_FIELDS.param, request_id: ERROR_FIELDS.request_id },
    ...{ record: ErrorBody.properties.record, sandbox: SANDBOX_MARK },
  },
  { $id: 'Problem', additionalProperties: false },
);
/** Type of an error response in the form of RFC 9457. */
export type Problem = ReadonlyStatic<typeof Problem>;
/** Response to a batch. Source: specification, section 2.2. */
export const BatchResult = Type.Object(
  {
    results: Type.Array(Type.Union([CheckResultSchema, ErrorBody]), {
      description: 'a result or an error for each image, in the order of the request',
    }),
    model: Type.String(),
    bands_version: Type.String(),
    latency_ms: Type.Number({ minimum: 0 }),
    sandbox: SANDBOX_MARK,
  },
  { $id: 'BatchResult' },
);
const CHECK_FIELDS = CheckResultSchema.properties;
const older = 'null for a check from before the history stored them';

/** State of the appeals against a check. */
export const AppealStateSchema = named(
  'AppealState',
  oneOf(
    APPEAL_STATES,
    'state of the appeals against the check; null without an appeal. Show an overturned check to people as overturned, ' +
      'not by its assessment',
  ),
);

/** Result of an earlier check, without `details`. */
export const PastCheck = Type.Object(
  {
    id: CHECK_FIELDS.id,
    is_ai: CHECK_FIELDS.is_ai,
    assessment: AssessmentSchema,
    appeal: nullable(AppealStateSchema),
    fired: CHECK_FIELDS.fired,
    reason: nullable(CHECK_FIELDS.reason),
    face_found: nullable(CHECK_FIELDS.face_found),
    content_credentials: nullable(CHECK_FIELDS.content_credentials),
    image: nullable(CHECK_FIELDS.image),
    model: CHECK_FIELDS.model,
    bands_version: CHECK_FIELDS.bands_version,
    latency_ms: CHECK_FIELDS.latency_ms,
    scores: CHECK_FIELDS.scores,
    face_box: CHECK_FIELDS.face_box,
    profile: CHECK_FIELDS.profile,
    image_stored: Type.Boolean({ description: 'true if the original file is still stored' }),
    ref: CHECK_FIELDS.ref,
    created_at: Type.String({ format: 'date-time' }),
  },
  {
    $id: 'PastCheck',
    description: `earlier check; reason, face_found, content_credentials and image are ${older}`,
  },
);

/** Cursor of the next page, as a field of a JSON list. */
export const NEXT = nullable(
  Type.String({
    description: 'cursor of the next page, as in the header Next-Cursor; null on the last page',
  }),
);

/** Response of GET /v1/checks, which lists earlier checks. */
export const CheckList = Type.Object(
  {
    checks: Type.Array(PastCheck, { description: 'earlier checks, newest first' }),
    next: NEXT,
  },
  { $id: 'CheckList' },
);

const bound = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: `^${DAY}(${TIME})?$`,
      description: `a date such as 2026-11-01 (UTC) or a time such as 2026-11-01T12:00:00Z; ${description}`,
    }),
  );

/** Returns the schema of a query parameter `limit`. `pattern` must allow only numbers from 1 to `maximum`. */
export function limitOf(pattern: string, maximum: number, standard: number): TOptional<TString> {
  const text = Type.String({ pattern, description: `a whole number from 1 to ${maximum}` });
  const description = 'maximum number of entries per page';
  return Type.Optional(
    publishedAs(text, Type.Integer({ minimum: 1, maximum, default: standard, description })),
  );
}

/** Returns the schema of a query parameter `cursor`, which selects a page. */
export const cursorOf = (pattern: string): TOptional<TString> =>
  Type.Optional(
    Type.String({ pattern, description: 'the Next-Cursor of the previous page; default: the first page' }),
  );

/** Query of GET /v1/checks, which lists earlier checks. */
export const CheckListQuery = exactly({
  ref: Type.Optional(Type.String({ description: 'returns only checks that were sent with this reference' })),
  is_ai: Type.Optional(
    publishedAs(
      oneOf(['true', 'false'] as const),
      Type.Boolean({ description: 'returns only checks with this verdict' }),
    ),
  ),
  from: bound('the first day, or the earliest time'),
  to: bound('the last day (included), or the time before which checks were made'),
  limit: limitOf('^([1-9][0-9]?|100)$', 100, 50),
  cursor: cursorOf('^chk_[0-9A-Z]{26}$'),
});

/** Body of POST /v1/checks/{id}/feedback, which reports a wrong verdict. */
export const FeedbackJson = named(
  'FeedbackJson',
  exactly({
    is_ai: Type.Boolean({ description: 'correct verdict: true for AI' }),
    note: Type.Optional(
      Type.String({
        maxLength: MAX_NOTE,
        description: `note about the report, at most ${MAX_NOTE} characters`,
      }),
    ),
  }),
);

/** Response to a report of a wrong verdict. */
export const Feedback = Type.Object(
  { id: CHECK_FIELDS.id, is_ai: Type.Boolean(), note: Type.String() },
  { $id: 'Feedback' },
);

/** Response to the erasure of a check. */
export const Erased = Type.Object(
  { id: CHECK_FIELDS.id, erased: Type.Unsafe<true>(Type.Boolean({ description: 'always true' })) },
  { $id: 'Erased' },
);

/** Query of GET /v1/usage, which returns the number of checks by day. */
export const UsageQuery = exactly({
  from: Type.Optional(
    Type.String({
      pattern: `^${DAY}$`,
      description: 'a date such as 2026-11-01 (UTC); the first day, default: the first day of the period',
    }),
  ),
  to: Type.Optional(
    Type.String({
      pattern: `^${DAY}$`,
      description:
        'a date such as 2026-11-30 (UTC); the last day (included), default: today. At most 366 days',
    }),
  ),
});

/** Response of GET /v1/usage. Source: specification, section 2.3. */
export const UsageRecord = Type.Object(
  {
    plan: Type.String({ description: 'name of the plan' }),
    period: Type.Object({ start: Type.String(), end: Type.String() }),
    checks: Type.Object({
      used: Type.Integer({ minimum: 0, description: 'number of charged checks in the period' }),
      reserved: Type.Integer({ minimum: 0, description: 'number of checks reserved for running scans' }),
      quota: nullable(
        Type.Integer({
          minimum: 0,
          description: 'number of checks per period in the plan; null if unlimited',
        }),
      ),
      remaining: nullable(
        Type.Integer({ minimum: 0, description: 'number of checks left in the period; null if unlimited' }),
      ),
    }),
    days: Type.Array(Type.Object({ date: Type.String(), checks: Type.Integer({ minimum: 0 }) })),
  },
  { $id: 'UsageRecord' },
);

/** Form of POST /v1/seen. */
export const SeenUpload = named(
  'SeenForm',
  exactly({
    file: Type.String({
      format: 'binary',
      description: 'image file, with the formats and limits of POST /v1/check',
    }),
  }),
);
