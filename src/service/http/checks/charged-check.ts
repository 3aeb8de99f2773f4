// Runs one charged check, whose result is the whole response of a route or a part of it.
import { performance } from 'node:perf_hooks';
import { digestBytes } from 'telltale-engine/internal/base/bytes.js';
import { startDeadline } from 'telltale-engine/internal/check/deadline.js';
import { presentCheck } from 'telltale-engine/internal/check/present.js';
import type { CheckInput } from 'telltale-engine/internal/check/types.js';
import type { CheckReport } from 'telltale-engine/internal/check/report.js';
import type { ReceivedRecord } from '../../../record/verify/read-record.js';
import type { Finding, Repeating } from '../../../record/verify/repeat.js';
import { verifyRecord } from '../../../record/verify/verify.js';
import { recordChecks, toCheckRecord } from '../../../accounts/usage/record-checks.js';
import { disconnectSignal } from '../errors/answer-errors.js';
import { checkTraced, within } from '../../traces/span.js';
import { setQuotaHeaders, requireQuota } from '../middleware/rate-limit.js';
import type { ImageInput } from '../body/image-input.js';
import type { RunDeps } from './run-checks.js';
import { answerChecks } from './sandbox.js';
import { callerOf, type Context } from '../state.js';

/** Checks one image and returns the JSON of its result. Throws the errors of `runChecks`. */
export function runCheck(ctx: Context, deps: RunDeps, input: ImageInput): Promise<string> {
  return answerChecks(ctx, deps, input, ([outcome]) => {
    if (!outcome) throw new Error('a single check has one outcome');
    if (outcome.kind === 'checked') return outcome.entry;
    if (!ctx.state.isSandbox) deps.metrics.countOutcome(outcome);
    throw outcome.error;
  });
}

/**
 * Checks an image, charges the caller and records the check in the history. Time limits count from `startMs`.
 * Rejects as `checkImage` does, with quota_exceeded, or with ClientDisconnect, which is not charged.
 */
async function runChargedCheck(
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
    const checkResult = await checkTraced(span, checking, {
      ...input,
      profile: input.profile ?? deps.profile,
      signal,
      accountId: caller.accountId,
      deadlineMs: Math.max(0, deps.deadlineMs - (performance.now() - startMs)),
    });
    span.addFacts({ 'telltale.check_id': checkResult.id });
    return checkResult;
  });
  const latencyMs = performance.now() - startMs;
  signal.throwIfAborted();
  const usage = await recordChecks(deps.database, {
    payer: caller,
    requestId: ctx.state.requestId,
    keepsHistory: deps.historyDays > 0,
    checks: [toCheckRecord(report, latencyMs)],
    answer: null,
    onMark: deps.onMark,
  });
  setQuotaHeaders(ctx, caller.plan, usage, new Date());
  deps.metrics.countOutcome({ kind: 'checked', entry: presentCheck(report) });
  return report;
}

/** A record to verify, and its image or null. Time limits count from `startMs`. */
interface RecordToVerify {
  readonly received: ReceivedRecord;
  readonly image: Uint8Array | null;
  readonly startMs: number;
}

/**
 * Verifies a record with this installation's keys. If the image is the recorded one, repeats its check and
 * charges the caller. Rejects as `runChargedCheck` does.
 */
export async function verifyReceived(
  ctx: Context,
  deps: RunDeps,
  { received, image, startMs }: RecordToVerify,
): Promise<readonly Finding[]> {
  const { recorder, deadlineMs } = deps;
  const deadline = startDeadline({ signal: disconnectSignal(ctx), deadlineMs });
  const { accountId } = callerOf(ctx);
  const repeating: Repeating = {
    setting: recorder.setting,
    check: (bytes, options) => runChargedCheck(ctx, deps, { ...options, bytes }, startMs),
    limits: () => ({ ...deadline.remaining(), accountId }),
  };
  const keys = await recorder.keys.publicKeys();
  const original = image && { bytes: image, sha256: await digestBytes(image) };
  return verifyRecord(received, keys, original, () => Promise.resolve(repeating));
}
