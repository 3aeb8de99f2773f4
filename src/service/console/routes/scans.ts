// Console routes of scans. A member starts a scan with a list, or with a folder whose images the browser page
// uploads one by one.
import { performance } from 'node:perf_hooks';
import type { Static } from '@sinclair/typebox';
import { errorFacts } from 'telltale-engine/internal/base/error-codes.js';
import { CheckError, invalidRequest } from 'telltale-engine/internal/base/errors.js';
import { nameOfFile } from '../../../accounts/history/image-name.js';
import { countAssessments } from '../../../accounts/history/tally.js';
import { disconnectSignal } from '../../http/errors/answer-errors.js';
import { readImageInput } from '../../http/body/image-input.js';
import { postScan, scansOf } from '../../http/routes/scans.js';
import {
  answerChecked,
  answerFailed,
  type Answer,
  type AnsweredItem,
  recordAnswers,
} from '../../scans/answers.js';
import { cancelScan, recordUpload } from '../../scans/end.js';
import { findItem, findScan, listFailures, listScans } from '../../scans/read-scans.js';
import { isLive, readOptions, type ScanRow } from '../../scans/scan.js';
import { checkAndSearch } from '../../check-and-search.js';
import { within } from '../../traces/span.js';
import { memberOf, type ConsoleContext, type Handler } from '../session.js';
import type { Services } from '../../services.js';
import { paramOf } from '../../http/state.js';
import { presentShownScan } from '../present.js';
import type { PageQuery, ScanNameQuery } from '../schemas.js';

const PAGE_SCANS = 50;
const PAGE_FAILURES = 100;

/** Handles POST scans: accepts the same as POST /v1/scans, and the list's display name in the query. */
export const postListScan = (deps: Services) => startNamedScan(deps, false);

/** Handles POST scans/folder: starts a scan whose images the browser page uploads. */
export const postFolderScan = (deps: Services) => startNamedScan(deps, true);

function startNamedScan(deps: Services, isUploaded: boolean): Handler<Static<typeof ScanNameQuery>> {
  return async (ctx, query) => {
    const name = deps.historyNames && query.name !== undefined ? nameOfFile(query.name) : null;
    await postScan(deps, () => ({ name, isUploaded }))(ctx, undefined);
  };
}

/** Handles GET scans: lists the account's scans, newest first. */
export function getMembersScans(deps: Services) {
  return async (ctx: ConsoleContext, { before }: Static<typeof PageQuery>) => {
    const { accountId } = memberOf(ctx);
    const { database } = scansOf(deps);
    const { rows, next } = await listScans(database, accountId, PAGE_SCANS, { before });
    const now = new Date();
    return { scans: rows.map((row) => presentShownScan(row, now)), next };
  };
}

/** Handles GET scans/ID: returns a scan. Throws CheckError not_found. */
export function getMembersScan(deps: Services) {
  return async (ctx: ConsoleContext) => {
    const { accountId, id: memberId } = memberOf(ctx);
    const { database } = scansOf(deps);
    const [row] = (await listScans(database, accountId, 1, { id: paramOf(ctx, 'id') })).rows;
    if (!row) throw noSuchScan();
    return {
      ...presentShownScan(row, new Date()),
      is_mine: row.member_id === memberId,
      /** Counted from the history, so checks that were deleted or never stored there are missing. */
      assessments: await countAssessments(database, accountId, row.id),
    };
  };
}

/** Handles DELETE scans/ID: cancels a scan. Throws CheckError not_found. */
export function deleteMembersScan(deps: Services): Handler {
  return async (ctx) => {
    const { accountId } = memberOf(ctx);
    const id = paramOf(ctx, 'id');
    if (!(await cancelScan(scansOf(deps), { accountId, id, reason: 'a member cancelled it' })))
      throw noSuchScan();
  };
}

/**
 * Handles GET scans/ID/failures: lists images that could not be checked, in the order of completion. Throws CheckError
 * not_found.
 */
