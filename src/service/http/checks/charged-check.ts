// Runs one charged check, whose result is the whole response of a route or a part of it.
import { performance } from 'node:perf_hooks';
import { digestBytes } from 'telltale-engine/internal/base/bytes.js';
import { startDeadline } from 'telltale-engine/internal/check/deadline.js';
import { presentCheck } from 'telltale-engine/internal/check/present.js';
import type { CheckInput } from 'telltale-engine/internal/check/types.js';
import type { CheckReport } from 'telltale-engine/internal/check/report.js';
import { readRecord } from '../../../record/verify/read-record.js';
import type { Finding, Repeating } from '../../../record/verify/repeat.js';
import { verifyRecord } from '../../../record/verify/verify.js';
import { recordChecks, toCheckRecord } from '../../../accounts/usage/record-checks.js';
import { disconnectSignal } from '../errors/answer-errors.js';
import { checkTraced, within } from '../../traces/span.js';
import { setQuotaHeaders, requireQuota } from '../middleware/rate-limit.js';
import type { ImageInput } from '../body/image-input.js';
import { answerOnce, fingerprintVerification, type Attempt } from './idempotency.js';
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

/** A repeated check of a record's image, not yet charged. */
interface RepeatedCheck {
  readonly report: CheckReport;
  readonly latencyMs: number;
}

/**
 * Repeats a check without charging it. Time limits count from `startMs`. Rejects as `checkImage` does, or
 * with quota_exceeded if no check is left.
 */
async function repeatUncharged(
  ctx: Context,
  deps: RunDeps,
  input: Pick<CheckInput, 'bytes' | 'profile' | 'searchPixels' | 'heatMap'>,
  startMs: number,
): Promise<RepeatedCheck> {
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
  return { report, latencyMs: performance.now() - startMs };
}

/**
 * Charges a repeated check, and records it in the history with the response `body` to the request. Rejects
 * with quota_exceeded, or with ClientDisconnect, which is not charged.
 */
async function chargeRepeated(
  ctx: Context,
  deps: RunDeps,
  { report, latencyMs }: RepeatedCheck,
  { attempt, body }: { readonly attempt: Attempt; readonly body: string },
): Promise<void> {
  const caller = callerOf(ctx);
  disconnectSignal(ctx).throwIfAborted();
  const usage = await recordChecks(deps.database, {
    payer: caller,
    requestId: ctx.state.requestId,
    keepsHistory: deps.historyDays > 0,
    checks: [toCheckRecord(report, latencyMs)],
    answer: attempt.lock && { lock: attempt.lock, body },
    onMark: deps.onMark,
  });
  attempt.settle();
  setQuotaHeaders(ctx, caller.plan, usage, new Date());
  deps.metrics.countOutcome({ kind: 'checked', entry: presentCheck(report) });
}

/** A record's file to verify, and its image or null. Time limits count from `startMs`. */
interface RecordToVerify {
  readonly record: Uint8Array;
  readonly image: Uint8Array | null;
  readonly startMs: number;
}

/** Result of a verification, stored for duplicates of the request if a check was charged. */
interface StoredVerification {
  /** Identifier of the repeated check, by which an erasure finds the stored result; null without a check. */
  readonly check: string | null;
  readonly findings: readonly Finding[];
}

/**
 * Verifies a record with this installation's keys. If the image is the recorded one, repeats its check and
 * charges the caller; duplicates of the request get the same findings without a charge. Throws RecordFault,
 * the errors of a check, quota_exceeded, idempotency_mismatch.
 */
export async function verifyReceived(
  ctx: Context,
  deps: RunDeps,
  { record, image, startMs }: RecordToVerify,
): Promise<readonly Finding[]> {
  const { recorder, deadlineMs } = deps;
  const deadline = startDeadline({ signal: disconnectSignal(ctx), deadlineMs });
  const { accountId } = callerOf(ctx);
  const received = readRecord(record);
  const original = image && { bytes: image, sha256: await digestBytes(image) };
  const json = await answerOnce(
    ctx,
    deps,
    () => fingerprintVerification(ctx.path, record, original && original.sha256),
    async (attempt) => {
      let repeated = null as RepeatedCheck | null;
      const repeating: Repeating = {
        setting: recorder.setting,
        check: async (bytes, options) => {
          repeated = await repeatUncharged(ctx, deps, { ...options, bytes }, startMs);
          return repeated.report;
        },
        limits: () => ({ ...deadline.remaining(), accountId }),
      };
      const keys = await recorder.keys.publicKeys();
      const findings = await verifyRecord(received, keys, original, () => Promise.resolve(repeating));
      const stored: StoredVerification = { check: repeated?.report.id ?? null, findings };
      const body = JSON.stringify(stored);
      if (repeated) await chargeRepeated(ctx, deps, repeated, { attempt, body });
      return body;
    },
  );
  return (JSON.parse(json) as StoredVerification).findings;
}
