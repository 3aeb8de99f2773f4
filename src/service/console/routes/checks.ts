// The history of the account's checks: list, kept picture, record, report of a wrong verdict.
import { buffer } from 'node:stream/consumers';
import { startDeadline } from '../../../check/deadline.js';
import { CheckError } from '../../../base/errors.js';
import {
  findCheck,
  listChecks,
  reportCheck,
  type HistoryFilter,
  type PastCheck,
} from '../../../accounts/history/checks.js';
import { disconnectSignal } from '../../http/middleware/client-disconnect.js';
import { collectFields } from '../../http/checks/check-options.js';
import { requireValid } from '../../http/body/validate.js';
import type { OriginalFile } from '../../../record/content/compose.js';
import { writeJson } from '../../../record/keys/sign.js';
import { digestBytes } from '../../../base/digest.js';
import { presentPastCheck } from '../present.js';
import { readJson } from '../../http/body/read-json.js';
import type { ConsoleDeps } from '../deps.js';
import { HistoryQuery, ReportBody } from '../schemas.js';
import type { CheckPage } from '../shapes.js';
import { memberOf, paramOf, type ConsoleContext } from '../state.js';
import { drawPreview } from './preview.js';

type Handler = (ctx: ConsoleContext) => Promise<void>;

const PAGE_SIZE = 50;

/** Formats that every browser shows; the others are drawn. */
const SHOWN_FORMATS = new Set(['jpeg', 'png', 'webp', 'avif', 'gif', 'bmp']);

/** Handles GET checks. */
export function getChecks({ database }: ConsoleDeps): Handler {
  return async (ctx) => {
    const fields = collectFields([...new URLSearchParams(ctx.querystring)]);
    const filter: HistoryFilter = requireValid(HistoryQuery, fields, 'the query');
    const found = await listChecks(database, memberOf(ctx).accountId, filter, PAGE_SIZE + 1);
    const checks = found.slice(0, PAGE_SIZE).map(presentPastCheck);
    const next = found.length > PAGE_SIZE ? (checks.at(-1)?.id ?? null) : null;
    ctx.body = { checks, next } satisfies CheckPage;
  };
}

/**
 * Handles GET checks/ID/image: the kept original, or a PNG of it if browsers don't show its format. What is sent was
 * decoded as a picture before it was kept, and its type says picture: nothing in it can run. Errors: not_found, and if
 * it is drawn those of a check's picture.
 */
export function getImage(deps: ConsoleDeps): Handler {
  return async (ctx) => {
    const { accountId } = memberOf(ctx);
    const check = await findCheck(deps.database, accountId, paramOf(ctx, 'id'));
    const image = check?.image && (await deps.retention.open(accountId, check.image.id));
    if (!image) throw new CheckError('not_found', 'no picture is kept for this check');
    ctx.set('Content-Security-Policy', "default-src 'none'; sandbox");
    if (SHOWN_FORMATS.has(image.format)) {
      ctx.type = `image/${image.format}`;
      ctx.length = image.sizeBytes;
      ctx.body = image.bytes;
      return;
    }
    const deadline = startDeadline({ signal: disconnectSignal(ctx), deadlineMs: deps.deadlineMs });
    ctx.type = 'image/png';
    const bytes = await deadline.race(buffer(image.bytes));
    ctx.body = await drawPreview(deps.engine, accountId, bytes, deadline);
  };
}

/**
 * Handles GET checks/ID/record: the signed record of what the history keeps, with the picture if that was kept, too.
 * Errors: not_found, and those of the engine if it is busy.
 */
export function getRecord(deps: ConsoleDeps): Handler {
  return async (ctx) => {
    const { accountId } = memberOf(ctx);
    const check = await findCheck(deps.database, accountId, paramOf(ctx, 'id'));
    if (!check) throw noSuchCheck();
    const deadline = startDeadline({ signal: disconnectSignal(ctx), deadlineMs: deps.deadlineMs });
    const kept = await deadline.race(readKept(deps, check));
    const record = await deps.recorder.past(check, kept, { ...deadline.remaining(), accountId });
    ctx.type = 'json';
    ctx.body = writeJson(record);
  };
}

/** Handles PUT checks/ID/report: the verdict is wrong, and what is right. Errors: not_found. */
export function putReport({ database }: ConsoleDeps): Handler {
  return async (ctx) => {
    const report = await readJson(ctx, ReportBody);
    if (!(await reportCheck(database, checkOf(ctx), report))) throw noSuchCheck();
    ctx.status = 204;
  };
}

/** Handles DELETE checks/ID/report: takes the report back. Errors: not_found. */
export function deleteReport({ database }: ConsoleDeps): Handler {
  return async (ctx) => {
    if (!(await reportCheck(database, checkOf(ctx), null))) throw noSuchCheck();
    ctx.status = 204;
  };
}

/** The picture of a check, whole; null if none is kept. */
async function readKept(
  { retention }: ConsoleDeps,
  { accountId, image }: PastCheck,
): Promise<OriginalFile | null> {
  const opened = image && (await retention.open(accountId, image.id));
  if (!opened) return null;
  const bytes = await buffer(opened.bytes);
  return { bytes, sha256: await digestBytes(bytes) };
}

function checkOf(ctx: ConsoleContext): { accountId: string; id: string; by: string } {
  const { accountId, id: by } = memberOf(ctx);
  return { accountId, id: paramOf(ctx, 'id'), by };
}

function noSuchCheck(): CheckError {
  return new CheckError('not_found', 'this account has no such check in its history');
}
