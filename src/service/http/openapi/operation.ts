// Building blocks of /openapi.json: operations with responses, errors, headers, parameters and bodies.
import type { TSchema } from '@sinclair/typebox';
import { errorFacts, type ErrorCode, codesAbout } from 'telltale-engine/internal/base/error-codes.js';
import { ErrorBody, Problem } from './schemas.js';

const text = (description: string) => ({ description, schema: { type: 'string' } });

/** Response headers. */
export const HEADERS = {
  'X-Request-Id': text('names the request in the log'),
  RateLimit: text('what is left: requests of the moment, checks of the month'),
  'RateLimit-Policy': text('what the plan allows'),
  'Server-Timing': text('where the time went, by stage'),
  'Retry-After': { description: 'seconds to wait', schema: { type: 'integer', minimum: 0 } },
  'Idempotent-Replayed': text('true for an answer that was given before'),
  'Next-Cursor': text('cursor of the page that follows; missing at the end'),
} as const;

/** Name of a response header. */
type HeaderName = keyof typeof HEADERS;

/** Headers of every response to a request with a key. */
const EVERY_ANSWER: readonly HeaderName[] = [
  'X-Request-Id',
  'RateLimit',
  'RateLimit-Policy',
  'Server-Timing',
];

/** Returns references to headers for a response. */
function headersOf(names: readonly HeaderName[]): Readonly<Record<string, object>> {
  return Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${name}` }]));
}

/** Error codes of every request. */
const COMMON: readonly ErrorCode[] = [
  'unauthorized',
  'forbidden',
  'rate_limited',
  'overloaded',
  'unavailable',
  'internal_error',
];
/** Error codes of one image. */
export const ONE_IMAGE: readonly ErrorCode[] = [
  'invalid_request',
  'invalid_base64',
  'invalid_url',
  'url_not_public',
  'url_fetch_failed',
  ...codesAbout('picture'),
  'deadline_exceeded',
];
/** Error codes of one check. */
export const CHECK: readonly ErrorCode[] = [
  ...ONE_IMAGE,
  'unsupported_media_type',
  'quota_exceeded',
  'storage_full',
  'idempotency_mismatch',
  'not_configured',
];
/** Error codes of a batch. Errors of its images are in their entries. */
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
/** Error codes of an appeal. */
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
/** Error codes of starting a scan. */
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
/** Error codes of requests for one scan. */
export const SCAN_READ: readonly ErrorCode[] = ['not_found', 'not_configured'];

/** A JSON document. */
export type Document = Readonly<Record<string, unknown>>;

/** Fields of an operation, and its response if that is not 200 with JSON. */
type Members = Document & {
  readonly status?: number;
  readonly mediaType?: string;
  readonly example?: unknown;
  /** Names of the response's own headers. */
  readonly headers?: readonly HeaderName[];
};

/** Builds an operation with its response, headers, and errors by status. */
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

/** Error codes that may come with Retry-After. */
const MAY_WAIT: readonly ErrorCode[] = [
  'rate_limited',
  'quota_exceeded',
  'storage_full',
  'overloaded',
  'unavailable',
];

/** Returns the fields of a query schema as parameters. */
export function queryOf(schema: TSchema): Document[] {
  const properties = schema.properties as Record<string, TSchema>;
  return Object.entries(properties).map(([name, property]) => ({ name, in: 'query', schema: property }));
}

/** Returns a body that may be sent as JSON or as a form. JSON first, because generators that choose one choose that. */
export function bodyOf(form: TSchema, json: TSchema): Document {
  return {
    required: true,
    content: { 'application/json': { schema: json }, 'multipart/form-data': { schema: form } },
  };
}
