// Routes /v1/checks/ID/appeals: objecting to a verdict with the original file, by API key or by link.
import { createHash } from 'node:crypto';
import type { Static } from '@sinclair/typebox';
import {
  createAppealLink,
  findAppealLink,
  insertAppeal,
  isAppealToken,
  listAppeals,
  type Appeal,
} from '../../../accounts/appeals.js';
import { findCheck } from '../../../accounts/history/checks.js';
import { isKeyInUse } from '../../../accounts/usage/idempotency-locks.js';
import { consumeRequest } from '../../../accounts/usage/rate-limit.js';
import { digestBytes } from 'telltale-engine/internal/base/digest.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import type { Database } from '../../../storage/db/database.js';
import { originOf } from '../../console/session.js';
import { makeAppeal, openAppeal } from '../../check-original.js';
import { within } from '../../traces/span.js';
import { receiveFile } from '../body/image-input.js';
import { requireValid } from '../body/read-json.js';
import { disconnectSignal, withHeaders } from '../errors/answer-errors.js';
import {
  AppealForm,
  type AppealLinkJson,
  type AppealSchema,
  type AppealLink as AppealLinkSchema,
  type AppealList as AppealListSchema,
} from '../openapi/appeal-schemas.js';
import { answerOnce, ownerOfKey, readIdempotencyKey } from '../checks/idempotency.js';
import type { Handler } from '../route.js';
import type { Services } from '../../services.js';
import { callerOf, paramOf, sendJson, type Context, type Next } from '../state.js';

/** Rate limit of requests by all appeal links of an account, because they are not charged. */
const APPEAL_LINK_LIMITS = { name: 'appeal links', requestsPerSecond: 1, burst: 10 };
/** Rate limit of an account's appeals, because each appeal runs a check without a charge. */
const APPEALS = { name: 'appeals', requestsPerSecond: 0.1, burst: 5 };
const LINK_DAYS = 14;

/**
 * Creates middleware that requires an API key, or the token of an appeal link for this check. Throws the
 * errors of `authenticate`, CheckError unauthorized, rate_limited.
 */
export function authenticateAppeal({
  database,
  authenticate,
}: Services): (ctx: Context, next: Next) => Promise<void> {
  const byKey = authenticate('check');
  return async (ctx, next) => {
    const token = /^Bearer +(\S+)$/i.exec(ctx.get('authorization'))?.[1] ?? '';
    if (!isAppealToken(token)) return byKey(ctx, next);
    const link = await findAppealLink(database, token);
    if (link?.checkId !== paramOf(ctx, 'id'))
      throw withHeaders(
        new CheckError(
          'unauthorized',
          'This link for an appeal is unknown or no longer valid. Ask for a new link',
        ),
        { 'WWW-Authenticate': 'Bearer' },
      );
    ctx.state.appealLink = link;
    await countRequest(database, link.accountId, APPEAL_LINK_LIMITS);
    await next();
  };
}

/** Creates middleware that limits the appeals of an account. Throws CheckError rate_limited. */
export function countAppeal({ database }: Services): (ctx: Context, next: Next) => Promise<void> {
  return async (ctx, next) => {
    await countRequest(database, accountOf(ctx), APPEALS);
    await next();
  };
}

async function countRequest(database: Database, accountId: string, rate: typeof APPEALS): Promise<void> {
  const { allowed, retryInMs } = await consumeRequest(database, accountId, rate);
  if (allowed) return;
  const headers = { 'Retry-After': String(Math.max(1, Math.ceil(retryInMs / 1000))) };
  throw withHeaders(
    new CheckError('rate_limited', `This account sent too many ${rate.name}. Try again later`),
    headers,
  );
}

/**
 * Handles POST /v1/checks/{id}/appeals: compares an original with the checked image, without a charge. Throws
 * CheckError not_found, image_not_kept, too_many_appeals, invalid_request, idempotency_mismatch, and errors
 * of a check's image.
 */
