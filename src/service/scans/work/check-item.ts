// Checks one item of a scan: fetches the image, checks it and records the result.
import { setMaxListeners } from 'node:events';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import type { ErrorCode } from 'telltale-engine/internal/base/error-codes.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { nameOfAddress, nameOfFile } from '../../../accounts/history/image-name.js';
import { answerChecked, answerFailed, type Answer } from '../answers.js';
import type { ItemRow, ScanOptions, ScanDeps } from '../scan.js';
import { readKey } from '../read-list.js';
import { RetryRequest } from '../../outbound/fetch-image.js';
import { checkAndSearch } from '../../check-and-search.js';
import { hostOf, within, type Span, type Traces } from '../../traces/span.js';
import { recordAttempt } from './open-scan.js';
import { isUnavailable, retryWhileUnavailable, type AnswerWriter } from './answer-writer.js';
import type { ActiveCalibration } from 'telltale-engine/internal/check/thresholds/calibration.js';
import type { CheckDeps } from 'telltale-engine/internal/check/check.js';
import type { HostQueues } from './host-queues.js';

/** Dependencies of a scan worker, created once per process. */
export interface WorkDeps extends ScanDeps, Pick<CheckDeps, 'engine' | 'credentials' | 'fetchManifest'> {
  readonly calibration: ActiveCalibration;
  readonly traces: Traces;
  /** Fetches the image at an item's address. Rejects with CheckError. */
  readonly fetch: (address: string) => Promise<Uint8Array>;
  readonly hosts: HostQueues;
  readonly permits: EnginePermits;
  readonly recorder: AnswerWriter;
  /** True if a match with a known fake makes the verdict AI. */
  readonly knownDecides: boolean;
  /** True if the history stores names of files and addresses. */
  readonly historyNames: boolean;
  /** Time limit for checking one image. Fetching has a separate limit. */
  readonly deadlineMs: number;
  /** Aborts when the process stops and gives up waiting for an unavailable database. */
  readonly lost: AbortSignal;
  /** Receives unexpected errors, for the log. */
  readonly onFault: (error: unknown) => void;
}

/** Options for all items of a batch. */
export interface WorkOptions extends ScanOptions {
  /** Account of the scan if hashes of its images are stored, otherwise null. */
  readonly hashingAccountId: string | null;
}

/** Dependencies for one item. */
interface ItemDeps extends WorkDeps {
  /** Root span of the item's trace. */
  readonly span: Span;
}

/** Number of unfinished checks of an image after which the item fails. */
const MAX_TRIES = 3;
/** Maximum number of requests to one address if its host asks for a later retry. */
const MAX_FETCHES = 3;
/**
 * Maximum milliseconds for all requests of one item. Shorter than a batch, so that the first items of a batch
 * always finish.
 */
const FETCHES_MS = 10_000;
/** Error codes for which the image is not responsible. The image is checked again. */
const SERVICE_ERRORS: readonly ErrorCode[] = [
  'internal_error',
  'overloaded',
  'unavailable',
  'deadline_exceeded',
];

/**
 * Checks an item and records its result. Returns false if the scan ended meanwhile. Rejects with the reason
 * of `ending` if the batch ended or the process stops before the check began. If an earlier check of the
 * image never finished, no other image is checked at the same time, because the image may crash the process.
 */
export async function checkItem(
  deps: WorkDeps,
  options: WorkOptions,
  item: ItemRow,
  ending: AbortSignal,
): Promise<boolean> {
  const facts = { 'telltale.scan_id': item.scan_id, 'telltale.position': item.position };
  return within(deps.traces.begin('scan item', 'CONSUMER', facts), async (span) => {
    const answer = await composeAnswer({ ...deps, span }, options, item, ending);
    if (typeof answer === 'boolean') return answer;
    await deps.recorder.add(item.scan_id, answer);
    return true;
  });
}

/** Returns the result, true if the result is already recorded, or false if the scan ended. */
async function composeAnswer(
  deps: ItemDeps,
  options: WorkOptions,
  item: ItemRow,
  ending: AbortSignal,
): Promise<Answer | boolean> {
  let fault = new CheckError('internal_error', 'The check was started three times and never finished');
  if (item.tries >= MAX_TRIES) return failure(deps, item, fault);
  const startMs = performance.now();
  let bytes: Uint8Array;
  try {
    bytes = await fetchItem(deps, item, ending);
  } catch (error) {
    // The batch ended while the item waited for its host, so another batch fetches the item. A fetch that
    // fails late still counts, because a host that never responds would otherwise be asked in each batch.
    if (error === ending.reason || deps.lost.aborted) throw error;
    return failure(deps, item, asCheckError(error, deps));
  }
  const fetchMs = performance.now() - startMs;
  for (let tries = item.tries; tries < MAX_TRIES; tries += 1) {
    const isSuspect = tries > 0;
    const outcome = await deps.permits.run({ isExclusive: isSuspect }, async () => {
      ending.throwIfAborted();
      if (!(await retryWhileUnavailable(deps.lost, () => recordAttempt(deps.database, item)))) return false;
      const answer = await answerBytes(deps, options, item, { bytes, startMs, fetchMs });
      if (answer instanceof CheckError || !isSuspect) return answer;
      await deps.recorder.add(item.scan_id, answer);
      return true;
    });
    if (!(outcome instanceof CheckError)) return outcome;
    fault = outcome;
    // No other image was being checked, so the image itself is the cause of the timeout.
    if (isSuspect && outcome.code === 'deadline_exceeded') break;
  }
  return failure(deps, item, fault);
}

