// Builds the operations in /openapi.json, with responses, errors, headers, parameters and bodies.
import type { TSchema } from '@sinclair/typebox';
import { errorFacts, type ErrorCode, codesAbout } from 'telltale-engine/internal/base/error-codes.js';
import { ErrorBody, Problem } from './schemas.js';

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

/** A JSON document or a part of it. */
export type Document = Readonly<Record<string, unknown>>;

/** Fields of an OpenAPI operation. The response is 200 with JSON unless a field says otherwise. */
type Members = Document & {
  readonly status?: number;
  readonly mediaType?: string;
  readonly example?: unknown;
  /** Names of response headers in addition to EVERY_ANSWER. */
  readonly headers?: readonly HeaderName[];
};

/** Builds an OpenAPI operation with its response, headers, and errors by status. */
export function operation(
  [tag, operationId]: readonly [tag: string, operationId: string],
  summary: string,
  result: TSchema,
  codes: readonly ErrorCode[],
  { status = 200, mediaType = 'application/json', example, headers = [], ...members }: Members,
): Document {
  const content = { schema: result, ...(example !== undefined && { example }) };
  return {
    tags: [tag],
    operationId,
    summary,
    ...members,
    responses: {
      [status]: {
        description: summary,
        headers: headersOf([...EVERY_ANSWER, ...headers]),
        content: { [mediaType]: content },
      },
      ...errorResponses([...codes, ...COMMON]),
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

/** Returns the fields of a query schema as OpenAPI parameters. */
export function queryOf(schema: TSchema): Document[] {
  const properties = schema.properties as Record<string, TSchema>;
  return Object.entries(properties).map(([name, property]) => ({ name, in: 'query', schema: property }));
}

/** Returns a request body of JSON or a form. JSON is first, because some generators use only the first. */
export function bodyOf(form: TSchema, json: TSchema): Document {
  return {
    required: true,
    content: { 'application/json': { schema: json }, 'multipart/form-data': { schema: form } },
  };
}
