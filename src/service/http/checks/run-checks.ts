// Checks the images of a request: quota, fetching, checking, storing, charging. Duplicates of the request get
// the same response.
import { performance } from 'node:perf_hooks';
import type { ActiveCalibration } from 'telltale-engine/internal/check/thresholds/calibration.js';
import type { CheckDeps } from 'telltale-engine/internal/check/check.js';
import { newCheckId, type CheckReport } from 'telltale-engine/internal/check/report.js';
import type { Bands, ProfileName } from 'telltale-engine/internal/check/types.js';
import { errorFacts, type ErrorCode } from 'telltale-engine/internal/base/error-codes.js';
import { aboutParam, CheckError } from 'telltale-engine/internal/base/errors.js';
import { MAX_BATCH_BYTES } from 'telltale-engine/internal/base/limits.js';
import { PREVIEW_PX, type Original } from '../../../record/content/compose.js';
import type { Recorder } from '../../../record/content/recorder.js';
import { digestBytes } from 'telltale-engine/internal/base/bytes.js';
import type { ImageRetention, KeptImage } from '../../../storage/images/image-retention.js';
import { asCheckError, RecordedRefusal, disconnectSignal } from '../errors/answer-errors.js';
import type { FetchOptions, ImageFetcher } from '../../outbound/fetch-image.js';
import { charge, type ChargeDeps, type CheckedImage, type ResponseShape } from './charge.js';
import { answerOnce, fingerprintInput } from './idempotency.js';
import { batchTooLarge, type ImageInput, type ImageSource } from '../body/image-input.js';
import { prepareMakerQuery, type AskMakers, type Makers } from '../../makers/makers.js';
import { requireQuota } from '../middleware/rate-limit.js';
import { callerOf, type Context } from '../state.js';
import { checkAndSearch, hashingAccount, requireHashes, type SeenDeps } from '../../check-and-search.js';
import { hostOf, within, type Span } from '../../traces/span.js';

/** Dependencies of checks over HTTP. */
export interface RunDeps extends ChargeDeps, Pick<CheckDeps, 'engine' | 'credentials' | 'fetchManifest'> {
  /** Source of the active thresholds. A request uses those that are active when its images have arrived. */
  readonly calibration: ActiveCalibration;
  readonly fetcher: ImageFetcher;
  readonly retention: ImageRetention;
  readonly recorder: Recorder;
  readonly makers: Pick<Makers, 'of'>;
  /** Profile for requests that name no profile. */
  readonly profile: ProfileName;
  /** True if a match with a known fake makes the verdict AI. */
  readonly knownDecides: boolean;
  /** Time limit of a check in milliseconds from the last byte of the request. */
  readonly deadlineMs: number;
}

/** Dependencies, with the function that asks makers' services about an image, or null. */
type DepsWithMakers = RunDeps & { readonly askMakers: AskMakers | null };

/** Error codes that refuse a whole batch instead of one image. */
const BATCH_ERRORS: readonly ErrorCode[] = ['overloaded', 'unavailable', 'batch_too_large', 'quota_exceeded'];

/** Checks images and returns the response. Throws a check's errors, quota_exceeded, idempotency_mismatch. */
export async function runChecks(
  ctx: Context,
  deps: RunDeps,
  input: ImageInput,
  shape: ResponseShape,
): Promise<string> {
  const caller = callerOf(ctx);
  if (input.options.include.includes('seen')) requireHashes(caller, deps, 'include');
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
        await discardKept(deps.retention, keptImagesOf(checked));
        throw error;
      }
    },
  );
}

/**
 * Returns a result or an error for each image. If an error concerns the whole request, stops the other checks
 * and throws the error.
 */
async function checkAll(
  ctx: Context,
  deps: DepsWithMakers,
  bands: Bands,
  input: ImageInput,
): Promise<(CheckedImage | CheckError)[]> {
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
  // All identifiers are created first, because the history sorts by identifier.
  const identifiedImages = input.images.map((image) => ({ image, id: newCheckId() }));
  const settled = await Promise.allSettled(
    identifiedImages.map(async (identifiedImage, index) => {
      try {
        const checking = { ...deps, bands };
        const span = ctx.state.stages.span.begin('check', {
          'telltale.check_id': identifiedImage.id,
          'telltale.position': index,
        });
        const checked = await within(span, () =>
          checkOne(ctx, checking, input, { ...identifiedImage, span }, signal, { accountId, countBytes }),
        );
        return { ...checked, ref: input.refs[index] ?? null };
      } catch (error) {
        signal.throwIfAborted();
        const fault = asCheckError(error);
        if (BATCH_ERRORS.includes(fault.code)) {
          refused.abort(fault);
          throw fault;
        }
        if (fault.code === 'internal_error')
          ctx.state.log.error({ err: fault.cause ?? fault }, 'a check failed');
        // An error of the caller names the parameter of the image; an error of the service names none.
        return fault.status < 500 ? aboutParam(fault, input.params[index] ?? '') : fault;
      }
    }),
  );
  const checked = settled.flatMap((settlement) =>
    settlement.status === 'fulfilled' ? [settlement.value] : [],
  );
  if (checked.length === settled.length && !signal.aborted) return checked;
  await discardKept(deps.retention, keptImagesOf(checked));
  throw signal.reason as Error;
}

