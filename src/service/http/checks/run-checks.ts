// Checks the images of one request: quota, fetch, check, keep, charge, and one answer for all duplicates of the request.
import { performance } from 'node:perf_hooks';
import type { CalibrationInForce } from 'telltale-engine/internal/check/thresholds/calibration.js';
import type { CheckDeps } from 'telltale-engine/internal/check/check.js';
import { newCheckId } from 'telltale-engine/internal/check/check-id.js';
import { presentCheck } from 'telltale-engine/internal/check/present.js';
import type { MakerAnswer } from 'telltale-engine/internal/check/makers.js';
import type { Details } from 'telltale-engine/internal/check/result-schema.js';
import type { Bands, ProfileName } from 'telltale-engine/internal/check/types.js';
import type { CheckReport } from 'telltale-engine/internal/check/report.js';
import type { Database } from '../../../storage/db/database.js';
import { errorFacts, type ErrorCode } from 'telltale-engine/internal/base/error-codes.js';
import { aboutParam, CheckError } from 'telltale-engine/internal/base/errors.js';
import { MAX_BATCH_BYTES } from 'telltale-engine/internal/base/limits.js';
import type { QuotaListener } from '../../../accounts/usage/period-counter.js';
import { recordChecks, toCheckRecord } from '../../../accounts/usage/record-checks.js';
import { PREVIEW_PX, type Original } from '../../../record/content/compose.js';
import type { Recorder } from '../../../record/content/recorder.js';
import type { SignedRecord } from '../../../record/content/schema.js';
import { digestBytes } from 'telltale-engine/internal/base/digest.js';
import type { SceneHash } from 'telltale-engine/internal/engine/types.js';
import type { ImageRetention, KeptImage } from '../../../storage/images/image-retention.js';
import { asCheckError, RecordedRefusal, type Outcome, disconnectSignal } from '../errors/answer-errors.js';
import type { FetchOptions, ImageFetcher } from '../../outbound/fetch-image.js';
import { answerOnce, fingerprintInput, type Attempt } from './idempotency.js';
import { discardKept, keepImage } from './kept-images.js';
import { batchTooLarge, type ImageInput, type ImageSource, nameOfSource } from '../body/image-input.js';
import { prepareAsking, type AskMakers, type Makers } from '../../makers/makers.js';
import type { Metrics } from '../metrics/metrics.js';
import { noteChecks, requireQuota } from '../middleware/rate-limit.js';
import { callerOf, type Caller, type Context } from '../state.js';
import { checkAndRecall, hashingAccount, requireHashes, type SeenDeps } from '../../seen.js';
import { hostOf, within, type Span } from '../../traces/span.js';

/** What checks over HTTP work with. */
export interface RunDeps extends Pick<CheckDeps, 'engine' | 'credentials' | 'fetchManifest'> {
  /** A request takes the calibration in force when its images are there, for all of them. */
  readonly calibration: CalibrationInForce;
  readonly database: Database;
  readonly fetcher: ImageFetcher;
  readonly retention: ImageRetention;
  readonly recorder: Recorder;
  readonly makers: Pick<Makers, 'of'>;
  readonly metrics: Metrics;
  /** Where the caller names none. */
  readonly profile: ProfileName;
  /** Whether a known fake makes a verdict AI by itself. */
  readonly knownDecides: boolean;
  /** Days that a check stays in the history; 0 keeps none. */
  readonly historyDays: number;
  /** Whether the history keeps the names of files and addresses. */
  readonly historyNames: boolean;
  /** For one check, from the last byte of the request. */
  readonly deadlineMs: number;
  /** Tells webhooks of marks of a quota; null without PostgreSQL. */
  readonly onMark: QuotaListener | null;
}

/**
 * Shapes the body; `latencyMs` is the time since the last byte of the request, `requestId` stands in its errors. May throw
 * to refuse the whole.
 */
export type Shape = (
  entries: readonly Outcome[],
  latencyMs: number,
  bands: Bands,
  requestId: string,
) => unknown;

interface Checked {
  readonly report: CheckReport;
  readonly kept: KeptImage | null;
  /** Null if none was asked for. */
  readonly record: SignedRecord | null;
  readonly hash: SceneHash | null;
  /** Null if none was asked for. */
  readonly seen: NonNullable<Details['seen']> | null;
  /** Null if no service of a maker was asked. */
  readonly provenance: readonly MakerAnswer[] | null;
  /** The caller's own; null if it gave none. */
  readonly ref: string | null;
  readonly latencyMs: number;
  readonly fetchMs: number;
}

