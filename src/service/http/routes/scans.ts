// Routes /v1/scans: long lists of images that are checked in the background.
import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import type { Static } from '@sinclair/typebox';
import { nameOfPlan } from '../../../accounts/plans.js';
import { CheckError, invalidRequest } from 'telltale-engine/internal/base/errors.js';
import { FILE_MARK_KINDS } from 'telltale-engine/internal/check/marks/kinds.js';
import { isKeyInUse } from '../../../accounts/usage/idempotency-locks.js';
import { cancelScan } from '../../scans/end.js';
import { discardLater, type Owner } from '../../scans/create-items.js';
import { presentScan, isLive, readOptions, type ScanRow } from '../../scans/scan.js';
import { findScan, listScans, readEntries } from '../../scans/read-scans.js';
import { requireScanAllowance, PLAIN_KIND, startScan, type ScanKind } from '../../scans/start.js';
import { withHeaders } from '../errors/answer-errors.js';

import { answerOnce, ownerOfKey, readIdempotencyKey } from '../checks/idempotency.js';
import { readScanInput, type ScanInput } from '../body/scan-input.js';
import type { ScanListQuery, ScanResultsQuery } from '../openapi/scan-schemas.js';
import type { Handler, Middleware } from '../route.js';
import type { ScanServices, Services } from '../../services.js';
import { callerOf, paramOf, sendJson, type Context } from '../state.js';

/** Default number of results per page. */
const PAGE_ENTRIES = '10000';
/** Default number of scans per page. */
const PAGE_SCANS = '100';
/** Seconds in Retry-After if too many scans are running. A scan usually takes minutes. */
const RETRY_AFTER_S = '60';

/**
 * Headers of a response if the request uses `before`, the former name of `cursor`, deprecated since
 * 2026-11-27 (docs/http.md).
 */
const BEFORE_DEPRECATED = {
  Deprecation: `@${Date.UTC(2026, 10, 27) / 1000}`,
  Link: '</docs>; rel="deprecation"; type="text/html"',
};

/** Returns the dependencies of scans. Throws CheckError not_configured without PostgreSQL. */
export function scansOf({ scans }: Pick<Services, 'scans'>): ScanServices {
  if (scans) return scans;
  throw new CheckError(
    'not_configured',
    'scans need PostgreSQL: set TELLTALE_DATABASE_URL=postgres://USER:PASSWORD@HOST:5432/NAME for the service, and ' +
      "run 'telltale worker' with the same setting",
  );
}

/**
 * Creates middleware that refuses a plan without scans before the body is read. Throws CheckError
 * not_configured, plan_required.
 */
export function requireScanPlan(services: Services): Middleware {
  return async (ctx, next) => {
    scansOf(services);
    const { plan } = callerOf(ctx);
    if (plan.scanItems === 0 || plan.scansAtOnce === 0)
      throw new CheckError(
        'plan_required',
        `${nameOfPlan(plan)} does not include scans. They need a larger plan`,
      );
    await next();
  };
}

/**
 * Handles POST /v1/scans, and scans from the console: starts a scan. Requires a caller in `ctx.state`,
 * `requireScanPlan` and `admit`.
 */
export function postScan(services: Services, kindOf: (ctx: Context) => ScanKind = () => PLAIN_KIND): Handler {
  return async (ctx) => {
    const deps = scansOf(services);
    const owner: Owner = callerOf(ctx);
    const kind = kindOf(ctx);
    const key = readIdempotencyKey(ctx);
    const isDuplicate = key !== null && (await isKeyInUse(deps.database, ownerOfKey(ctx, key)));
    const usage = isDuplicate ? null : await requireScanAllowance(deps.database, owner).catch(setRetryAfter);
    const input = await ctx.state.stages.time('receive', () =>
      readScanInput(ctx, deps, { owner, usage, isUploaded: kind.isUploaded }),
    );
    const started = { isStarted: false };
    try {
      const json = await answerOnce(
        ctx,
        deps,
        () => digestInput(ctx.path, input),
        async (attempt) => {
          const body = await startScan(deps, { owner, ...input, kind, lock: attempt.lock }).catch(
            setRetryAfter,
          );
          attempt.settle();
          started.isStarted = true;
          return body;
        },
      );
      sendJson(ctx, json);
    } finally {
      // The request was refused, or it is a duplicate of another request.
      if (!started.isStarted) discardLater(deps.database, input.received.id);
    }
  };
}

