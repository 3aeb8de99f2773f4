// The routes of /v1. Each row defines routing, validation and the operation in /openapi.json.
import { named } from 'telltale-engine/internal/base/shape.js';
import { SeenSchema } from 'telltale-engine/internal/check/details-schema.js';
import { CheckResultSchema } from 'telltale-engine/internal/check/result-schema.js';
import { ScanSchema } from '../scans/scan.js';
import { admitList, admitOne } from './checks/admission.js';
import {
  BATCH,
  BATCH_EXAMPLE,
  CHECK,
  CHECK_EXAMPLE,
  ONE_IMAGE,
  SCAN_READ,
  SCAN_START,
  SEEN,
  USAGE_EXAMPLE,
} from './openapi/operation.js';
import {
  ScanEntries,
  ScanForm,
  ScanJson,
  ScanList,
  ScanListQuery,
  ScanResultsQuery,
} from './openapi/scan-schemas.js';
import {
  BatchForm,
  BatchJson,
  BatchResult,
  CheckForm,
  CheckJson,
  CheckList,
  CheckListQuery,
  Erased,
  Feedback,
  FeedbackJson,
  PastCheck,
  SeenUpload,
  UsageQuery,
  UsageRecord,
} from './openapi/schemas.js';
import { APPEAL_ROUTES, route } from './appeal-routes.js';
import type { ApiRoute } from './route.js';
import {
  postBatch,
  postCheck,
  requireBatchPlan,
  deletePastCheck,
  getPastCheck,
  getPastChecks,
  postFeedback,
  postSeen,
} from './routes/checks.js';
import { deleteScan, getScan, getScanResults, getScans, postScan, requireScanPlan } from './routes/scans.js';
import { getUsage } from './routes/usage.js';

const OPTIONS_IN_QUERY =
  'Options and `ref` can also be query parameters of the same names. Values in both places must be equal.';