/** With the services that are asked about each image; null: none is. */
type AskingDeps = RunDeps & { readonly askMakers: AskMakers | null };

/** Faults that are not about one image: a batch is refused whole. */
const WHOLE_CALL: readonly ErrorCode[] = ['overloaded', 'unavailable', 'batch_too_large', 'quota_exceeded'];

/** The JSON that answers a request whose body is read. Errors: all of a check's, quota_exceeded, idempotency_mismatch. */
export async function runChecks(
  ctx: Context,
  deps: RunDeps,
  input: ImageInput,
  shape: Shape,
): Promise<string> {
  const caller = callerOf(ctx);
  if (input.options.include.includes('seen')) requireHashes(caller, deps);
  return answerOnce(
    ctx,
    deps,
    () => fingerprintInput(ctx.path, input),
    async (attempt) => {
      await requireQuota(ctx, deps.database, caller, input.images.length);
      const askMakers = input.options.asksMakers ? await deps.makers.of(caller.accountId) : null;
      const bands = deps.calibration.current;
      const checked = await checkAll(ctx, { ...deps, askMakers }, bands, input);
      try {
        return await charge(ctx, deps, { caller, input, checked, attempt, shape, bands });
      } catch (error) {
        await discardKept(deps.retention, keptOf(checked));
        throw error;
      }
    },
  );
}

/** An outcome for each image, or the fault that refuses the whole call: then the other images stop and nothing stays. */
async function checkAll(
  ctx: Context,
  deps: AskingDeps,
  bands: Bands,
  input: ImageInput,
): Promise<(Checked | CheckError)[]> {
  let fetchedBytes = input.images.reduce(
    (sum, image) => sum + (image.kind === 'bytes' ? image.bytes.byteLength : 0),
    0,
  );
  const countBytes = (sizeBytes: number): void => {
    fetchedBytes += sizeBytes;
    if (fetchedBytes > MAX_BATCH_BYTES) throw batchTooLarge(fetchedBytes);
  };
  const { accountId } = callerOf(ctx);
  const refused = new AbortController();
  const signal = AbortSignal.any([disconnectSignal(ctx), refused.signal]);
  // Made together, or the history would list a batch by when each image happened to be done.
  const pictures = input.images.map((image) => ({ image, id: newCheckId() }));
  const settled = await Promise.allSettled(
    pictures.map(async (picture, index) => {
      try {
        const checking = { ...deps, bands };
        const span = ctx.state.stages.span.begin('check', {
          'telltale.check_id': picture.id,
          'telltale.position': index,
        });
        const checked = await within(span, () =>
          checkOne(ctx, checking, input, { ...picture, span }, signal, { accountId, countBytes }),
        );
        return { ...checked, ref: input.refs[index] ?? null };
      } catch (error) {
        signal.throwIfAborted();
        const fault = asCheckError(error);
        if (WHOLE_CALL.includes(fault.code)) {
          refused.abort(fault);
          throw fault;
        }
        if (fault.code === 'internal_error')
          ctx.state.log.error({ err: fault.cause ?? fault }, 'a check failed');
        // For one image, the sender or the service is at fault: the latter has no member of its own.
        return fault.status < 500 ? aboutParam(fault, input.params[index] ?? '') : fault;
      }
    }),
  );
  const checked = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
  if (checked.length === settled.length && !signal.aborted) return checked;
  await discardKept(deps.retention, keptOf(checked));
  throw signal.reason as Error;
}

