// One check for a route that answers something else than its result: quota, check and charge as everywhere.
import { performance } from 'node:perf_hooks';
import { presentCheck } from '../../../check/present.js';
import type { CheckInput } from '../../../check/types.js';
import type { CheckReport } from '../../../check/report.js';
import { recordChecks, toCheckRecord } from '../../../accounts/usage/record-checks.js';
import { disconnectSignal } from '../errors/answer-errors.js';
import { checkTraced } from '../../traces/check-traced.js';
import { within } from '../../traces/span.js';
import { noteChecks, requireQuota } from '../middleware/rate-limit.js';
import type { RunDeps } from './run-checks.js';
import { callerOf, type Context } from '../state.js';

/**
 * Checks an image that the caller pays for, and notes it in the history; its time counts from `startMs`. Rejects as
 * `checkImage`, with quota_exceeded, or with ClientDisconnect: then nothing is charged.
 */
export async function runChargedCheck(
  ctx: Context,
  deps: RunDeps,
  input: Pick<CheckInput, 'bytes' | 'profile' | 'searchPixels' | 'heatMap'>,
  startMs: number,
): Promise<CheckReport> {
  const caller = callerOf(ctx);
  const signal = disconnectSignal(ctx);
  await requireQuota(ctx, deps.database, caller, 1);
  const checking = { ...deps, bands: deps.calibration.current };
  const report = await within(ctx.state.stages.span.begin('check'), async (span) => {
    const found = await checkTraced(span, checking, {
      ...input,
      profile: input.profile ?? deps.profile,
      signal,
      accountId: caller.accountId,
      deadlineMs: Math.max(0, deps.deadlineMs - (performance.now() - startMs)),
    });
    span.note({ 'telltale.check_id': found.id });
    return found;
  });
  const latencyMs = performance.now() - startMs;
  signal.throwIfAborted();
  const usage = await recordChecks(deps.database, {
    payer: caller,
    requestId: ctx.state.requestId,
    keepsHistory: deps.historyDays > 0,
    checks: [toCheckRecord(report, latencyMs)],
    answer: null,
  });
  noteChecks(ctx, caller.plan, usage, new Date());
  deps.metrics.countOutcome({ kind: 'checked', entry: presentCheck(report) });
  return report;
}