/** All routes of /v1, in the order of /openapi.json. */
export const API_ROUTES: readonly ApiRoute[] = [
  route({
    method: 'post',
    path: '/v1/check',
    operation: ['checks', 'checkImage'],
    summary: 'Check one image',
    description: OPTIONS_IN_QUERY,
    scopes: ['check', 'sandbox'],
    before: [admitOne],
    isIdempotent: true,
    upload: { form: CheckForm, json: CheckJson },
    response: CheckResultSchema,
    example: CHECK_EXAMPLE,
    errors: CHECK,
    handle: postCheck,
  }),
  route({
    method: 'post',
    path: '/v1/check/batch',
    operation: ['checks', 'checkBatch'],
    summary: 'Check 1 to 8 images',
    description: `An error of one image is in the entry of the image: ${ONE_IMAGE.join(', ')}. ${OPTIONS_IN_QUERY}`,
    scopes: ['check', 'sandbox'],
    before: [() => requireBatchPlan, admitOne],
    isIdempotent: true,
    upload: { form: BatchForm, json: BatchJson },
    response: BatchResult,
    example: BATCH_EXAMPLE,
    errors: BATCH,
    handle: postBatch,
  }),
  route({
    method: 'get',
    path: '/v1/checks',
    operation: ['checks', 'listChecks'],
    summary: 'List earlier checks, newest first',
    description: 'Returns checks for as long as the history stores them. Not charged.',
    scopes: ['check'],
    query: CheckListQuery,
    response: CheckList,
    errors: ['invalid_request'],
    handle: getPastChecks,
  }),
  route({
    method: 'get',
    path: '/v1/checks/:id',
    operation: ['checks', 'getCheck'],
    summary: 'Get an earlier check',
    scopes: ['check'],
    response: PastCheck,
    errors: ['not_found'],
    handle: getPastCheck,
  }),
  route({
    method: 'delete',
    path: '/v1/checks/:id',
    operation: ['checks', 'eraseCheck'],
    summary: 'Erase a check',
    description:
      'Permanently deletes the check from the history and from the results of a scan, with the stored response to its ' +
      'Idempotency-Key and the stored image, unless another check uses the image. The charge is not refunded.',
    scopes: ['check'],
    response: Erased,
    errors: ['not_found'],
    handle: deletePastCheck,
  }),
  route({
    method: 'post',
    path: '/v1/seen',
    operation: ['checks', 'findSeen'],
    summary: 'Find earlier checks of the same image',
    description:
      'Looks up the image without checking it: earlier checks of the account and known images, as include=seen does. ' +
      'Requires that the account stores hashes. The image is not stored. Not charged.',
    scopes: ['check'],
    before: [admitOne],
    upload: { form: SeenUpload },
    response: named('Seen', SeenSchema),
    errors: SEEN,
    handle: postSeen,
  }),
  route({
    method: 'post',
    path: '/v1/checks/:id/feedback',
    operation: ['checks', 'reportVerdict'],
    summary: 'Report a wrong verdict',
    description:
      'A second report replaces the first. A report that agrees with the verdict is refused. Not charged.',
    scopes: ['check'],
    json: FeedbackJson,
    response: Feedback,
    status: 202,
    errors: ['invalid_request', 'not_found', 'unsupported_media_type'],
    handle: postFeedback,
  }),
  ...APPEAL_ROUTES,
  route({
    method: 'post',
    path: '/v1/scans',
    operation: ['scans', 'startScan'],
    summary: 'Start a scan, which checks a long list in the background',
    description:
      'A list with an invalid line is refused, and the error names the line. A check per item is reserved from the quota. ' +
      'Each result is charged, and the rest is released at the end of the scan. All checks count for the month in ' +
      'which the scan was started. rate_limited can also mean that too many scans are running. Revoking the API key cancels the scan.',
    scopes: ['scan'],
    before: [requireScanPlan, admitList],
    isIdempotent: true,
    upload: { form: ScanForm, json: ScanJson },
    response: ScanSchema,
    status: 202,
    errors: SCAN_START,
    handle: postScan,
  }),
  route({
    method: 'get',
    path: '/v1/scans',
    operation: ['scans', 'listScans'],
    summary: 'List the scans of the account, newest first',
    scopes: ['scan'],
    query: ScanListQuery,
    response: ScanList,
    errors: ['invalid_request', 'not_configured'],
    handle: getScans,
  }),
  route({
    method: 'get',
    path: '/v1/scans/:id',
    operation: ['scans', 'getScan'],
    summary: 'Get the counts, rate and remaining time of a scan',
    scopes: ['scan'],
    response: ScanSchema,
    errors: SCAN_READ,
    handle: getScan,
  }),
  route({
    method: 'delete',
    path: '/v1/scans/:id',
    operation: ['scans', 'cancelScan'],
    summary: 'Cancel a scan and keep its results',
    scopes: ['scan'],
    response: ScanSchema,
    errors: SCAN_READ,
    handle: deleteScan,
  }),
  route({
    method: 'get',
    path: '/v1/scans/:id/results',
    operation: ['scans', 'getScanResults'],
    summary: 'Get results of a scan as JSON lines, up to 10,000 per page',
    description:
      'Results are in the order of their completion, which never changes. The header Next-Cursor is present while more ' +
      `results may follow. An error of one item is in its entry: ${ONE_IMAGE.join(', ')}, internal_error.`,
    scopes: ['scan'],
    query: ScanResultsQuery,
    response: ScanEntries,
    mediaType: 'application/jsonl',
    errors: [...SCAN_READ, 'invalid_request'],
    handle: getScanResults,
  }),
  route({
    method: 'get',
    path: '/v1/usage',
    operation: ['usage', 'getUsage'],
    summary: 'Get the number of checks used',
    scopes: ['usage'],
    query: UsageQuery,
    response: UsageRecord,
    example: USAGE_EXAMPLE,
    errors: ['invalid_request'],
    handle: getUsage,
  }),
];
