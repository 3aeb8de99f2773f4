// Routes that check images: a single image, or a batch.
import { nameOfPlan } from '../../../accounts/plans.js';
import { readImageInput } from '../body/image-input.js';
import { runCheck } from '../checks/charged-check.js';
import type { RunDeps } from '../checks/run-checks.js';
import { answerChecks } from '../checks/sandbox.js';
import { type Context, callerOf, type Next, sendJson } from '../state.js';
import { roundMs } from 'telltale-engine/internal/base/numbers.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { presentEntry } from '../errors/answer-errors.js';

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
      `${nameOfPlan(plan)} has no batch checks; they come with a larger plan`,
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