/** Adds Retry-After to the error for too many running scans, and throws the error. */
function setRetryAfter(error: unknown): never {
  const isFull = error instanceof CheckError && error.code === 'rate_limited';
  throw isFull ? withHeaders(error, { 'Retry-After': RETRY_AFTER_S }) : error;
}

/** Handles GET /v1/scans: lists the account's scans, newest first. Throws CheckError invalid_request. */
export function getScans(services: Services): Handler<Static<typeof ScanListQuery>> {
  return async (ctx, { before, cursor = before, limit = PAGE_SCANS }) => {
    const { database } = scansOf(services);
    if (before !== undefined) ctx.set(BEFORE_DEPRECATED);
    const filter = { before: cursor };
    const { rows, next } = await listScans(database, callerOf(ctx).accountId, Number(limit), filter);
    if (next !== null) ctx.set('Next-Cursor', next);
    const now = new Date();
    ctx.body = { scans: rows.map((row) => presentScan(row, now)), next };
  };
}

/** Handles GET /v1/scans/{id}: returns a scan. Throws CheckError not_found. */
export function getScan(services: Services): Handler {
  return async (ctx) => {
    ctx.body = presentScan(await requireScan(ctx, scansOf(services)), new Date());
  };
}

/** Handles DELETE /v1/scans/{id}: cancels a scan, unless it has ended. Throws CheckError not_found. */
export function deleteScan(services: Services): Handler {
  return async (ctx) => {
    const { accountId } = callerOf(ctx);
    const row = await cancelScan(scansOf(services), {
      accountId,
      id: paramOf(ctx, 'id'),
      reason: 'the caller cancelled it',
    });
    if (!row) throw notFound();
    ctx.body = presentScan(row, new Date());
  };
}

/**
 * Handles GET /v1/scans/{id}/results: sends up to `limit` results as JSON lines, in the order of completion,
 * which never changes. `mark` selects results that have a mark of these kinds. Sets `Next-Cursor` while more
 * results may follow. Throws CheckError not_found, invalid_request.
 */
export function getScanResults(services: Services): Handler<Static<typeof ScanResultsQuery>> {
  return async (ctx, { cursor = '0', limit = PAGE_ENTRIES, mark }) => {
    const deps = scansOf(services);
    const scan = await requireScan(ctx, deps);
    const kinds = mark === undefined ? null : FILE_MARK_KINDS.filter((kind) => mark.includes(kind));
    if (kinds !== null && !readOptions(scan).include.includes('marks')) throw withoutMarks();
    const after = Math.min(Number(cursor), scan.answered);
    const last = Math.min(after + Number(limit), scan.answered);
    if (last < scan.answered || isLive(scan)) ctx.set('Next-Cursor', String(last));
    const lines = toLines(readEntries(deps.database, { id: scan.id, after, last, markKinds: kinds }));
    // Reads the first result before the response begins, so that an unavailable database can still be
    // reported by an error code.
    const first = await lines.next();
    ctx.type = 'application/jsonl';
    ctx.body = Readable.from(startingWith(first, lines), { objectMode: false });
  };
}

async function* toLines(entries: AsyncIterable<string>): AsyncGenerator<string, void> {
  for await (const entry of entries) yield `${entry}\n`;
}

async function* startingWith(
  first: IteratorResult<string, void>,
  rest: AsyncGenerator<string, void>,
): AsyncGenerator<string, void> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}

async function requireScan(ctx: Context, { database }: ScanServices): Promise<ScanRow> {
  const scan = await findScan(database, callerOf(ctx).accountId, paramOf(ctx, 'id'));
  if (!scan) throw notFound();
  return scan;
}

function notFound(): CheckError {
  return new CheckError('not_found', 'this account has no such scan');
}

function withoutMarks(): CheckError {
  return invalidRequest(
    "Results can't be filtered by marks, because this scan did not search for them. Start a scan with include=marks",
    { param: 'mark' },
  );
}

/** Returns a digest of the request. It ignores the bucket's contents, which may change between two requests. */
function digestInput(path: string, { received, prefix, options }: ScanInput): string {
  const { profile, include } = options;
  const listParts = prefix === null ? [received.digest] : ['source', prefix];
  return createHash('sha256')
    .update(JSON.stringify([path, ...listParts, profile, include]))
    .digest('hex');
}
