// One item of a scan, from its address to its answer.
import { setMaxListeners } from 'node:events';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import type { ErrorCode } from 'telltale-engine/internal/base/error-codes.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { nameOfAddress, nameOfFile } from '../../../accounts/history/image-name.js';
import { answerChecked, answerFailed, type Answer } from '../answers.js';
import type { ItemRow, ScanOptions } from '../scan.js';
import { readKey } from '../source.js';
import { TryLater } from '../../outbound/fetch-image.js';
import { checkAndRecall } from '../../seen.js';
import { hostOf, within, type Span, type Traces } from '../../traces/span.js';
import { noteTry } from './open-scan.js';
import { isAway, retryWhileUnavailable } from './retry-while-unavailable.js';
import type { CalibrationInForce } from 'telltale-engine/internal/check/thresholds/calibration.js';
import type { CheckDeps } from 'telltale-engine/internal/check/check.js';
import type { ScanDeps } from '../deps.js';
import type { EnginePermits } from './engine-permits.js';
import type { HostQueues } from './host-queues.js';
import type { AnswerWriter } from './answer-writer.js';

/** Built once for each worker. */
export interface WorkDeps extends ScanDeps, Pick<CheckDeps, 'engine' | 'credentials' | 'fetchManifest'> {
  readonly calibration: CalibrationInForce;
  readonly traces: Traces;
  /** The bytes at an address of an item; rejects with CheckError. */
  readonly fetch: (address: string) => Promise<Uint8Array>;
  readonly hosts: HostQueues;
  readonly places: EnginePermits;
  readonly recorder: AnswerWriter;
  /** Whether a known fake makes a verdict AI by itself. */
  readonly knownDecides: boolean;
  /** Whether the history keeps the names of files and addresses. */
  readonly historyNames: boolean;
  /** For checking one image; fetching it has its own limit. */
  readonly deadlineMs: number;
  /** Aborts when the process stops and the database, being away, is waited for no longer. */
  readonly lost: AbortSignal;
  /** Hears of faults that are ours. */
  readonly onFault: (error: unknown) => void;
}

/** How the items of a turn are checked. */
export interface WorkOptions extends ScanOptions {
  /** The account, if hashes of its images are kept; else null. */
  readonly hashingAccountId: string | null;
}

/** For one item. */
interface ItemDeps extends WorkDeps {
  /** The item in a trace of its own. */
  readonly span: Span;
}

/** Checks of an image that were begun and not ended, after which it gets its error. */
const MOST_FAULTS = 3;
/** Requests for one address whose host says when to ask again. */
const MOST_FETCHES = 3;
/** For all of them. Chosen: less than a batch lasts, so that the items that it begins with always get their answers. */
const FETCHES_MS = 10_000;
/** Faults that say nothing of the image: it is tried again. */
const OURS: readonly ErrorCode[] = ['internal_error', 'overloaded', 'unavailable', 'deadline_exceeded'];

/**
 * Checks an item and writes its answer down; false if the scan ended meanwhile. Rejects with the reason of `ending`,
 * if its turn was over, or the process stops, before its check was begun. An image whose check was begun and not
 * ended is a suspect: the next time it is checked alone, until its answer is written down. Where it ends the process, none
 * beside it is blamed, and none before it is blamed again.
 */
export async function checkItem(
  deps: WorkDeps,
  options: WorkOptions,
  item: ItemRow,
  ending: AbortSignal,
): Promise<boolean> {
  const facts = { 'telltale.scan_id': item.scan_id, 'telltale.position': item.position };
  return within(deps.traces.begin('scan item', { kind: 'consumer', facts }), async (span) => {
    const answer = await findAnswer({ ...deps, span }, options, item, ending);
    if (typeof answer === 'boolean') return answer;
    await deps.recorder.add(item.scan_id, answer);
    return true;
  });
}

