// /openapi.json: the schemas that check requests, the error registry and the limits, as OpenAPI 3.1.
import type { TSchema } from '@sinclair/typebox';
import { ERROR_STATUS, type ErrorCode } from '../errors.js';
import { ERROR_MEANINGS } from './error-meanings.js';
import {
  BatchForm,
  BatchJson,
  BatchResult,
  CheckForm,
  CheckJson,
  CheckResult,
  ErrorBody,
  Options,
  UsageQuery,
  UsageRecord,
} from './schemas.js';

/** A JSON document. */
export type Document = Readonly<Record<string, unknown>>;

const COMMON: readonly ErrorCode[] = [
  'unauthorized',
  'rate_limited',
  'overloaded',
  'unavailable',
  'internal_error',
];
const ONE_IMAGE: readonly ErrorCode[] = [
  'invalid_request',
  'invalid_base64',
  'invalid_url',
  'url_not_public',
  'url_fetch_failed',
  'image_too_large',
  'unsupported_format',
  'image_too_small',
  'image_too_many_pixels',
  'jpeg_quality_too_low',
  'image_corrupt',
  'deadline_exceeded',
];
const CHECK: readonly ErrorCode[] = [
  ...ONE_IMAGE,
  'unsupported_media_type',
  'quota_exceeded',
  'idempotency_mismatch',
];
const BATCH: readonly ErrorCode[] = [
  'invalid_request',
  'invalid_batch',
  'batch_too_large',
  'plan_required',
  'unsupported_media_type',
  'quota_exceeded',
  'idempotency_mismatch',
  'deadline_exceeded',
];

/** The document for a package version. */
export function buildOpenApi(version: string): Document {
  return {
    openapi: '3.1.0',
    info: {
      title: 'Telltale',
      version,
      description: 'Tells whether an image is AI-generated, AI-edited or face-swapped.',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    security: [{ bearer: [] }],
    paths: {
      '/v1/check': {
        post: operation('Check one image', CheckResult, CHECK, {
          parameters: [...queryOf(Options), IDEMPOTENCY],
          requestBody: bodyOf(CheckForm, CheckJson),
        }),
      },
      '/v1/check/batch': {
        post: operation('Check 1 to 8 images', BatchResult, BATCH, {
          description: `A fault of one image stands in its own entry: ${ONE_IMAGE.join(', ')}.`,
          parameters: [...queryOf(Options), IDEMPOTENCY],
          requestBody: bodyOf(BatchForm, BatchJson),
        }),
      },
      '/v1/usage': {
        get: operation('Checks used in the current period', UsageRecord, ['invalid_request'], {
          parameters: queryOf(UsageQuery),
        }),
      },
    },
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'an API key: tt_live_...' } },
      schemas: Object.fromEntries(
        [CheckResult, BatchResult, UsageRecord, ErrorBody].map((schema) => [
          nameOf(schema),
          withoutIds(schema),
        ]),
      ),
    },
  };
}

const IDEMPOTENCY = {
  name: 'Idempotency-Key',
  in: 'header',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  description:
    'The same key with the same request within 24 hours is charged once and gets the first answer again, with ' +
    'Idempotent-Replayed: true. While the first one runs, its twins wait for it. A request that was refused frees its key.',
};

function operation(
  summary: string,
  result: TSchema,
  codes: readonly ErrorCode[],
  members: Document,
): Document {
  return {
    summary,
    ...members,
    responses: {
      200: { description: summary, content: { 'application/json': { schema: refTo(result) } } },
      ...errorResponses([...codes, ...COMMON]),
    },
  };
}

function errorResponses(codes: readonly ErrorCode[]): Document {
  const statuses = [...new Set(codes.map((code) => ERROR_STATUS[code]))].sort((a, b) => a - b);
  return Object.fromEntries(
    statuses.map((status) => {
      const meanings = codes
        .filter((code) => ERROR_STATUS[code] === status)
        .map((code) => `${code}: ${ERROR_MEANINGS[code]}`);
      return [
        status,
        { description: meanings.join('; '), content: { 'application/json': { schema: refTo(ErrorBody) } } },
      ];
    }),
  );
}

function queryOf(schema: TSchema): Document[] {
  const properties = schema.properties as Record<string, TSchema>;
  return Object.entries(properties).map(([name, property]) => ({ name, in: 'query', schema: property }));
}

function bodyOf(form: TSchema, json: TSchema): Document {
  return {
    required: true,
    content: { 'multipart/form-data': { schema: form }, 'application/json': { schema: json } },
  };
}

function refTo(schema: TSchema): Document {
  return { $ref: `#/components/schemas/${nameOf(schema)}` };
}

function nameOf(schema: TSchema): string {
  return schema.$id ?? '';
}

/** A schema's $id would make it a document of its own, against which its references resolve. */
function withoutIds(schema: TSchema): unknown {
  return JSON.parse(JSON.stringify(schema, (name, value: unknown) => (name === '$id' ? undefined : value)));
}
