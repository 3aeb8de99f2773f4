// Console routes of past checks: list, stored images, records, reviews, and reports of wrong verdicts.
import type { Static } from '@sinclair/typebox';
import { buffer } from 'node:stream/consumers';
import { startDeadline, type Deadline } from 'telltale-engine/internal/check/deadline.js';
import { CheckError, invalidRequest } from 'telltale-engine/internal/base/errors.js';
import { eraseCheck } from '../../../accounts/erase.js';
import { claimCheck, releaseCheck } from '../../../accounts/history/claims.js';
import { hasRole } from '../../../accounts/members/members.js';
import { findCheck, listChecks, type PastCheck } from '../../../accounts/history/checks.js';
import { cutPage } from '../../../accounts/page.js';
import { noSuchCheck, noteCheck, reportCheck } from '../../../accounts/history/remarks.js';
import { disconnectSignal } from '../../http/errors/answer-errors.js';
import { readMoment } from '../../../accounts/usage/period.js';
import type { OriginalFile } from '../../../record/content/compose.js';
import { writeJson } from '../../../record/keys/keys.js';
import { digestBytes } from 'telltale-engine/internal/base/bytes.js';
import { presentPastCheck } from '../present.js';
import { asMember, memberOf, type ConsoleContext, type Handler } from '../session.js';
import type { Services } from '../../services.js';
import { paramOf } from '../../http/state.js';
import type { HistoryQuery, NoteBody, ReportBody } from '../schemas.js';
import { admitHeader } from 'telltale-engine/internal/check/admit-image.js';
import type { Engine } from 'telltale-engine/internal/engine/types.js';
import { readImageInput } from '../../http/body/image-input.js';
import type { Database } from '../../../storage/db/database.js';

const PAGE_SIZE = 50;
/** Longer side of a thumbnail in pixels. Twice the size in lists, for high-resolution screens. */
const THUMBNAIL_PX = 160;

/** Formats that every browser shows. Images in other formats are converted to PNG. */
const SHOWN_FORMATS = new Set(['jpeg', 'png', 'webp', 'avif', 'gif', 'bmp']);

/** Handles GET checks: lists the account's checks, newest first. */
export function getChecks({ database }: Services) {
  return async (
    ctx: ConsoleContext,
    { limit, from, to, claimed, ...filters }: Static<typeof HistoryQuery>,
  ) => {
    const { id: memberId, accountId } = memberOf(ctx);
    const filter = {
      ...filters,
      ...(claimed !== undefined && { claimed: claimed === 'me' ? memberId : claimed === 'anybody' }),
      ...(from !== undefined && { from: readMoment('from', from, 'start') }),
      ...(to !== undefined && { to: readMoment('to', to, 'end') }),
    };
    const size = limit === undefined ? PAGE_SIZE : Number(limit);
    const checks = await listChecks(database, accountId, filter, size + 1);
    const { rows, next } = cutPage(checks, size);
    return { checks: rows.map(presentPastCheck), next };
  };
}

/** Handles GET checks/ID: returns one check. Throws CheckError not_found. */
export function getCheck({ database }: Services) {
  return async (ctx: ConsoleContext) => {
    const check = await findCheck(database, memberOf(ctx).accountId, paramOf(ctx, 'id'));
    if (!check) throw noSuchCheck();
    return presentPastCheck(check);
  };
}

/**
 * Handles GET checks/ID/image: sends the stored file, or a PNG if browsers don't show its format. Only images
 * are stored, and the content type is an image type, so no script in a file can run. Throws CheckError
 * not_found, and errors of drawing an image.
 */
