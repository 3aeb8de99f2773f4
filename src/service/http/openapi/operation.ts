// Describes routes as operations of /openapi.json, with responses, errors, headers, parameters and bodies.
import type { TSchema } from '@sinclair/typebox';
import { errorFacts, type ErrorCode, codesAbout } from 'telltale-engine/internal/base/error-codes.js';
import type { ReadonlyStatic } from 'telltale-engine/internal/base/shape.js';
import type { CheckResult } from 'telltale-engine/internal/check/result-schema.js';
import type { ApiRoute } from '../route.js';
import { ErrorBody, Problem, type BatchResult, type UsageRecord } from './schemas.js';

const text = (description: string) => ({ description, schema: { type: 'string' } });

/** Response headers of the API. */
export const HEADERS = {
  'X-Request-Id': text('identifier of the request in the log'),
  RateLimit: text('remaining requests of the current second and remaining checks of the month'),
  'RateLimit-Policy': text('request rate and checks per month that the plan allows'),
  'Server-Timing': text('duration of each stage of the check in milliseconds'),
  'Retry-After': { description: 'seconds to wait before a retry', schema: { type: 'integer', minimum: 0 } },
  'Idempotent-Replayed': text('true if the response is the stored response to an earlier request'),
  'Next-Cursor': text('cursor of the next page; absent on the last page'),
} as const;

type HeaderName = keyof typeof HEADERS;

/** Headers of every response to a request with a key. */
const EVERY_ANSWER: readonly HeaderName[] = [
  'X-Request-Id',
  'RateLimit',
  'RateLimit-Policy',
  'Server-Timing',
];

/** Returns references to response headers, which the document defines once. */
function headersOf(names: readonly HeaderName[]): Readonly<Record<string, object>> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** A JSON document or a part of it. */
type Document = Readonly<Record<string, unknown>>;

/** Error codes that every request may get. */
const COMMON: readonly ErrorCode[] = [
  'unauthorized',
  'forbidden',
  'rate_limited',
  'overloaded',
  'unavailable',
  'internal_error',
];
/** Error codes that concern one image. A batch reports them in the image's entry. */
export const ONE_IMAGE: readonly ErrorCode[] = [
  'invalid_request',
  'invalid_base64',
  'invalid_url',
  'url_not_public',
  'url_fetch_failed',
  ...codesAbout('picture'),
  'deadline_exceeded',
];
/** Error codes of a request to check one image. */
export const CHECK: readonly ErrorCode[] = [
  ...ONE_IMAGE,
  'unsupported_media_type',
  'quota_exceeded',
  'storage_full',
  'idempotency_mismatch',
  'not_configured',
];
/** Error codes that refuse a whole batch. Errors of single images are in their entries. */
export const BATCH: readonly ErrorCode[] = [
  'invalid_request',
  'invalid_batch',
  'batch_too_large',
  'plan_required',
  'unsupported_media_type',
  'quota_exceeded',
  'storage_full',
  'idempotency_mismatch',
  'deadline_exceeded',
  'not_configured',
];
/** Error codes of a request to appeal against a verdict. */
export const APPEAL: readonly ErrorCode[] = [
  'invalid_request',
  'not_found',
  'image_not_kept',
  'too_many_appeals',
  'unsupported_media_type',
  'storage_full',
  'idempotency_mismatch',
  ...codesAbout('picture'),
  'deadline_exceeded',
];
/** Error codes of a request that looks up an image. */
export const SEEN: readonly ErrorCode[] = [
  'invalid_request',
  'unsupported_media_type',
  'not_configured',
  ...codesAbout('picture'),
  'deadline_exceeded',
];
/** Error codes of a request to start a scan. */
export const SCAN_START: readonly ErrorCode[] = [
  'invalid_request',
  'plan_required',
  'unsupported_media_type',
  'quota_exceeded',
  'storage_full',
  'idempotency_mismatch',
  'deadline_exceeded',
  'not_configured',
];
/** Error codes of requests about one scan. */
export const SCAN_READ: readonly ErrorCode[] = ['not_found', 'not_configured'];

