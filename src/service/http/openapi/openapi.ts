// Builds /openapi.json: request and response schemas, errors and limits as OpenAPI 3.1.
import { ScanSchema } from '../../scans/scan.js';
import { appealPaths } from './appeal-schemas.js';
import {
  ScanEntries,
  ScanForm,
  ScanJson,
  ScanList,
  ScanListQuery,
  ScanResultsQuery,
  WebhookEvent,
} from './scan-schemas.js';
import type { ErrorBody } from './schemas.js';
import {
  CheckList,
  CheckListQuery,
  Erased,
  Feedback,
  FeedbackJson,
  PastCheck,
  BatchForm,
  BatchJson,
  BatchResult,
  CheckForm,
  CheckJson,
  UsageQuery,
  UsageRecord,
} from './schemas.js';
import { CheckResultSchema, type CheckResult } from 'telltale-engine/internal/check/result-schema.js';
import {
  BATCH,
  CHECK,
  ONE_IMAGE,
  SCAN_READ,
  SCAN_START,
  HEADERS,
  bodyOf,
  operation,
  queryOf,
  type Document,
} from './operation.js';
import { publish } from './publish.js';
import type { ReadonlyStatic } from 'telltale-engine/internal/base/shape.js';

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

/** Builds the document for a version of the package. */
export function buildOpenApi(version: string): Document {
  return publish({
    openapi: '3.1.0',
    info: {
      title: 'Telltale',
      version,
      description:
        'Detects AI-generated, AI-edited and face-swapped images. Send the API key with each request as ' +
        '`Authorization: Bearer API_KEY`. This document is `/openapi.json`.\n\n' +
        '    curl -H "Authorization: Bearer $API_KEY" -F file=@photo.jpg $URL/v1/check',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    // A relative address, so that the document fits every installation.
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    tags: [
      { name: 'checks', description: 'Check one image, or up to eight in a batch' },
      { name: 'scans', description: 'Check long lists in the background' },
      { name: 'usage', description: 'Number of checks used' },
      { name: 'webhooks', description: 'Events that the service sends' },
    ],
    paths: {
      '/v1/check': {
        post: operation(['checks', 'checkImage'], 'Check one image', CheckResultSchema, CHECK, {
          example: CHECK_EXAMPLE,
          headers: ['Idempotent-Replayed'],
          description: OPTIONS_IN_QUERY,
          parameters: [IDEMPOTENCY],
          requestBody: bodyOf(CheckForm, CheckJson),
        }),
      },
      '/v1/check/batch': {
        post: operation(['checks', 'checkBatch'], 'Check 1 to 8 images', BatchResult, BATCH, {
          example: BATCH_EXAMPLE,
          headers: ['Idempotent-Replayed'],
          description: `An error of one image is in the entry of the image: ${ONE_IMAGE.join(', ')}. ${OPTIONS_IN_QUERY}`,
          parameters: [IDEMPOTENCY],
          requestBody: bodyOf(BatchForm, BatchJson),
        }),
      },
      '/v1/checks': {
        get: operation(
          ['checks', 'listChecks'],
          'List earlier checks, newest first',
          CheckList,
          ['invalid_request'],
          {
            headers: ['Next-Cursor'],
            description: 'Returns checks for as long as the history stores them. Not charged.',
            parameters: queryOf(CheckListQuery),
          },
        ),
      },
      '/v1/checks/{id}': {
        get: operation(['checks', 'getCheck'], 'Get an earlier check', PastCheck, ['not_found'], {
          parameters: [CHECK_ID],
        }),
        delete: operation(['checks', 'eraseCheck'], 'Erase a check', Erased, ['not_found'], {
          description:
            'Permanently deletes the check from the history and from the results of a scan, with the stored response to its ' +
            'Idempotency-Key and the stored image, unless another check uses the image. The charge is not refunded.',
          parameters: [CHECK_ID],
        }),
      },
      '/v1/checks/{id}/feedback': {
        post: operation(
          ['checks', 'reportVerdict'],
          'Report a wrong verdict',
          Feedback,
          ['invalid_request', 'not_found', 'unsupported_media_type'],
          {
            status: 202,
            description:
              'A second report replaces the first. A report that agrees with the verdict is refused. Not charged.',
            parameters: [CHECK_ID],
            requestBody: { required: true, content: { 'application/json': { schema: FeedbackJson } } },
          },
        ),
      },
      ...appealPaths([CHECK_ID], IDEMPOTENCY),
      '/v1/scans': {
        post: operation(
          ['scans', 'startScan'],
          'Start a scan, which checks a long list in the background',
          ScanSchema,
          SCAN_START,
          {
            status: 202,
            description:
              'A list with an invalid line is refused, and the error names the line. A check per item is reserved from the quota. ' +
              'Each result is charged, and the rest is released at the end of the scan. All checks count for the month in ' +
              'which the scan was started. rate_limited can also mean that too many scans are running. Revoking the API key cancels the scan.',
            parameters: [IDEMPOTENCY],
            requestBody: bodyOf(ScanForm, ScanJson),
          },
        ),
        get: operation(
          ['scans', 'listScans'],
          'List the scans of the account, newest first',
          ScanList,
          ['invalid_request', 'not_configured'],
          {
            headers: ['Next-Cursor'],
            parameters: queryOf(ScanListQuery),
          },
        ),
      },
      '/v1/scans/{id}': {
        get: operation(
          ['scans', 'getScan'],
          'Get the counts, rate and remaining time of a scan',
          ScanSchema,
          SCAN_READ,
          {
            parameters: [SCAN_ID],
          },
        ),
        delete: operation(
          ['scans', 'cancelScan'],
          'Cancel a scan and keep its results',
          ScanSchema,
          SCAN_READ,
          {
            parameters: [SCAN_ID],
          },
        ),
      },
      '/v1/scans/{id}/results': {
        get: operation(
          ['scans', 'getScanResults'],
          'Get results of a scan as JSON lines, up to 10,000 per page',
          ScanEntries,
          [...SCAN_READ, 'invalid_request'],
          {
            mediaType: 'application/jsonl',
            headers: ['Next-Cursor'],
            description:
              'Results are in the order of their completion, which never changes. The header Next-Cursor is present while more ' +
              `results may follow. An error of one item is in its entry: ${ONE_IMAGE.join(', ')}, internal_error.`,
            parameters: [SCAN_ID, ...queryOf(ScanResultsQuery)],
          },
        ),
      },
      '/v1/usage': {
        get: operation(
          ['usage', 'getUsage'],
          'Get the number of checks used',
          UsageRecord,
          ['invalid_request'],
          {
            example: USAGE_EXAMPLE,
            parameters: queryOf(UsageQuery),
          },
        ),
      },
    },
    webhooks: { event: { post: WEBHOOK } },
    components: {
      securitySchemes: {
        bearer: {
          type: 'http',
          scheme: 'bearer',
          description: 'API key: tt_live_..., or the sandbox key tt_test_... for fixed results',
        },
      },
      headers: HEADERS,
    },
  });
}

const OPTIONS_IN_QUERY =
  'Options and `ref` can also be query parameters of the same names. Values in both places must be equal.';

const IDEMPOTENCY = {
  name: 'Idempotency-Key',
  in: 'header',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  description:
    'Key chosen by the caller that makes retries safe. A repeated request with the same key within 24 hours is not ' +
    'charged again and returns the first response, with Idempotent-Replayed: true. It waits while the first request ' +
    'is running. After a refused request, the key can be used again.',
};

const CHECK_ID = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const SCAN_ID = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };

const WEBHOOK = {
  operationId: 'webhookEvent',
  tags: ['webhooks'],
  summary: 'Receive an event of the account',
  description:
    'The service sends the event by POST to the https addresses that the account chose, signed according to the ' +
    'Standard Webhooks specification: webhook-id (the same for every attempt, because an event may arrive twice), ' +
    'webhook-timestamp and webhook-signature (two signatures while the secret is rotated). Without a 2xx response ' +
    'within 10 s, the service tries again for 24 hours, with growing pauses. It does not follow redirects. A response ' +
    'with status 410 disables the webhook.',
  security: [],
  requestBody: { required: true, content: { 'application/json': { schema: WebhookEvent } } },
  responses: { '2XX': { description: 'The event was received' } },
};