async function checkOne(
  ctx: Context,
  deps: DepsWithMakers & SeenDeps,
  { options, receivedMs }: ImageInput,
  { image, id, span }: { readonly image: ImageSource; readonly id: string; readonly span: Span },
  signal: AbortSignal,
  fetchOptions: FetchOptions,
): Promise<Omit<CheckedImage, 'ref'>> {
  if (image.kind === 'refused') throw image.error;
  const { stages } = ctx.state;
  const startMs = performance.now();
  const remainingMs = (): number =>
    Math.max(0, Math.round(deps.deadlineMs - (performance.now() - receivedMs)));
  const bytes =
    image.kind === 'bytes'
      ? image.bytes
      : await within(span.begin('fetch', hostOf(image.url)), () =>
          fetchInTime(deps, image.url, remainingMs(), signal, fetchOptions),
        );
  const fetchMs = image.kind === 'url' ? performance.now() - startMs : 0;
  const profile = options.profile ?? deps.profile;
  const original = options.include.includes('record') ? await describeOriginal(ctx, bytes) : null;
  const imageUrl = image.kind === 'url' ? image.url : null;
  const makerQuery = prepareMakerQuery(deps.askMakers, { bytes, url: imageUrl }, remainingMs, signal);
  const checkInput = {
    bytes,
    profile,
    signal,
    searchPixels: options.include.includes('marks'),
    heatMap: original !== null || options.include.includes('heatmap'),
    accountId: fetchOptions.accountId,
    ...(original && { previewPx: PREVIEW_PX }),
    ...makerQuery.options,
    deadlineMs: remainingMs(),
  };
  const searchOptions = {
    accountId: hashingAccount(callerOf(ctx), deps),
    wantsSeen: options.include.includes('seen'),
  };
  const checkResult = await checkAndSearch(span, deps, checkInput, searchOptions).catch(
    async (error: unknown) => {
      if (original && error instanceof CheckError && errorFacts(error.code).about === 'picture')
        throw new RecordedRefusal(error, await deps.recorder.refusal(error, original));
      throw error;
    },
  );
  const report = { ...checkResult.report, id };
  const latencyMs = performance.now() - receivedMs;
  if (fetchMs > 0) stages.add('fetch', fetchMs);
  for (const stage of ['credentials', 'decode', 'faces', 'inference'] as const)
    stages.add(stage, report.timings[stage]);
  signal.throwIfAborted();
  const record = original && (await deps.recorder.check(report, original));
  const keptImage = options.store ? await keepImage(ctx, deps.retention, bytes, report) : null;
  const { hash, seen } = checkResult;
  return { report, keptImage, record, hash, seen, latencyMs, fetchMs, ...makerQuery.responses };
}

async function describeOriginal(ctx: Context, bytes: Uint8Array): Promise<Original> {
  return { bytes, sha256: await digestBytes(bytes), requestId: ctx.state.requestId };
}

async function fetchInTime(
  deps: RunDeps,
  url: string,
  remainingMs: number,
  signal: AbortSignal,
  fetchOptions: FetchOptions,
): Promise<Buffer> {
  const deadline = new AbortController();
  const expire = (): void => {
    deadline.abort(
      new CheckError('deadline_exceeded', `the check did not finish within ${deps.deadlineMs} ms`),
    );
  };
  const timer = setTimeout(expire, remainingMs);
  try {
    return await deps.fetcher.fetch(url, AbortSignal.any([signal, deadline.signal]), fetchOptions);
  } finally {
    clearTimeout(timer);
  }
}

const keptImagesOf = (checked: readonly (CheckedImage | CheckError)[]): (KeptImage | null)[] =>
  checked.map((settlement) => (settlement instanceof CheckError ? null : settlement.keptImage));

/** Stores an image. If storing fails, logs the error and returns null, because the check still succeeds. */
async function keepImage(
  ctx: Context,
  retention: ImageRetention,
  bytes: Buffer,
  { image: { format } }: Pick<CheckReport, 'image'>,
): Promise<KeptImage | null> {
  const { accountId } = callerOf(ctx);
  try {
    return await ctx.state.stages.time('store', () => retention.keep(accountId, bytes, format));
  } catch (error) {
    ctx.state.log.error({ err: error }, 'an image could not be stored');
    return null;
  }
}

/** Discards the stored images of a refused request. */
async function discardKept(retention: ImageRetention, images: readonly (KeptImage | null)[]): Promise<void> {
  const keptImages = new Map<string, KeptImage>();
  for (const image of images) {
    if (image === null) continue;
    const { id, isNew, expiresAt } = image;
    const same = keptImages.get(id);
    // If a request contains an image twice, the second one finds the first and extends its retention.
    keptImages.set(id, {
      id,
      isNew: isNew || (same?.isNew ?? false),
      expiresAt: Math.max(expiresAt, same?.expiresAt ?? 0),
    });
  }
  await Promise.allSettled([...keptImages.values()].map((image) => retention.discard(image)));
}
