// Charges the checks of a request and builds its response, without data that was erased meanwhile.
import { performance } from 'node:perf_hooks';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { presentCheck } from 'telltale-engine/internal/check/present.js';
import type { MakerAnswer } from 'telltale-engine/internal/check/makers.js';
import type { CheckReport } from 'telltale-engine/internal/check/report.js';
import type { Details } from 'telltale-engine/internal/check/details-schema.js';
import type { Bands } from 'telltale-engine/internal/check/types.js';
import type { SceneHash } from 'telltale-engine/internal/engine/types.js';
import { ErasedMeanwhile, recordChecks, toCheckRecord } from '../../../accounts/usage/record-checks.js';
import type { QuotaListener } from '../../../accounts/usage/period-counter.js';
import type { SignedRecord } from '../../../record/content/schema.js';
import type { Database } from '../../../storage/db/database.js';
import type { KeptImage } from '../../../storage/images/image-retention.js';
import { disconnectSignal, type Outcome } from '../errors/answer-errors.js';
import { nameOfSource, type ImageInput } from '../body/image-input.js';
import type { Metrics } from '../metrics/metrics.js';
import { setQuotaHeaders } from '../middleware/rate-limit.js';
import type { Caller, Context } from '../state.js';
import type { Attempt } from './idempotency.js';

export interface ChargeDeps {
  readonly database: Database;
  readonly metrics: Metrics;
  /** Number of days for which the history stores a check; 0 means no history. */
  readonly historyDays: number;
  /** True if the history stores names of files and addresses. */
  readonly historyNames: boolean;
  /** Notifies webhooks when a quota is nearly used; null without PostgreSQL. */
  readonly onMark: QuotaListener | null;
}

/**
 * Function that builds the response's body. `latencyMs` counts from the last byte of the request; errors
 * contain `requestId`. May throw to refuse the request.
 */
export type ResponseShape = (
  entries: readonly Outcome[],
  latencyMs: number,
  bands: Bands,
  requestId: string,
) => unknown;

/** Result of checking one image. */
export interface CheckedImage {
  readonly report: CheckReport;
  readonly keptImage: KeptImage | null;
  /** Signed record, or null if none was requested. */
  readonly record: SignedRecord | null;
  readonly hash: SceneHash | null;
  /** Earlier checks of the same image, or null if the caller did not request them. */
  readonly seen: NonNullable<Details['seen']> | null;
  /** Responses of makers' services, or null if the caller did not request them. */
  readonly provenance: readonly MakerAnswer[] | null;
  /** Caller's own reference for the image, or null. */
  readonly ref: string | null;
  readonly latencyMs: number;
  readonly fetchMs: number;
}

interface ChargeRequest {
  readonly caller: Caller;
  readonly input: ImageInput;
  readonly checked: readonly (CheckedImage | CheckError)[];
  readonly attempt: Attempt;
  readonly shape: ResponseShape;
  readonly bands: Bands;
}

/** Charges the checks and returns the response's body, without data that was erased while the request ran. */
export async function charge(ctx: Context, deps: ChargeDeps, chargeRequest: ChargeRequest): Promise<string> {
  let { checked } = chargeRequest;
  // If data of the response was erased meanwhile, builds the response again without that data.
  for (;;) {
    try {
      return await chargeOnce(ctx, deps, { ...chargeRequest, checked });
    } catch (error) {
      if (!(error instanceof ErasedMeanwhile)) throw error;
      checked = checked.map((outcome) =>
        outcome instanceof CheckError ? outcome : withoutErased(outcome, error),
      );
    }
  }
}

function withoutErased(outcome: CheckedImage, { checkIds, imageIds }: ErasedMeanwhile): CheckedImage {
  const { keptImage, seen } = outcome;
  return {
    ...outcome,
    keptImage: keptImage && imageIds.has(keptImage.id) ? null : keptImage,
    seen: seen && { ...seen, checks: seen.checks.filter(({ id }) => !checkIds.has(id)) },
  };
}

async function chargeOnce(ctx: Context, deps: ChargeDeps, chargeRequest: ChargeRequest): Promise<string> {
  const { caller, input, checked, attempt, shape, bands } = chargeRequest;
  const outcomes = checked.map((outcome) => presentOutcome(outcome, input));
  const latencyMs = performance.now() - input.receivedMs;
  const body = JSON.stringify(shape(outcomes, latencyMs, bands, ctx.state.requestId));
  const records = checked.flatMap((outcome, at) =>
    outcome instanceof CheckError
      ? []
      : [
          toCheckRecord(outcome.report, outcome.latencyMs, {
            imageId: outcome.keptImage?.id ?? null,
            hash: outcome.hash,
            ref: outcome.ref,
            name: deps.historyNames ? nameOfSource(input.images[at]) : null,
          }),
        ],
  );
  if (records.length > 0) {
    // A disconnected caller is not charged.
    disconnectSignal(ctx).throwIfAborted();
    const seenCheckIds = checked.flatMap((outcome) =>
      outcome instanceof CheckError ? [] : (outcome.seen?.checks.map(({ id }) => id) ?? []),
    );
    const answer = attempt.lock ? { lock: attempt.lock, body, seenCheckIds } : null;
    const usage = await ctx.state.stages.time('record', () =>
      recordChecks(deps.database, {
        payer: caller,
        requestId: ctx.state.requestId,
        keepsHistory: deps.historyDays > 0,
        checks: records,
        answer,
        onMark: deps.onMark,
      }),
    );
    attempt.settle();
    setQuotaHeaders(ctx, caller.plan, usage, new Date());
  }
  for (const outcome of outcomes) deps.metrics.countOutcome(outcome);
  return body;
}

function presentOutcome(outcome: CheckedImage | CheckError, { options }: ImageInput): Outcome {
  if (outcome instanceof CheckError) return { kind: 'failed', error: outcome };
  const { report, keptImage, record, seen, provenance, ref, latencyMs, fetchMs } = outcome;
  const details = { record, seen, provenance, ref, latencyMs, fetchMs };
  const entry = presentCheck(report, {
    ...details,
    include: options.include,
    imageStored: keptImage !== null,
  });
  return { kind: 'checked', entry };
}