export function postAppeal(deps: Services): Handler {
  return async (ctx) => {
    const open = () => openAppeal(deps, accountOf(ctx), paramOf(ctx, 'id'));
    const key = readIdempotencyKey(ctx);
    const isDuplicate = key !== null && (await isKeyInUse(deps.database, ownerOfKey(ctx, key)));
    // Checked before the body arrives: an original that can't be compared need not be sent.
    const target = isDuplicate ? null : await open();
    const { file, fields } = await receiveFile(ctx, ['remark']);
    const { remark = '' } = requireValid(AppealForm, fields, 'the form');
    const fingerprint = async (): Promise<string> => {
      const fingerprintParts = [ctx.path, await digestBytes(file), remark];
      return createHash('sha256').update(JSON.stringify(fingerprintParts)).digest('hex');
    };
    const json = await answerOnce(ctx, deps, fingerprint, async (attempt) => {
      const opened = target ?? (await open());
      const appeal = await within(ctx.state.stages.span.begin('appeal'), (span) =>
        makeAppeal(deps, opened, {
          bytes: file,
          by: ctx.state.appealLink ? 'link' : 'account',
          remark,
          requestId: ctx.state.requestId,
          signal: disconnectSignal(ctx),
          span,
        }),
      );
      const body = JSON.stringify(presentAppeal({ ...appeal, decision: null }));
      await insertAppeal(deps.database, appeal, attempt.lock && { lock: attempt.lock, body });
      attempt.settle();
      return body;
    });
    ctx.status = 201;
    sendJson(ctx, json);
  };
}

/** Handles GET /v1/checks/{id}/appeals: returns the verdict and its appeals. Throws CheckError not_found. */
export function getAppeals({ database }: Services): Handler {
  return async (ctx) => {
    const accountId = accountOf(ctx);
    const check = await findCheck(database, accountId, paramOf(ctx, 'id'));
    if (!check) throw noSuchCheck();
    const appeals = await listAppeals(database, accountId, check.id);
    ctx.body = {
      check: {
        id: check.id,
        created_at: check.createdAt.toISOString(),
        is_ai: check.isAi,
        reason: check.reason,
        model: check.model,
        bands_version: check.bandsVersion,
      },
      appeals: appeals.map(presentAppeal),
    } satisfies Static<typeof AppealListSchema>;
  };
}

/**
 * Handles POST /v1/checks/{id}/appeal-links: creates a link by which a person can appeal without an API key.
 * Throws CheckError not_found, too_many_appeals.
 */
export function postAppealLink({ database, publicUrl }: Services): Handler<Static<typeof AppealLinkJson>> {
  return async (ctx, { days = LINK_DAYS }) => {
    const { accountId } = callerOf(ctx);
    const id = paramOf(ctx, 'id');
    if (!(await findCheck(database, accountId, id))) throw noSuchCheck();
    const { token, expiresAt } = await createAppealLink(database, accountId, id, days);
    ctx.status = 201;
    ctx.body = {
      // Browsers never send the fragment of an address, so the token appears in no server's log.
      url: `${originOf(ctx, publicUrl)}/appeal#${id}.${token}`,
      token,
      expires_at: expiresAt.toISOString(),
    } satisfies Static<typeof AppealLinkSchema>;
  };
}

/** Returns an appeal as JSON for callers. */
export function presentAppeal(appeal: Appeal): Static<typeof AppealSchema> {
  const { id, checkId, createdAt, by, remark, findings, decision, record } = appeal;
  return {
    id,
    check_id: checkId,
    created_at: createdAt.toISOString(),
    by,
    remark,
    comparison: {
      with: findings.compared_with,
      same_scene: findings.same_scene,
      difference: findings.difference,
      crop: findings.crop && [...findings.crop],
    },
    original: { ...findings.original, fired: [...findings.original.fired] },
    decision: decision && {
      outcome: decision.outcome,
      remark: decision.remark,
      at: decision.at.toISOString(),
    },
    record: JSON.parse(record) as object,
  };
}

function accountOf(ctx: Context): string {
  return ctx.state.appealLink?.accountId ?? callerOf(ctx).accountId;
}

function noSuchCheck(): CheckError {
  return new CheckError('not_found', 'This account has no such check in its history');
}
