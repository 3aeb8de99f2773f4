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
    'No AI detected: the image as a whole scores far below its threshold and the face in the upper centre scores far below its own; this is no proof, as the detectors miss some AI images',
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
        'Tells whether an image is AI-generated, AI-edited or face-swapped. Each request carries ' +
        '`Authorization: Bearer API_KEY`; this document is `/openapi.json`.\n\n' +
        '    curl -H "Authorization: Bearer $API_KEY" -F file=@photo.jpg $URL/v1/check',
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    // A relative address, so that the document fits every installation.
    servers: [{ url: '/' }],
    security: [{ bearer: [] }],
    tags: [
      { name: 'checks', description: 'One image, or up to eight, at once' },
      { name: 'scans', description: 'Long lists in the background' },
      { name: 'usage', description: 'What was used of the plan' },
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
          description: `A fault of one image stands in its own entry: ${ONE_IMAGE.join(', ')}. ${OPTIONS_IN_QUERY}`,
          parameters: [IDEMPOTENCY],
          requestBody: bodyOf(BatchForm, BatchJson),
        }),
      },
      '/v1/checks': {
        get: operation(
          ['checks', 'listChecks'],
          'The checks of the account, newest first',
          CheckList,
          ['invalid_request'],
          {
            headers: ['Next-Cursor'],
            description: 'As long as the history keeps them. Not charged.',
            parameters: queryOf(CheckListQuery),
          },
        ),
      },
      '/v1/checks/{id}': {
        get: operation(['checks', 'getCheck'], 'One check of the past', PastCheck, ['not_found'], {
          parameters: [CHECK_ID],
        }),
        delete: operation(['checks', 'eraseCheck'], 'Erase a check', Erased, ['not_found'], {
          description:
            'Its entry of the history, the kept image unless another check names it, the answer of its Idempotency-Key and its ' +
            'entry in the results of a scan are gone for good. What was charged stays charged.',
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
              'As in the console. A second report takes the place of the first; one that says what the verdict says is ' +
              'refused. Not charged.',
            parameters: [CHECK_ID],
            requestBody: { required: true, content: { 'application/json': { schema: FeedbackJson } } },
          },
        ),
      },
      ...appealPaths([CHECK_ID], IDEMPOTENCY),
      '/v1/scans': {
        post: operation(
          ['scans', 'startScan'],
          'Begin a scan: a long list, checked in the background',
          ScanSchema,
          SCAN_START,
          {
            status: 202,
            description:
              'A list that can not be read is refused whole, with its line. The checks are set aside from the quota at ' +
              'once, charged for each result and returned for the rest at the end, all in the month in which the scan began. ' +
              'rate_limited also means: too many scans at once. A scan whose API key is revoked is cancelled.',
            parameters: [IDEMPOTENCY],
            requestBody: bodyOf(ScanForm, ScanJson),
          },
        ),
        get: operation(
          ['scans', 'listScans'],
          'The scans of the account, newest first',
          ScanList,
          ['invalid_request', 'not_configured'],
          {
            headers: ['Next-Cursor'],
            parameters: queryOf(ScanListQuery),
          },
        ),
      },
      '/v1/scans/{id}': {
        get: operation(['scans', 'getScan'], 'One scan: counts, rate, time left', ScanSchema, SCAN_READ, {
          parameters: [SCAN_ID],
        }),
        delete: operation(['scans', 'cancelScan'], 'Cancel a scan; its answers stay', ScanSchema, SCAN_READ, {
          parameters: [SCAN_ID],
        }),
      },
      '/v1/scans/{id}/results': {
        get: operation(
          ['scans', 'getScanResults'],
          'Answers as JSON lines, up to 10,000 a page',
          ScanEntries,
          [...SCAN_READ, 'invalid_request'],
          {
            mediaType: 'application/jsonl',
            headers: ['Next-Cursor'],
            description:
              'In the order in which they were answered, which never changes. The header Next-Cursor is there while more ' +
              `may follow. A fault of one item stands in its entry: ${ONE_IMAGE.join(', ')}, internal_error.`,
            parameters: [SCAN_ID, ...queryOf(ScanResultsQuery)],
          },
        ),
      },
      '/v1/usage': {
        get: operation(
          ['usage', 'getUsage'],
          'Checks used in the current period',
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
          description: 'an API key: tt_live_..., or tt_test_... for fixed answers',
        },
      },
      headers: HEADERS,
    },
  });
}

const OPTIONS_IN_QUERY =
  'Options and `ref` may also come as query parameters of the same names; values in both places must agree.';

const IDEMPOTENCY = {
  name: 'Idempotency-Key',
  in: 'header',
  schema: { type: 'string', minLength: 1, maxLength: 255 },
  description:
    'The same key with the same request within 24 hours is charged once and gets the first answer again, with ' +
    'Idempotent-Replayed: true. While the first one runs, duplicates wait for it. A request that was refused frees its key.',
};

const CHECK_ID = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };
const SCAN_ID = { name: 'id', in: 'path', required: true, schema: { type: 'string' } };

const WEBHOOK = {
  operationId: 'webhookEvent',
  tags: ['webhooks'],
  summary: 'An event of the account',
  description:
    'Sent by POST to the https addresses that the account chose, signed as the Standard Webhooks specification has it: ' +
    'webhook-id (the same for every try: an event may come twice), webhook-timestamp, webhook-signature (two while the ' +
    'secret is rotated). Anything but a 2xx within 10 s is tried again for 24 hours, with growing pauses; redirects are ' +
    'not followed; 410 disables the webhook.',
  security: [],
  requestBody: { required: true, content: { 'application/json': { schema: WebhookEvent } } },
  responses: { '2XX': { description: 'It has arrived' } },
};