function fetchItem(deps: ItemDeps, { address }: ItemRow, ending: AbortSignal): Promise<Uint8Array> {
  if (address === null) throw new Error('an item without an address has its answer');
  // Limits on requests protect the hosts of other sites, not the operator's own store.
  if (readKey(address) !== null) return readObject(deps, address, ending);
  return fetchAddress(deps, address, ending);
}

/** Fetches an address. Repeats the request when the host asks for it, within the item's time. */
async function fetchAddress(deps: ItemDeps, address: string, ending: AbortSignal): Promise<Uint8Array> {
  const startMs = performance.now();
  const { host } = new URL(address);
  const isLate = (waitMs: number): boolean => performance.now() - startMs + waitMs > FETCHES_MS;
  let fault: CheckError | null = null;
  for (let tries = 1; ; tries += 1) {
    try {
      return await deps.hosts.run(host, ending, () => fetchTraced(deps, address));
    } catch (error) {
      if (error === ending.reason && fault !== null && isLate(0)) throw fault;
      if (!(error instanceof CheckError && error.cause instanceof RetryRequest)) throw error;
      const retryRequest = error.cause;
      if (tries === MAX_FETCHES || isLate(retryRequest.waitMs)) throw error;
      fault = error;
      // Removes the limit of listeners, because many items wait with one signal for the batch's end.
      setMaxListeners(0, ending);
      await setTimeout(retryRequest.waitMs, undefined, { signal: ending }).catch(() =>
        ending.throwIfAborted(),
      );
    }
  }
}

/** Reads an object. Waits for an unavailable store until the batch ends; another batch then continues. */
async function readObject(deps: ItemDeps, address: string, ending: AbortSignal): Promise<Uint8Array> {
  try {
    return await retryWhileUnavailable(ending, () => fetchTraced(deps, address));
  } catch (error) {
    if (isUnavailable(error)) ending.throwIfAborted();
    throw error;
  }
}

/** Fetches an image in a span. The span omits names of stored objects, because they belong to the account. */
function fetchTraced({ span, fetch }: ItemDeps, address: string): Promise<Uint8Array> {
  const facts = readKey(address) === null ? hostOf(address) : {};
  return within(span.begin('fetch', facts), () => fetch(address));
}

interface Fetched {
  readonly bytes: Uint8Array;
  readonly startMs: number;
  readonly fetchMs: number;
}

/** Checks an image. Returns the result, or an error for which the image is not responsible. */
async function answerBytes(
  deps: ItemDeps,
  options: WorkOptions,
  item: ItemRow,
  fetched: Fetched,
): Promise<Answer | CheckError> {
  try {
    return await checkBytes(deps, options, item, fetched);
  } catch (error) {
    const fault = asCheckError(error, deps);
    return SERVICE_ERRORS.includes(fault.code) ? fault : failure(deps, item, fault);
  }
}

async function checkBytes(
  deps: ItemDeps,
  { profile, include, hashingAccountId }: WorkOptions,
  item: ItemRow,
  { bytes, startMs, fetchMs }: Fetched,
): Promise<Answer> {
  const checking = { ...deps, bands: deps.calibration.current };
  const checkInput = {
    bytes,
    profile,
    searchPixels: include.includes('marks'),
    heatMap: include.includes('heatmap'),
    deadlineMs: deps.deadlineMs,
    background: true,
  };
  const searchOptions = { accountId: hashingAccountId, wantsSeen: false };
  const { report, hash } = await checkAndSearch(deps.span, checking, checkInput, searchOptions);
  deps.span.addFacts({ 'telltale.check_id': report.id });
  const latencyMs = performance.now() - startMs;
  const name = deps.historyNames ? nameOfItem(item) : null;
  return answerChecked(item, report, { include, latencyMs, fetchMs, name, hash });
}

/** Returns the image's name for the history: the reference, or the end of the address. */
function nameOfItem({ ref, address }: ItemRow): string | null {
  if (ref !== null) return nameOfFile(ref);
  if (address === null) return null;
  const key = readKey(address);
  return key === null ? nameOfAddress(address) : nameOfFile(key);
}

function failure({ span }: ItemDeps, item: ItemRow, error: CheckError): Answer {
  span.fail(error.code, { isFault: SERVICE_ERRORS.includes(error.code) });
  return answerFailed(item, error);
}

function asCheckError(error: unknown, { onFault }: WorkDeps): CheckError {
  if (error instanceof CheckError && error.code !== 'internal_error') return error;
  onFault(error);
  return new CheckError('internal_error', 'the check failed', { cause: error });
}

interface Waiting {
  readonly permits: number;
  readonly start: () => void;
}

/** Grants permits in order. A request for all permits waits for earlier ones and blocks later ones. */
export class EnginePermits {
  readonly #permits: number;
  readonly #waiting: Waiting[] = [];
  #inUse = 0;

  /** `permits` is the number of concurrent permits. */
  constructor(permits: number) {
    this.#permits = permits;
  }

  /** Runs `work` with one permit, or with all permits if `isExclusive`. */
  async run<T>({ isExclusive }: { readonly isExclusive: boolean }, work: () => Promise<T>): Promise<T> {
    const permits = isExclusive ? this.#permits : 1;
    await new Promise<void>((start) => {
      this.#waiting.push({ permits, start });
      this.#advance();
    });
    try {
      return await work();
    } finally {
      this.#inUse -= permits;
      this.#advance();
    }
  }

  #advance(): void {
    for (;;) {
      const [next] = this.#waiting;
      if (!next || this.#inUse + next.permits > this.#permits) return;
      this.#waiting.shift();
      this.#inUse += next.permits;
      next.start();
    }
  }
}