/** The answer; true if it is written down already, false if the scan ended. */
async function findAnswer(
  deps: ItemDeps,
  options: WorkOptions,
  item: ItemRow,
  ending: AbortSignal,
): Promise<Answer | boolean> {
  let fault = new CheckError('internal_error', 'the check was begun three times and never ended');
  if (item.tries >= MOST_FAULTS) return failure(deps, item, fault);
  const startMs = performance.now();
  let bytes: Uint8Array;
  try {
    bytes = await fetchItem(deps, item, ending);
  } catch (error) {
    // It waited for its host until the turn was over. What a fetch came to is its answer, however late: a host that never
    // answers would else be asked turn after turn.
    if (error === ending.reason || deps.lost.aborted) throw error;
    return failure(deps, item, asCheckError(error, deps));
  }
  const fetchMs = performance.now() - startMs;
  for (let tries = item.tries; tries < MOST_FAULTS; tries += 1) {
    const isSuspect = tries > 0;
    const found = await deps.places.run(isSuspect, async () => {
      ending.throwIfAborted();
      if (!(await retryWhileUnavailable(deps.lost, () => noteTry(deps.database, item)))) return false;
      const answer = await answerBytes(deps, options, item, { bytes, startMs, fetchMs });
      if (answer instanceof CheckError || !isSuspect) return answer;
      await deps.recorder.add(item.scan_id, answer);
      return true;
    });
    if (!(found instanceof CheckError)) return found;
    fault = found;
    // Nobody else was at work: it is the image that takes so long.
    if (isSuspect && found.code === 'deadline_exceeded') break;
  }
  return failure(deps, item, fault);
}

function fetchItem(deps: ItemDeps, { address }: ItemRow, ending: AbortSignal): Promise<Uint8Array> {
  if (address === null) throw new Error('an item without an address has its answer');
  // The limits spare other people's hosts, not the operator's own store.
  if (readKey(address) !== null) return readObject(deps, address, ending);
  return fetchAddress(deps, address, ending);
}

/** Asks again where the host says when, as long as the item's time allows. */
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
      if (!(error instanceof CheckError && error.cause instanceof TryLater)) throw error;
      const later = error.cause;
      if (tries === MOST_FETCHES || isLate(later.waitMs)) throw error;
      fault = error;
      // Where the batch ends before, the item's next batch begins anew. Many items wait by one signal.
      setMaxListeners(0, ending);
      await setTimeout(later.waitMs, undefined, { signal: ending }).catch(() => ending.throwIfAborted());
    }
  }
}

/** Waits for a store that is away, as for the database, until the turn is over; the next turn goes on with it. */
async function readObject(deps: ItemDeps, address: string, ending: AbortSignal): Promise<Uint8Array> {
  try {
    return await retryWhileUnavailable(ending, () => fetchTraced(deps, address));
  } catch (error) {
    if (isAway(error)) ending.throwIfAborted();
    throw error;
  }
}

/** The name of an object is the account's to know: of a store the trace has none. */
function fetchTraced({ span, fetch }: ItemDeps, address: string): Promise<Uint8Array> {
  const facts = readKey(address) === null ? hostOf(address) : {};
  return within(span.begin('fetch', facts), () => fetch(address));
}

interface Fetched {
  readonly bytes: Uint8Array;
  readonly startMs: number;
  readonly fetchMs: number;
}

/** The answer, or the fault, if it is ours. */
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
    return OURS.includes(fault.code) ? fault : failure(deps, item, fault);
  }
}

async function checkBytes(
  deps: ItemDeps,
  { profile, include, hashingAccountId }: WorkOptions,
  item: ItemRow,
  { bytes, startMs, fetchMs }: Fetched,
): Promise<Answer> {
  const checking = { ...deps, bands: deps.calibration.current };
  const asked = {
    bytes,
    profile,
    searchPixels: include.includes('marks'),
    heatMap: include.includes('heatmap'),
    deadlineMs: deps.deadlineMs,
    background: true,
  };
  const recall = { accountId: hashingAccountId, wantsSeen: false };
  const { report, hash } = await checkAndRecall(deps.span, checking, asked, recall);
  deps.span.note({ 'telltale.check_id': report.id });
  const latencyMs = performance.now() - startMs;
  const name = deps.historyNames ? nameOfItem(item) : null;
  return answerChecked(item, report, { include, latencyMs, fetchMs, name, hash });
}

/** Its reference, else what is left of its address. */
function nameOfItem({ ref, address }: ItemRow): string | null {
  if (ref !== null) return nameOfFile(ref);
  if (address === null) return null;
  const key = readKey(address);
  return key === null ? nameOfAddress(address) : nameOfFile(key);
}

function failure({ span }: ItemDeps, item: ItemRow, error: CheckError): Answer {
  span.fail(error.code, OURS.includes(error.code));
  return answerFailed(item, error);
}

function asCheckError(error: unknown, { onFault }: WorkDeps): CheckError {
  if (error instanceof CheckError && error.code !== 'internal_error') return error;
  onFault(error);
  return new CheckError('internal_error', 'the check failed', { cause: error });
}
