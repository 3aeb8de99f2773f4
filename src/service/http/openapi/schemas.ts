// Schemas of requests and responses. They validate requests, and /openapi.json publishes them.
import { Type, type TOptional, type TString } from '@sinclair/typebox';
import { CheckResultSchema, SANDBOX_MARK } from 'telltale-engine/internal/check/result-schema.js';
import { ERROR_CODE_NAMES } from 'telltale-engine/internal/base/error-codes.js';
import { MAX_BATCH_IMAGES, MAX_IMAGE_MB } from 'telltale-engine/internal/base/limits.js';
import { exactly, named, nullable, oneOf, type ReadonlyStatic } from 'telltale-engine/internal/base/shape.js';
import { OPTIONS, publishedAs, REF, REFS } from './option-schemas.js';

const ImageUrl = Type.String({
  description: 'absolute http or https address on a public host; the service fetches it',
});
const ImageB64 = Type.String({
  description: 'standard base64 (RFC 4648 section 4, padded) of the original file',
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
      description: `1 to ${MAX_BATCH_IMAGES} items, each with exactly one of image_url and image_b64`,
    }),
    ...OPTIONS,
  }),
);
const File = Type.String({
  format: 'binary',
  description: `the image: JPEG, PNG, WebP, AVIF, GIF, BMP or TIFF, at most ${MAX_IMAGE_MB} MB`,
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
      code: named('ErrorCode', oneOf(ERROR_CODE_NAMES, 'stable; clients branch on it')),
      message: Type.String(),
      param: Type.Optional(
        Type.String({ description: 'the member, field, parameter or header it is about' }),
      ),
      request_id: Type.Optional(Type.String({ description: 'as X-Request-Id; none in an entry of a scan' })),
    }),
    record: Type.Optional(
      Type.Unknown({ description: 'of a refused image, where include names it: /schemas/record.json' }),
    ),
    sandbox: SANDBOX_MARK,
  },
  { $id: 'Error', additionalProperties: false },
);
/** Body of an error response, and entry of a failed image in a batch. */
export type ErrorBody = ReadonlyStatic<typeof ErrorBody>;

const OF_ERROR = ErrorBody.properties.error.properties;
/** Error response in the form of RFC 9457, sent for `Accept: application/problem+json`. */
export const Problem = Type.Object(
  {
    type: Type.String({ description: 'path of the service: what the code means' }),
    title: Type.String(),
    status: Type.Integer({ minimum: 400, maximum: 599 }),
    detail: Type.String({ description: '`message` of the usual shape' }),
    instance: Type.String({ description: 'path and identifier of the request' }),
    ...{ code: OF_ERROR.code, param: OF_ERROR.param, request_id: OF_ERROR.request_id },
    ...{ record: ErrorBody.properties.record, sandbox: SANDBOX_MARK },
  },
  { $id: 'Problem', additionalProperties: false },
);
/** Type of an error response in the form of RFC 9457. */
export type Problem = ReadonlyStatic<typeof Problem>;
/** Response to a batch. Source: specification, section 2.2. */
export const BatchResult = Type.Object(
  {
    results: Type.Array(Type.Union([CheckResultSchema, ErrorBody]), { description: 'in submission order' }),
    model: Type.String(),
    bands_version: Type.String(),
    latency_ms: Type.Number({ minimum: 0 }),
    sandbox: SANDBOX_MARK,
  },
  { $id: 'BatchResult' },
);
const KEPT = CheckResultSchema.properties;
const older = 'null for a check from before it was kept';

/** Result of an earlier check, without `details`. */
export const PastCheck = Type.Object(
  {
    id: KEPT.id,
    is_ai: KEPT.is_ai,
    fired: KEPT.fired,
    reason: nullable(KEPT.reason),
    face_found: nullable(KEPT.face_found),
    content_credentials: nullable(KEPT.content_credentials),
    image: nullable(KEPT.image),
    model: KEPT.model,
    bands_version: KEPT.bands_version,
    latency_ms: KEPT.latency_ms,
    scores: KEPT.scores,
    face_box: KEPT.face_box,
    profile: KEPT.profile,
    image_stored: Type.Boolean({ description: 'whether the original is kept today' }),
    ref: KEPT.ref,
    created_at: Type.String({ format: 'date-time' }),
  },
  {
    $id: 'PastCheck',
    description: `a check of the past; reason, face_found, content_credentials and image are ${older}`,
  },
);

