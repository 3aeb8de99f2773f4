// Fits decision thresholds in the background when an operator has requested them.
import { startPolling } from 'telltale-engine/internal/base/concurrency.js';
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { extname } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { CheckError, StartError } from 'telltale-engine/internal/base/errors.js';
import { leaseThresholds, type Lease } from './lease.js';
import { hasOneAccount } from '../../accounts/accounts.js';
import { listJudged, type JudgedCheck } from '../../accounts/history/judged.js';
import type { LabelledImage } from '../../calibration/evaluation/dataset.js';
import { refuseFewGenuine } from '../../calibration/thresholds/own-thresholds.js';
import {
  MAX_IMAGES,
  loadFitImages,
  describeWarnings,
  type FitImages,
} from '../../calibration/thresholds/fit-images.js';
import { shareByThreshold, shareOut } from '../../calibration/thresholds/share-out.js';
import type { Labeller } from '../../calibration/thresholds/thresholds-card.js';
import type { ActiveCalibration } from 'telltale-engine/internal/check/thresholds/calibration.js';
import type { Bands, ProfileName } from 'telltale-engine/internal/check/types.js';
import type { Engine } from 'telltale-engine/internal/engine/types.js';
import type { Database } from '../../storage/db/database.js';
import type { ImageRetention } from '../../storage/images/image-retention.js';
import type { Fitted, FitAnswer, FitTask } from './fitting-process.js';
import { loadThresholds, readActiveId, type ThresholdsRequest } from './own-thresholds.js';

const POLL_MS = 2000;

/**
 * Starts fitting requested thresholds, one set at a time. Returns a function that stops it. Another process,
 * or a later start, repeats an interrupted fit.
 */
export function startFitting(deps: FitDeps): () => Promise<void> {
  return startPolling(POLL_MS, async (signal) => {
    const lease = await leaseThresholds(deps.database).catch(() => null);
    if (lease) await work(deps, lease, signal);
    return lease !== null;
  });
}

/** Fits one set of thresholds and stores the result. Never rejects. */
async function work(deps: FitDeps, lease: Lease, stopping: AbortSignal): Promise<void> {
  const { log } = deps;
  const signal = AbortSignal.any([stopping, lease.signal]);
  try {
    const { fault, outcome, card, bands } = await fitThresholds(deps, lease, signal);
    await lease.end({
      state: fault === null ? 'ready' : 'refused',
      reason: fault,
      outcome: JSON.stringify(outcome),
      card,
      ...(fault === null && { bands }),
    });
    log.info({ thresholds: lease.id }, 'thresholds were fitted');
  } catch (error) {
    const { message: reason } = error as Error;
    const code = error instanceof CheckError ? error.code : null;
    if (code !== 'invalid_request') log.warn({ err: error, thresholds: lease.id }, 'fitting broke off');
    const end =
      code === 'invalid_request'
        ? lease.end({ state: 'refused', reason })
        : error instanceof StartError
          ? lease.end({ state: 'failed', reason })
          : lease.release({
              isServiceFault: signal.aborted || code === 'unavailable' || code === 'overloaded',
            });
    // If the database is unavailable, the lease expires and the fit starts again later.
    await end.catch(() => undefined);
  }
}

interface FitDeps {
  readonly database: Database;
  readonly retention: ImageRetention;
  readonly engine: Engine;
  readonly calibration: ActiveCalibration;
  /** Profile whose verdicts on each account's images are counted for the report. */
  readonly profile: ProfileName;
  readonly log: Logger;
}

/** A stored image to fit to. `path` is the identifier of its check, `source` the account. */
interface KeptImage extends LabelledImage {
  readonly imageId: string;
}

/** Fits thresholds. Rejects with CheckError `invalid_request` if too few of the images are genuine. */
async function fitThresholds(deps: FitDeps, lease: Lease, signal: AbortSignal): Promise<Fitted> {
  const { database, profile } = deps;
  const { request, name } = lease;
  const checks = await listJudged(database, filterOf(request), MAX_IMAGES);
  const isShared = !(await hasOneAccount(database));
  const images = shareLabels(checks.map(asImage), isShared);
  const surplusPaths = images.surplus.map(({ path }) => path);
  const noImages = { refused: [], copies: [], contradictions: [] };
  // Checked before the images are read, because reading may take an hour.
  refuseFewGenuine({ ...noImages, usable: images.taken, surplus: surplusPaths });
  const before = await readBase(deps);
  const loadedImages = await loadKeptImages(deps, lease, images.taken, signal);
  // Limited per account again, because duplicates are now removed and each threshold uses different images.
  const shared = shareByThreshold(loadedImages.usable, isShared);
  const fitImages = {
    ...loadedImages,
    usable: shared.taken,
    surplus: [...surplusPaths, ...shared.surplus.map(({ path }) => path)],
  };
  refuseFewGenuine(fitImages);
  const task = {
    images: fitImages.usable,
    before,
    aims: request.aims,
    name,
    madeAt: new Date(),
    labellers: labellersOf(checks, new Set(fitImages.usable.map(({ path }) => path))),
    profile,
    selection: describeSelection(request),
    warnings: describeWarnings(fitImages),
  };
  return fitInChildProcess(task, signal);
}

