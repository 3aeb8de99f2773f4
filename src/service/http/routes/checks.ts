// Routes that check images: POST /v1/check and /v1/check/batch. Routes /v1/checks: earlier checks of the caller's account.
import type { Static } from '@sinclair/typebox';
import { eraseCheck } from '../../../accounts/erase.js';
import { findCheck, listAnswered, type AnsweredCheck } from '../../../accounts/history/checks.js';
import { noSuchCheck, reportCheck } from '../../../accounts/history/remarks.js';
import { labelOf } from '../../../accounts/history/outcomes.js';
import { roundMs, roundScore } from 'telltale-engine/internal/base/numbers.js';
import type { Services } from '../../services.js';
import { keyActor } from '../actor.js';
import type {
  CheckListQuery,
  FeedbackJson,
  CheckList as CheckListSchema,
  Erased as ErasedSchema,
  Feedback as FeedbackSchema,
  PastCheck as PastCheckSchema,
} from '../openapi/schemas.js';
import { readMoment } from '../../../accounts/usage/period.js';
import type { Handler } from '../route.js';
import { receiveFile, readImageInput } from '../body/image-input.js';
import { requireHashes, searchSeen } from '../../check-and-search.js';
import { disconnectSignal, presentEntry } from '../errors/answer-errors.js';
import { callerOf, paramOf, type Context, type Next, sendJson } from '../state.js';
import { nameOfPlan } from '../../../accounts/plans.js';
import { runCheck } from '../checks/charged-check.js';
import type { RunDeps } from '../checks/run-checks.js';
import { answerChecks } from '../checks/sandbox.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';

/** Default number of checks per page. */
const PAGE_CHECKS = '50';

/** Handles GET /v1/checks/{id}: returns an earlier check. Throws CheckError not_found. */
export function getPastCheck({ database }: Services): Handler {
  return async (ctx) => {
    const check = await findCheck(database, callerOf(ctx).accountId, paramOf(ctx, 'id'));
    if (!check) throw noSuchCheck();
    ctx.body = presentPastCheck(check);
  };
}

/** Handles GET /v1/checks: lists earlier checks, newest first. Throws CheckError invalid_request. */
export function getPastChecks({ database }: Services): Handler<Static<typeof CheckListQuery>> {
  return async (ctx, query) => {
    const limit = Number(query.limit ?? PAGE_CHECKS);
    const filter = {
      ...(query.ref !== undefined && { ref: query.ref }),
      ...(query.is_ai !== undefined && { isAi: query.is_ai === 'true' }),
      ...(query.cursor !== undefined && { before: query.cursor }),
      ...(query.from !== undefined && { from: readMoment('from', query.from, 'start') }),
      ...(query.to !== undefined && { to: readMoment('to', query.to, 'end') }),
    };
    const page = await listAnswered(database, callerOf(ctx).accountId, filter, limit);
    const checks = page.checks.map(presentPastCheck);
    const next = page.isLast ? null : (checks.at(-1)?.id ?? null);
    if (next !== null) ctx.set('Next-Cursor', next);
    ctx.body = { checks, next } satisfies Static<typeof CheckListSchema>;
  };
}

/** Handles DELETE /v1/checks/{id}: erases a check, without a refund. Throws CheckError not_found. */
export function deletePastCheck({ database, retention, proxies }: Services): Handler {
  return async (ctx) => {
    const { accountId } = callerOf(ctx);
    const id = paramOf(ctx, 'id');
    const asKey = database.by(keyActor(ctx, callerOf(ctx), proxies));
    await eraseCheck(asKey, retention, { accountId, id });
    ctx.body = { id, erased: true } satisfies Static<typeof ErasedSchema>;
  };
}

/**
 * Handles POST /v1/checks/{id}/feedback: records that the verdict was wrong. A second report replaces the first.
 * Throws CheckError not_found, and invalid_request if the report agrees with the verdict.
 */
export function postFeedback({ database }: Services): Handler<Static<typeof FeedbackJson>> {
  return async (ctx, { is_ai: isAi, note = '' }) => {
    const { accountId, keyId } = callerOf(ctx);
    if (keyId === null) throw new Error('feedback comes with a key');
    const id = paramOf(ctx, 'id');
    await reportCheck(database, { accountId, id, by: keyId }, { label: labelOf(isAi), note }, 'is_ai');
    ctx.body = { id, is_ai: isAi, note } satisfies Static<typeof FeedbackSchema>;
  };
}

/** Returns an earlier check as JSON for callers. */
export function presentPastCheck(check: AnsweredCheck): Static<typeof PastCheckSchema> {
  const { answer } = check;
  return {
    id: check.id,
    is_ai: check.isAi,
    assessment: check.assessment,
    appeal: check.appeal,
    fired: [...check.fired],
    reason: check.reason,
    face_found: answer?.face_found ?? null,
    content_credentials: answer?.content_credentials ?? null,
    image: answer?.image ?? null,
    model: check.model,
    bands_version: check.bandsVersion,
    latency_ms: roundMs(check.latencyMs),
    scores: answer?.scores ?? {
      // Rounded without regard to a threshold, because the threshold may have changed since the check.
      full_image_specialist: roundScore(check.fullImageScore, 0),
      face_specialist: roundScore(check.faceScore, 0),
    },
    face_box: answer?.face_box ? [...answer.face_box] : null,
    profile: check.profile,
    image_stored: check.image !== null,
    ...(check.ref !== null && { ref: check.ref }),
    created_at: check.createdAt.toISOString(),
  };
}

/**
 * Handles POST /v1/seen: finds earlier checks of the same image and a known image, without a charge. Throws CheckError
 * not_configured, invalid_request, and errors of an image.
 */
export function postSeen(deps: Services): Handler {
  return async (ctx) => {
    const caller = callerOf(ctx);
    requireHashes(caller, deps);
    const { file } = await receiveFile(ctx, []);
    const signal = disconnectSignal(ctx);
    const limits = { accountId: caller.accountId, signal, deadlineMs: deps.deadlineMs };
    ctx.body = await searchSeen(deps, file, limits);
  };
}

/** Handles POST /v1/check: checks one image. Requires `authenticate` and `admit`. */
export function postCheck(deps: RunDeps): (ctx: Context) => Promise<void> {
  return async (ctx) => {
    const input = await ctx.state.stages.time('receive', () => readImageInput(ctx, 'single'));
    sendJson(ctx, await runCheck(ctx, deps, input));
  };
}

/** Middleware that refuses plans without batches before the body is read. Throws CheckError plan_required. */
export async function requireBatchPlan(ctx: Context, next: Next): Promise<void> {
  const { plan } = callerOf(ctx);
  if (!plan.batch)
    throw new CheckError(
      'plan_required',
      `${nameOfPlan(plan)} does not include batch checks. They need a larger plan`,
    );
  await next();
}

/**
 * Handles POST /v1/check/batch: checks one to eight images. Requires `authenticate`, `requireBatchPlan` and `admit`.
 */
export function postBatch(deps: RunDeps): (ctx: Context) => Promise<void> {
  return async (ctx) => {
    const input = await ctx.state.stages.time('receive', () => readImageInput(ctx, 'batch'));
    const json = await answerChecks(ctx, deps, input, (outcomes, latencyMs, bands, requestId) => ({
      results: outcomes.map((outcome) => presentEntry(outcome, { ...ctx.state, requestId })),
      model: bands.model,
      bands_version: bands.version,
      latency_ms: roundMs(latencyMs),
      ...(ctx.state.isSandbox && { sandbox: true }),
    }));
    sendJson(ctx, json);
  };
}
