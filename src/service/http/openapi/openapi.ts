// /openapi.json: the schemas that check requests, the error registry and the limits, as OpenAPI 3.1.
import type { TSchema } from '@sinclair/typebox';
import { codesAbout, errorFacts, type ErrorCode } from '../../../base/error-codes.js';
import {
  Scan,
  ScanEntry,
  ScanForm,
  ScanJson,
  ScanList,
  ScanListQuery,
  ScanResultsQuery,
} from './scan-schemas.js';
import {
  BatchQuery,
  CheckList,
  CheckListQuery,
  CheckQuery,
  Feedback,
  FeedbackJson,
  PastCheck,
} from './check-schemas.js';
import {
  BatchForm,
  BatchJson,
  BatchResult,
  CheckForm,
  CheckJson,
  CheckResult,
  ErrorBody,
} from './schemas.js';
import { UsageQuery, UsageRecord } from './usage-schemas.js';
import { WebhookEvent } from './webhook-schemas.js';

/** A JSON document. */
export type Document = Readonly<Record<string, unknown>>;

const COMMON: readonly ErrorCode[] = [
  'unauthorized',
  'forbidden',
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
  ...codesAbout('picture'),
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

const SCAN_START: readonly ErrorCode[] = [
  'invalid_request',
  'plan_required',
  'unsupported_media_type',
  'quota_exceeded',
  'idempotency_mismatch',
  'deadline_exceeded',
  'not_configured',
];
const SCAN_READ: readonly ErrorCode[] = ['not_found', 'not_configured'];

/** What is published by name. */
const PUBLISHED: readonly TSchema[] = [
  CheckResult,
  BatchResult,
  PastCheck,
  CheckList,
  Feedback,
  UsageRecord,
  Scan,
  ScanList,
  ScanEntry,
  WebhookEvent,
  ErrorBody,
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
          parameters: [...queryOf(CheckQuery), IDEMPOTENCY],
          requestBody: bodyOf(CheckForm, CheckJson),
        }),
      },
      '/v1/check/batch': {
        post: operation('Check 1 to 8 images', BatchResult, BATCH, {
          description: `A fault of one image stands in its own entry: ${ONE_IMAGE.join(', ')}.`,
          parameters: [...queryOf(BatchQuery), IDEMPOTENCY],
          requestBody: bodyOf(BatchForm, BatchJson),
        }),
      },
      '/v1/checks': {
        get: operation('The checks of the account, newest first', CheckList, ['invalid_request'], {
          description: 'As long as the history keeps them. Not charged.',
          parameters: queryOf(CheckListQuery),
        }),
      },
      '/v1/checks/{id}': {
        get: operation('One check of the past', PastCheck, ['not_found'], { parameters: [CHECK_ID] }),
      },
      '/v1/checks/{id}/feedback': {
        post: operation(
          'Report a wrong verdict',
          Feedback,
          ['invalid_request', 'not_found', 'unsupported_media_type'],
          {
            status: 202,
            description: 'As in the console. A second report takes the place of the first. Not charged.',
            parameters: [CHECK_ID],
            requestBody: { required: true, content: { 'application/json': { schema: FeedbackJson } } },
          },
        ),
      },
      '/v1/scans': {
        post: operation('Begin a scan: a long list, checked in the background', Scan, SCAN_START, {
          status: 202,
          description:
            'A list that can not be read is refused whole, with its line. The checks are set aside from the quota at ' +
            'once, charged for each result and returned for the rest at the end, all in the month in which the scan began. ' +
            'rate_limited also means: too many scans at once. A scan whose API key is revoked is cancelled.',
          parameters: [IDEMPOTENCY],
          requestBody: bodyOf(ScanForm, ScanJson),
        }),
        get: operation(
          'The scans of the account, newest first',
          ScanList,
          ['invalid_request', 'not_configured'],
          {
            parameters: queryOf(ScanListQuery),
          },
        ),
      },
      '/v1/scans/{id}': {
        get: operation('One scan: counts, rate, time left', Scan, SCAN_READ, { parameters: [SCAN_ID] }),
        delete: operation('Cancel a scan; its answers stay', Scan, SCAN_READ, { parameters: [SCAN_ID] }),
      },
      '/v1/scans/{id}/results': {
        get: operation('Up to 10,000 answers as JSON lines', ScanEntry, [...SCAN_READ, 'invalid_request'], {
          mediaType: 'application/jsonl',
          description:
            'In the order in which they were answered, which never changes. The header Next-Cursor is there while more ' +
            `may follow. A fault of one item stands in its entry: ${ONE_IMAGE.join(', ')}, internal_error.`,
          parameters: [SCAN_ID, ...queryOf(ScanResultsQuery)],
        }),
      },
      '/v1/usage': {
        get: operation('Checks used in the current period', UsageRecord, ['invalid_request'], {
          parameters: queryOf(UsageQuery),
        }),
      },
    },
    webhooks: { event: { post: WEBHOOK } },
    components: {
      securitySchemes: { bearer: { type: 'http', scheme: 'bearer', description: 'an API key: tt_live_...' } },
      schemas: Object.fromEntries(PUBLISHED.map((schema) => [nameOf(schema), withoutIds(schema)])),
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

const CHECK_ID = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const SCAN_ID = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };

const WEBHOOK = {
  summary: 'An event of the account',
  description:
    'Sent by POST to the https addresses that the account chose, signed as the Standard Webhooks specification has it: ' +
    'webhook-id (the same for every try: an event may come twice), webhook-timestamp, webhook-signature (two while the ' +
    'secret is rotated). Anything but a 2xx within 10 s is tried again for 24 hours, with growing pauses; redirects are ' +
    'not followed; 410 disables the webhook.',
  security: [],
  requestBody: { required: true, content: { 'application/json': { schema: refTo(WebhookEvent) } } },
  responses: { '2XX': { description: 'It has arrived' } },
};

/** Members of an operation, and how it answers where that is not 200 with JSON. */
type Members = Document & { readonly status?: number; readonly mediaType?: string };

function operation(
  summary: string,
  result: TSchema,
  codes: readonly ErrorCode[],
  { status = 200, mediaType = 'application/json', ...members }: Members,
): Document {
  return {
    summary,
    ...members,
    responses: {
      [status]: { description: summary, content: { [mediaType]: { schema: refTo(result) } } },
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
