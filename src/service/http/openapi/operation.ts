// What an operation of /openapi.json is made of: answers, errors, headers, parameters, bodies.
import type { TSchema } from '@sinclair/typebox';
import { errorFacts, type ErrorCode } from '../../../base/error-codes.js';
import { COMMON } from './codes.js';
import { EVERY_ANSWER, headersOf, type HeaderName } from './headers.js';
import { ErrorBody } from './schemas.js';

/** A JSON document. */
export type Document = Readonly<Record<string, unknown>>;

/** Members of an operation, and how it answers if that is not 200 with JSON. */
type Members = Document & {
  readonly status?: number;
  readonly mediaType?: string;
  readonly example?: unknown;
  /** Names of the answer's own headers. */
  readonly headers?: readonly HeaderName[];
};

/** An operation by its tag and name, with its answer, what every answer carries, and its errors by status. */
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
          content: { 'application/json': { schema: ErrorBody } },
        },
      ];
    }),
  );
}

/** Codes that may come with Retry-After. */
const MAY_WAIT: readonly ErrorCode[] = ['rate_limited', 'quota_exceeded', 'overloaded', 'unavailable'];

/** The members of a query as parameters. */
export function queryOf(schema: TSchema): Document[] {
  const properties = schema.properties as Record<string, TSchema>;
  return Object.entries(properties).map(([name, property]) => ({ name, in: 'query', schema: property }));
}

/** A body that may be sent in either of two ways. */
export function bodyOf(form: TSchema, json: TSchema): Document {
  return {
    required: true,
    content: { 'multipart/form-data': { schema: form }, 'application/json': { schema: json } },
  };
}