/**
 * Returns the thresholds to start from: the active ones, or the shipped ones if the active ones belong to
 * another release. All processes choose in this way.
 */
async function readBase({ database, engine, calibration }: FitDeps): Promise<Bands> {
  const id = await readActiveId(database);
  if (id === null) return calibration.shipped;
  try {
    return await loadThresholds(database, id, engine.model);
  } catch (error) {
    if (error instanceof StartError) return calibration.shipped;
    throw error;
  }
}

/** Scores images one at a time with the lowest priority, so that checks are not delayed. */
async function loadKeptImages(
  { retention, engine }: FitDeps,
  lease: Lease,
  images: readonly KeptImage[],
  signal: AbortSignal,
): Promise<FitImages> {
  const imageIds = new Map(images.map(({ path, imageId }) => [path, imageId]));
  let loadedCount = 0;
  return loadFitImages(images, {
    engine,
    limits: { signal, background: true },
    concurrency: 1,
    onImage: () => {
      loadedCount += 1;
      lease.reportProgress(loadedCount, images.length);
      return Promise.resolve();
    },
    read: async ({ path, source }) => {
      const opened = await retention.open(source, imageIds.get(path) ?? '');
      if (!opened) throw new CheckError('not_found', 'The image is no longer stored');
      return buffer(opened.bytes);
    },
  });
}

const PROGRAM = fileURLToPath(new URL(`./fitting-process${extname(import.meta.url)}`, import.meta.url));
const CHILD_EXITED: FitAnswer = { error: 'the fitting process ended' };

/** Fits thresholds in a child process. Rejects with StartError `model_invalid` or the signal's reason. */
async function fitInChildProcess(task: FitTask, signal: AbortSignal): Promise<Fitted> {
  const child = fork(PROGRAM, {
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  });
  try {
    const exited = once(child, 'exit', { signal });
    const replied = once(child, 'message', { signal }) as Promise<[FitAnswer]>;
    // Lowers the child's priority so that checks run first.
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    child.send(task);
    const [answer] = await Promise.race([replied, exited.then(() => [CHILD_EXITED] as const)]);
    if (!('error' in answer)) return answer;
    throw new StartError('model_invalid', answer.error);
  } finally {
    child.kill('SIGKILL');
  }
}

function filterOf({ from, to, alsoReported, accountIds }: ThresholdsRequest) {
  return {
    from: from === null ? null : new Date(from),
    to: to === null ? null : new Date(to),
    alsoReported,
    accountIds,
  };
}

/** Limits each account to half of the genuine and half of the AI images, to limit its influence. */
function shareLabels(images: readonly KeptImage[], isShared: boolean) {
  const genuine = shareOut(
    images.filter(({ isAi }) => !isAi),
    { isShared },
  );
  const ai = shareOut(
    images.filter(({ isAi }) => isAi),
    { isShared, maximum: MAX_IMAGES - genuine.taken.length },
  );
  return { taken: [...genuine.taken, ...ai.taken], surplus: [...genuine.surplus, ...ai.surplus] };
}

function asImage({ checkId, accountId, imageId, isAi }: JudgedCheck): KeptImage {
  const group = isAi ? 'generated' : 'real';
  return { path: checkId, isAi, source: accountId, group, kind: '', content: '', imageId };
}

/** Returns the accounts whose genuine images are used, each with the number of members who confirmed the images. */
function labellersOf(
  checks: readonly JudgedCheck[],
  usedCheckIds: ReadonlySet<string>,
): Map<string, Labeller> {
  const labellers = new Map<string, { readonly name: string; readonly people: Set<string | null> }>();
  for (const { checkId, accountId, account, isAi, by } of checks) {
    if (isAi || !usedCheckIds.has(checkId)) continue;
    const labeller = labellers.get(accountId) ?? { name: account, people: new Set() };
    labeller.people.add(by);
    labellers.set(accountId, labeller);
  }
  return new Map(
    [...labellers].map(([id, { name, people }]) => {
      const hasOthers = people.delete(null);
      return [id, { name, members: people.size, hasOthers }];
    }),
  );
}

function describeSelection({ from, to, alsoReported }: ThresholdsRequest): string {
  const days = `${from === null ? '' : ` from ${from}`}${to === null ? '' : ` before ${to}`}`;
  return `Fitted to stored images of checks${days} that members cleared${alsoReported ? ' or reported as genuine' : ''}.`;
}