export function getFailures(deps: Services) {
  return async (ctx: ConsoleContext, { after = '0' }: Static<typeof PageQuery>) => {
    if (!/^\d{1,9}$/.test(after)) throw invalidRequest("Expected a number for 'after'");
    const { database } = scansOf(deps);
    const scan = await findScan(database, memberOf(ctx).accountId, paramOf(ctx, 'id'));
    if (!scan) throw noSuchScan();
    const failures = await listFailures(database, scan.id, Number(after), PAGE_FAILURES + 1);
    const shownFailures = failures.slice(0, PAGE_FAILURES);
    return {
      failures: shownFailures.map(({ line, ref, error }) => ({ line, ref: ref ?? null, ...error })),
      next: failures.length > PAGE_FAILURES ? String(shownFailures.at(-1)?.number ?? 0) : null,
    };
  };
}

/**
 * Handles PUT scans/ID/items/POSITION: checks an image that the page uploads for the member's own scan. An
 * invalid image gets its error as result; after an error of the service, the page tries again. Throws
 * CheckError not_found, invalid_request if the scan has ended, and errors of a check that the image did not
 * cause.
 */
export function putItem(deps: Services): Handler {
  return async (ctx) => {
    const scans = scansOf(deps);
    const scan = await requireUpload(ctx, deps);
    const position = paramOf(ctx, 'position');
    const item = /^\d{1,9}$/.test(position) ? await findItem(deps.database, scan.id, Number(position)) : null;
    if (!item) throw new CheckError('not_found', 'this scan has no such item');
    if (item.number === null) {
      const answer = await answerItem(ctx, deps, scan, item);
      await recordAnswers(scans, scan.id, [answer], deps.historyDays > 0);
      await recordUpload(deps.database, scan.id);
    }
  };
}

async function requireUpload(ctx: ConsoleContext, { database }: Services): Promise<ScanRow> {
  const { accountId, id: memberId } = memberOf(ctx);
  const scan = await findScan(database, accountId, paramOf(ctx, 'id'));
  if (scan?.is_uploaded !== 1 || scan.member_id !== memberId) throw noSuchScan();
  if (!isLive(scan)) throw invalidRequest('This scan has ended and accepts no more images');
  return scan;
}

async function answerItem(
  ctx: ConsoleContext,
  deps: Services,
  scan: ScanRow,
  item: AnsweredItem,
): Promise<Answer> {
  try {
    return await checkItem(ctx, deps, scan, item);
  } catch (error) {
    const isServiceFault =
      !(error instanceof CheckError) || ['service', 'account'].includes(errorFacts(error.code).about);
    if (isServiceFault) throw error;
    return answerFailed(item, error);
  }
}

async function checkItem(
  ctx: ConsoleContext,
  deps: Services,
  scan: ScanRow,
  item: AnsweredItem,
): Promise<Answer> {
  const { images, receivedMs } = await readImageInput(ctx, 'single');
  const [image] = images;
  if (image?.kind === 'refused') throw image.error;
  if (image?.kind !== 'bytes') throw invalidRequest('Expected an image in a form, but received an address');
  const { profile, include } = readOptions(scan);
  const signal = disconnectSignal(ctx);
  const { keepsHashes } = memberOf(ctx);
  const searchOptions = { accountId: keepsHashes ? scan.account_id : null, wantsSeen: false };
  const { report, hash } = await within(ctx.state.stages.span.begin('check'), (span) =>
    checkAndSearch(
      span,
      { ...deps, bands: deps.calibration.current },
      {
        bytes: image.bytes,
        profile,
        signal,
        searchPixels: include.includes('marks'),
        heatMap: include.includes('heatmap'),
        accountId: scan.account_id,
        deadlineMs: deps.deadlineMs,
      },
      searchOptions,
    ),
  );
  signal.throwIfAborted();
  return answerChecked(item, report, {
    include,
    latencyMs: performance.now() - receivedMs,
    fetchMs: 0,
    hash,
    name: deps.historyNames && item.ref !== null ? nameOfFile(item.ref) : null,
  });
}

function noSuchScan(): CheckError {
  return new CheckError('not_found', 'this account has no such scan');
}