/** Describes a route as an OpenAPI operation with its parameters, body, response, and errors by status. */
export function describeRoute(route: ApiRoute): Document {
  const { operation, summary, description, response, status = 200, mediaType = 'application/json' } = route;
  const content = { schema: response, ...(route.example !== undefined && { example: route.example }) };
  const parameters = [
    ...[...route.path.matchAll(/:(\w+)/g)].map(([, name]) => ({
      name,
      in: 'path',
      required: true,
      schema: { type: 'string' },
    })),
    ...(route.isIdempotent ? [IDEMPOTENCY_KEY] : []),
    ...(route.query ? parametersOf(route.query) : []),
  ];
  const { json = route.json, form } = route.upload ?? {};
  const headers: readonly HeaderName[] = [
    ...EVERY_ANSWER,
    ...(route.isIdempotent ? (['Idempotent-Replayed'] as const) : []),
    ...(route.query && 'cursor' in propertiesOf(route.query) ? (['Next-Cursor'] as const) : []),
  ];
  return {
    tags: [operation[0]],
    operationId: operation[1],
    summary,
    ...(description !== undefined && { description }),
    ...(parameters.length > 0 && { parameters }),
    ...((json ?? form) && { requestBody: bodyOf(json, form) }),
    responses: {
      [status]: { description: summary, headers: headersOf(headers), content: { [mediaType]: content } },
      ...errorResponses([...route.errors, ...COMMON]),
    },
  };
}

function errorResponses(codes: readonly ErrorCode[]): Document {
  const statuses = [...new Set(codes.map((code) => errorFacts(code).status))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const meanings = codes
        .filter((code) => errorFacts(code).status === status)
        .map((code) => `${code}: ${errorFacts(code).meaning}`);
      const waits = codes.some((code) => errorFacts(code).status === status && MAY_WAIT.includes(code));
      const headers = headersOf(['X-Request-Id', ...(waits ? (['Retry-After'] as const) : [])]);
      return [
        status,
        {
          description: meanings.join('; '),
          headers,
          content: {
            'application/json': { schema: ErrorBody },
            'application/problem+json': { schema: Problem },
          },
        },
      ];
    }),
  );
}

/** Error codes whose responses may have the header Retry-After. */
const MAY_WAIT: readonly ErrorCode[] = [
  'rate_limited',
  'quota_exceeded',
  'storage_full',
  'overloaded',
  'unavailable',
];

const propertiesOf = (schema: TSchema) => schema.properties as Record<string, TSchema>;

/** Returns the fields of a query schema as OpenAPI parameters. */
function parametersOf(query: TSchema): Document[] {
  return Object.entries(propertiesOf(query)).map(([name, schema]) => ({ name, in: 'query', schema }));
}

/** Returns a request body of JSON or a form. JSON is first, because some generators use only the first. */
function bodyOf(json: TSchema | undefined, form: TSchema | undefined): Document {
  return {
    required: true,
    content: {
      ...(json && { 'application/json': { schema: json } }),
      ...(form && { 'multipart/form-data': { schema: form } }),
    },
  };
}

const IDEMPOTENCY_KEY = {
  name: 'Idempotency-Key',
  in: 'header',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  description:
    'Key chosen by the caller that makes retries safe. A repeated request with the same key within 24 hours is not ' +
    'charged again and returns the first response, with Idempotent-Replayed: true. It waits while the first request ' +
    'is running. After a refused request, the key can be used again.',
};

/** Example of a check result. */
export const CHECK_EXAMPLE: CheckResult = {
  id: 'chk_01M7YJSXEMPQ2P39JDDM7E7HQB',
  is_ai: false,
  fired: [],
  reason:
    'No AI detected: the image as a whole scores far below its threshold and the face in the upper centre scores far below its own; this is no proof, because the detectors miss some AI images',
  face_found: true,
  content_credentials: { found: false },
  image: { width: 512, height: 512 },
  model: 'telltale-2.15.0',
  bands_version: '2026-11-29.3',
  latency_ms: 361.8,
  scores: { full_image_specialist: 0.1553, face_specialist: 0.0045 },
  face_box: [178, 57, 91, 119],
  profile: 'balanced',
  image_stored: false,
};

const REFUSED: ReadonlyStatic<typeof ErrorBody> = {
  error: {
    code: 'image_too_small',
    message: 'The image has 200 × 200 px. The shorter side must have at least 256 px',
  },
};

/** Example response to a batch of two images, one of them refused. */
export const BATCH_EXAMPLE: ReadonlyStatic<typeof BatchResult> = {
  results: [CHECK_EXAMPLE, REFUSED],
  model: CHECK_EXAMPLE.model,
  bands_version: CHECK_EXAMPLE.bands_version,
  latency_ms: 390.2,
};

/** Example of a month's usage. */
export const USAGE_EXAMPLE: ReadonlyStatic<typeof UsageRecord> = {
  plan: 'growth',
  period: { start: '2026-11-01T00:00:00Z', end: '2026-12-01T00:00:00Z' },
  checks: { used: 1234, reserved: 0, quota: 50_000, remaining: 48_766 },
  days: [{ date: '2026-11-01', checks: 57 }],
};