/** Cursor of the next page, as a field of a JSON list. */
export const NEXT = nullable(
  Type.String({ description: 'Next-Cursor, the cursor of the next page; null on the last one' }),
);

/** Response of GET /v1/checks, which lists earlier checks. */
export const CheckList = Type.Object(
  {
    checks: Type.Array(PastCheck, { description: 'newest first' }),
    next: NEXT,
  },
  { $id: 'CheckList' },
);

const DAY = String.raw`\d{4}-\d\d-\d\d`;
/** Pattern of a time with offset, RFC 3339. Accepts a blank, to which queries decode an unescaped `+`. */
const TIME = String.raw`[Tt]\d\d:\d\d:\d\d(\.\d{1,9})?([Zz]|[+ -]\d\d:\d\d)`;
/** Pattern of a date and time, RFC 3339. */
export const MOMENT = new RegExp(`^${DAY}${TIME}$`);

const bound = (description: string) =>
  Type.Optional(
    Type.String({
      pattern: `^${DAY}(${TIME})?$`,
      description: `a day as YYYY-MM-DD (UTC) or a moment as 2026-11-01T12:00:00Z; ${description}`,
    }),
  );

/** Returns the schema of a query parameter `limit`. `pattern` must allow only numbers from 1 to `most`. */
export function limitOf(pattern: string, most: number, standard: number): TOptional<TString> {
  const text = Type.String({ pattern, description: `a whole number from 1 to ${most}` });
  const description = 'maximum entries of a page';
  return Type.Optional(
    publishedAs(text, Type.Integer({ minimum: 1, maximum: most, default: standard, description })),
  );
}

/** Returns the schema of a query parameter `cursor`, which selects a page. */
export const cursorOf = (pattern: string): TOptional<TString> =>
  Type.Optional(
    Type.String({ pattern, description: 'the Next-Cursor of the page before; default: the first page' }),
  );

/** Query of GET /v1/checks, which lists earlier checks. */
export const CheckListQuery = exactly({
  ref: Type.Optional(Type.String({ description: 'the reference that was sent with the check' })),
  is_ai: Type.Optional(
    publishedAs(oneOf(['true', 'false'] as const), Type.Boolean({ description: 'the verdict' })),
  ),
  from: bound('the first day, or the earliest moment'),
  to: bound('the last day, included, or the moment before which'),
  limit: limitOf('^([1-9][0-9]?|100)$', 100, 50),
  cursor: cursorOf('^chk_[0-9A-Z]{26}$'),
});

/** Body of POST /v1/checks/{id}/feedback, which reports a wrong verdict. */
export const FeedbackJson = named(
  'FeedbackJson',
  exactly({
    is_ai: Type.Boolean({ description: 'true or false: the right verdict' }),
    note: Type.Optional(Type.String({ maxLength: 500, description: 'a text of at most 500 characters' })),
  }),
);

/** Response to a report of a wrong verdict. */
export const Feedback = Type.Object(
  { id: KEPT.id, is_ai: Type.Boolean(), note: Type.String() },
  { $id: 'Feedback' },
);

/** Response to the erasure of a check. */
export const Erased = Type.Object(
  { id: KEPT.id, erased: Type.Unsafe<true>(Type.Boolean({ description: 'always true' })) },
  { $id: 'Erased' },
);

/** Query of GET /v1/usage, which returns the number of checks by day. */
export const UsageQuery = exactly({
  from: Type.Optional(
    Type.String({
      pattern: `^${DAY}$`,
      description: 'a day as YYYY-MM-DD (UTC); the first one, default: the first day of the period',
    }),
  ),
  to: Type.Optional(
    Type.String({
      pattern: `^${DAY}$`,
      description: 'a day as YYYY-MM-DD (UTC); the last one, included, default: today. At most 366 days',
    }),
  ),
});

/** Response of GET /v1/usage. Source: specification, section 2.3. */
export const UsageRecord = Type.Object(
  {
    plan: Type.String(),
    period: Type.Object({ start: Type.String(), end: Type.String() }),
    checks: Type.Object({
      used: Type.Integer({ minimum: 0 }),
      reserved: Type.Integer({ minimum: 0, description: 'set aside for scans that run' }),
      quota: nullable(Type.Integer({ minimum: 0 })),
      remaining: nullable(Type.Integer({ minimum: 0 })),
    }),
    days: Type.Array(Type.Object({ date: Type.String(), checks: Type.Integer({ minimum: 0 }) })),
  },
  { $id: 'UsageRecord' },
);