export function getImage(deps: Services): Handler {
  return async (ctx) => {
    const { accountId } = memberOf(ctx);
    const check = await findCheck(deps.database, accountId, paramOf(ctx, 'id'));
    const image = check?.image && (await deps.retention.open(accountId, check.image.id));
    if (!image) throw noImage();
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
 * Handles GET checks/ID/thumbnail: sends a small JPEG of the stored image. Thumbnails are drawn at the first
 * request, so that listing checks stays fast. Throws CheckError not_found, and errors of drawing an image.
 */
export function getThumbnail(deps: Services): Handler {
  return async (ctx) => {
    const { accountId } = memberOf(ctx);
    const check = await findCheck(deps.database, accountId, paramOf(ctx, 'id'));
    if (!check?.image) throw noImage();
    const jpeg =
      (await readThumbnail(deps.database, accountId, check.image.id)) ??
      (await drawThumbnail(ctx, deps, check));
    ctx.set('Cache-Control', 'private, max-age=3600');
    ctx.type = 'image/jpeg';
    ctx.body = jpeg;
  };
}

async function drawThumbnail(ctx: ConsoleContext, deps: Services, check: PastCheck): Promise<Buffer> {
  const { accountId, image } = check;
  const deadline = startDeadline({ signal: disconnectSignal(ctx), deadlineMs: deps.deadlineMs });
  const storedImage = await deadline.race(openStoredImage(deps, check));
  if (!storedImage || !image) throw noImage();
  admitHeader(await deadline.race(deps.engine.sniff(storedImage.bytes)));
  const options = { ...deadline.remaining(), accountId, longSidePx: THUMBNAIL_PX };
  const { jpeg } = await deps.engine.makePreview(storedImage.bytes, options);
  await keepThumbnail(deps.database, image.id, jpeg);
  return Buffer.from(jpeg);
}

/**
 * Handles GET checks/ID/record: returns a signed record of a past check, with the image if the image is
 * stored. Throws CheckError not_found, and errors of a busy engine.
 */
export function getRecord(deps: Services): Handler {
  return async (ctx) => {
    const { accountId } = memberOf(ctx);
    const check = await findCheck(deps.database, accountId, paramOf(ctx, 'id'));
    if (!check) throw noSuchCheck();
    const deadline = startDeadline({ signal: disconnectSignal(ctx), deadlineMs: deps.deadlineMs });
    const storedImage = await deadline.race(openStoredImage(deps, check));
    const record = await deps.recorder.past(check, storedImage, { ...deadline.remaining(), accountId });
    ctx.type = 'json';
    ctx.body = writeJson(record);
  };
}

/**
 * Handles PUT checks/ID/claim: the member takes the check for review. Does nothing if the member already has it. Throws
 * CheckError not_found, and invalid_request if another member is reviewing the check.
 */
export function putClaim({ database }: Services) {
  return async (ctx: ConsoleContext) => {
    const { id: by, accountId } = memberOf(ctx);
    const id = paramOf(ctx, 'id');
    await claimCheck(database, { accountId, id, by });
    const check = await findCheck(database, accountId, id);
    if (!check) throw noSuchCheck();
    const { claim } = check;
    if (claim && claim.memberId !== by)
      throw invalidRequest(
        `${claim.memberEmail} has been reviewing this check since ${claim.at.toISOString()}`,
      );
    return presentPastCheck(check);
  };
}

/**
 * Handles DELETE checks/ID/claim: ends the member's review of the check. Owners can end any member's review.
 * Throws CheckError not_found, also if nobody is reviewing the check.
 */
export function deleteClaim({ database }: Services): Handler {
  return async (ctx) => {
    const { id: by, accountId, role } = memberOf(ctx);
    const claim = { accountId, id: paramOf(ctx, 'id'), by };
    if (!(await releaseCheck(database, claim, hasRole(role, 'owner'))))
      throw new CheckError('not_found', 'you are not reviewing this check, or it no longer exists');
  };
}

/** Handles DELETE checks/ID: erases the check, without a refund. Throws CheckError not_found. */
export function deleteCheck(deps: Services): Handler {
  return async (ctx) => {
    const check = { accountId: memberOf(ctx).accountId, id: paramOf(ctx, 'id') };
    await eraseCheck(asMember(ctx, deps), deps.retention, check);
  };
}

/**
 * Handles PUT checks/ID/report: reports that a verdict is wrong, with the correct one. Throws CheckError
 * not_found, and invalid_request if the report agrees with the verdict.
 */
export function putReport({ database }: Services): Handler<Static<typeof ReportBody>> {
  return async (ctx, report) => {
    await reportCheck(database, checkOf(ctx), report);
  };
}

/** Handles PUT checks/ID/note: saves the note and the review status. Throws CheckError not_found. */
export function putNote(deps: Services): Handler<Static<typeof NoteBody>> {
  return async (ctx, note) => {
    await noteCheck(asMember(ctx, deps), checkOf(ctx), note);
  };
}

/** Handles DELETE checks/ID/report: withdraws the report of a wrong verdict. Throws CheckError not_found. */
export function deleteReport({ database }: Services): Handler {
  return async (ctx) => {
    await reportCheck(database, checkOf(ctx), null);
  };
}

/** Reads the stored image of a check. Returns null if no image is stored. */
export async function openStoredImage(
  { retention }: Services,
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

function noImage(): CheckError {
  return new CheckError('not_found', 'No image is stored for this check');
}

/** Longer side of a preview in pixels. Large enough to fill a screen, and the file stays small. */
const LONG_SIDE_PX = 1600;

/**
 * Draws an account's image as an upright PNG that fits a screen, within the time limit of a check. Throws the errors
 * of a check.
 */
async function drawPreview(
  engine: Engine,
  accountId: string,
  bytes: Uint8Array,
  deadline: Deadline,
): Promise<Buffer> {
  admitHeader(await deadline.race(engine.sniff(bytes)));
  const plain = { faces: [], patches: [], caption: '', longSidePx: LONG_SIDE_PX };
  return Buffer.from(await engine.annotate(bytes, plain, { ...deadline.remaining(), accountId }));
}

/**
 * Handles POST preview: returns a PNG of the image in the request, without a charge. The request is like POST
 * checks. Throws the errors of a check's image.
 */
export function postPreview({
  engine,
  fetcher,
  deadlineMs,
}: Services): (ctx: ConsoleContext) => Promise<void> {
  return async (ctx) => {
    const { images } = await readImageInput(ctx, 'single');
    const [image] = images;
    if (!image) throw invalidRequest('Expected one image but received none');
    if (image.kind === 'refused') throw image.error;
    const signal = disconnectSignal(ctx);
    const deadline = startDeadline({ signal, deadlineMs });
    const { accountId } = memberOf(ctx);
    const bytes =
      image.kind === 'bytes'
        ? image.bytes
        : await deadline.race(fetcher.fetch(image.url, signal, { accountId }));
    ctx.type = 'image/png';
    ctx.body = await drawPreview(engine, accountId, bytes, deadline);
  };
}

/** Reads the thumbnail of a stored image, or returns null if none was drawn yet. */
async function readThumbnail(database: Database, accountId: string, id: string): Promise<Buffer | null> {
  const row = await database.run((queries) =>
    queries<{ id: string; account_id: string; thumbnail: Uint8Array | null }>('images')
      .where({ id, account_id: accountId })
      .first('thumbnail'),
  );
  return row?.thumbnail ? Buffer.from(row.thumbnail) : null;
}

/** Stores a thumbnail, unless the image was erased meanwhile. */
async function keepThumbnail(database: Database, id: string, jpeg: Uint8Array): Promise<void> {
  await database.run((queries) =>
    queries('images')
      .where({ id })
      .update({ thumbnail: Buffer.from(jpeg) }),
  );
}