async function checkOne(
  ctx: Context,
  deps: AskingDeps & SeenDeps,
  { options, receivedMs }: ImageInput,
  { image, id, span }: { readonly image: ImageSource; readonly id: string; readonly span: Span },
  signal: AbortSignal,
  fetching: FetchOptions,
): Promise<Omit<Checked, 'ref'>> {
  if (image.kind === 'refused') throw image.error;
  const { stages } = ctx.state;
  const startMs = performance.now();
  const remainingMs = (): number =>
    Math.max(0, Math.round(deps.deadlineMs - (performance.now() - receivedMs)));
  const bytes =
    image.kind === 'bytes'
      ? image.bytes
      : await within(span.begin('fetch', hostOf(image.url)), () =>
          fetchInTime(deps, image.url, remainingMs(), signal, fetching),
        );
  const fetchMs = image.kind === 'url' ? performance.now() - startMs : 0;
  const profile = options.profile ?? deps.profile;
  const recorded = options.include.includes('record') ? await identify(ctx, bytes) : null;
  const imageUrl = image.kind === 'url' ? image.url : null;
  const asking = prepareAsking(deps.askMakers, { bytes, url: imageUrl }, remainingMs, signal);
  const asked = {
    bytes,
    profile,
    signal,
    searchPixels: options.include.includes('marks'),
    heatMap: recorded !== null || options.include.includes('heatmap'),
    accountId: fetching.accountId,
    ...(recorded && { previewPx: PREVIEW_PX }),
    ...asking.options,
    deadlineMs: remainingMs(),
  };
  const recall = {
    accountId: hashingAccount(callerOf(ctx), deps),
    wantsSeen: options.include.includes('seen'),
  };
  const found = await checkAndRecall(span, deps, asked, recall).catch(async (error: unknown) => {
    if (recorded && error instanceof CheckError && errorFacts(error.code).about === 'picture')
      throw new RecordedRefusal(error, await deps.recorder.refusal(error, recorded));
    throw error;
  });
  const report = { ...found.report, id };
  const latencyMs = performance.now() - receivedMs;
  if (fetchMs > 0) stages.add('fetch', fetchMs);
  for (const stage of ['credentials', 'decode', 'faces', 'inference'] as const)
    stages.add(stage, report.timings[stage]);
  signal.throwIfAborted();
  const record = recorded && (await deps.recorder.check(report, recorded));
  const kept = options.store ? await keepImage(ctx, deps.retention, bytes, report) : null;
  const { hash, seen } = found;
  return { report, kept, record, hash, seen, latencyMs, fetchMs, ...asking.said };
}

async function identify(ctx: Context, bytes: Uint8Array): Promise<Original> {
  return { bytes, sha256: await digestBytes(bytes), requestId: ctx.state.requestId };
}

async function fetchInTime(
  deps: RunDeps,
  url: string,
  remainingMs: number,
  signal: AbortSignal,
  fetching: FetchOptions,
): Promise<Buffer> {
  const deadline = new AbortController();
  const expire = (): void => {
    deadline.abort(
      new CheckError('deadline_exceeded', `the check did not finish within ${deps.deadlineMs} ms`),
    );
  };
  const timer = setTimeout(expire, remainingMs);
  try {
    return await deps.fetcher.fetch(url, AbortSignal.any([signal, deadline.signal]), fetching);
  } finally {
    clearTimeout(timer);
  }
}

const keptOf = (checked: readonly (Checked | CheckError)[]): (KeptImage | null)[] =>
  checked.map((one) => (one instanceof CheckError ? null : one.kept));

interface Charging {
  readonly caller: Caller;
  readonly input: ImageInput;
  readonly checked: readonly (Checked | CheckError)[];
  readonly attempt: Attempt;
  readonly shape: Shape;
  readonly bands: Bands;
}

/** The body of the answer, once everything in it is charged. */
async function charge(ctx: Context, deps: RunDeps, charging: Charging): Promise<string> {
  const { caller, input, checked, attempt, shape, bands } = charging;
  const outcomes = checked.map((one) => presentOutcome(one, input));
  const latencyMs = performance.now() - input.receivedMs;
  const body = JSON.stringify(shape(outcomes, latencyMs, bands, ctx.state.requestId));
  const records = checked.flatMap((one, at) =>
    one instanceof CheckError
      ? []
      : [
          toCheckRecord(one.report, one.latencyMs, {
            imageId: one.kept?.id ?? null,
            hash: one.hash,
            ref: one.ref,
            name: deps.historyNames ? nameOfSource(input.images[at]) : null,
          }),
        ],
  );
  if (records.length > 0) {
    // A caller that is gone gets no answer, so it pays for none.
    disconnectSignal(ctx).throwIfAborted();
    const answer = attempt.lock ? { lock: attempt.lock, body } : null;
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
    noteChecks(ctx, caller.plan, usage, new Date());
  }
  for (const outcome of outcomes) deps.metrics.countOutcome(outcome);
  return body;
}

function presentOutcome(one: Checked | CheckError, { options }: ImageInput): Outcome {
  if (one instanceof CheckError) return { kind: 'failed', error: one };
  const { report, kept, record, seen, provenance, ref, latencyMs, fetchMs } = one;
  const shown = { record, seen, provenance, ref, latencyMs, fetchMs };
  const entry = presentCheck(report, { ...shown, include: options.include, imageStored: kept !== null });
  return { kind: 'checked', entry };
}
