// Fits decision thresholds to stored images that members of accounts have judged as genuine or AI.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { extname } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { hasOneAccount } from '../../accounts/accounts.js';
import { listJudged, type JudgedCheck } from '../../accounts/history/judged.js';
import { CheckError, StartError } from 'telltale-engine/internal/base/errors.js';
import type { LabelledImage } from '../../calibration/evaluation/dataset.js';
import { refuseFewGenuine } from '../../calibration/thresholds/own-thresholds.js';
import { MOST_IMAGES, seeImages, warnOf, type SeenImages } from '../../calibration/thresholds/see-images.js';
import { shareByThreshold, shareOut } from '../../calibration/thresholds/share-out.js';
import type { Teller } from '../../calibration/thresholds/thresholds-card.js';
import type { CalibrationInForce } from 'telltale-engine/internal/check/thresholds/calibration.js';
import type { Bands, ProfileName } from 'telltale-engine/internal/check/types.js';
import type { Engine } from 'telltale-engine/internal/engine/types.js';
import type { Database } from '../../storage/db/database.js';
import type { ImageRetention } from '../../storage/images/image-retention.js';
import type { Fitted, FitAnswer, FitTask } from './fitting-process.js';
import type { Lease } from './lease.js';
import { loadThresholds, readActiveId, type WantedThresholds } from './own-thresholds.js';

export interface FitDeps {
  readonly database: Database;
  readonly retention: ImageRetention;
  readonly engine: Engine;
  readonly calibration: CalibrationInForce;
  /** Profile whose verdicts on each account's images are counted for the report. */
  readonly profile: ProfileName;
  readonly log: Logger;
}

/** A stored image to fit to. `path` is the identifier of its check, `source` the account. */
interface KeptImage extends LabelledImage {
  readonly imageId: string;
}

/** Fits thresholds. Rejects with CheckError `invalid_request` if too few of the images are genuine. */
export async function fitThresholds(deps: FitDeps, lease: Lease, signal: AbortSignal): Promise<Fitted> {
  const { database, profile } = deps;
  const { wanted, name } = lease;
  const checks = await listJudged(database, filterOf(wanted), MOST_IMAGES);
  const isShared = !(await hasOneAccount(database));
  const images = shareLabels(checks.map(asImage), isShared);
  const ahead = images.surplus.map(({ path }) => path);
  const nothing = { refused: [], copies: [], contradictions: [] };
  // Checked before the images are read, because reading may take an hour.
  refuseFewGenuine({ ...nothing, seen: images.taken, surplus: ahead });
  const before = await readBase(deps);
  const all = await seeKept(deps, lease, images.taken, signal);
  // Limited per account again, because duplicates are now removed and each threshold uses different images.
  const seen = shareByThreshold(all.seen, isShared);
  const found = { ...all, seen: seen.taken, surplus: [...ahead, ...seen.surplus.map(({ path }) => path)] };
  refuseFewGenuine(found);
  const task = {
    pictures: found.seen,
    before,
    aims: wanted.aims,
    name,
    madeAt: new Date(),
    tellers: tellersOf(checks, new Set(found.seen.map(({ path }) => path))),
    profile,
    selection: describeSelection(wanted),
    warnings: warnOf(found),
  };
  return fitApart(task, signal);
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
async function seeKept(
  { retention, engine }: FitDeps,
  lease: Lease,
  images: readonly KeptImage[],
  signal: AbortSignal,
): Promise<SeenImages> {
  const imageIds = new Map(images.map(({ path, imageId }) => [path, imageId]));
  let seen = 0;
  return seeImages(images, {
    engine,
    limits: { signal, background: true },
    concurrency: 1,
    onImage: () => {
      seen += 1;
      lease.note(seen, images.length);
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
const GONE: FitAnswer = { error: 'the process that fitted ended' };

/** Fits thresholds in a child process. Rejects with StartError `model_invalid` or the signal's reason. */
async function fitApart(task: FitTask, signal: AbortSignal): Promise<Fitted> {
  const child = fork(PROGRAM, {
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  });
  try {
    const ended = once(child, 'exit', { signal });
    const answered = once(child, 'message', { signal }) as Promise<[FitAnswer]>;
    // Lowers the child's priority so that checks run first.
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    child.send(task);
    const [answer] = await Promise.race([answered, ended.then(() => [GONE] as const)]);
    if (!('error' in answer)) return answer;
    throw new StartError('model_invalid', answer.error);
  } finally {
    child.kill('SIGKILL');
  }
}

function filterOf({ from, to, alsoReported, accountIds }: WantedThresholds) {
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
    { isShared, most: MOST_IMAGES - genuine.taken.length },
  );
  return { taken: [...genuine.taken, ...ai.taken], surplus: [...genuine.surplus, ...ai.surplus] };
}

function asImage({ checkId, accountId, imageId, isAi }: JudgedCheck): KeptImage {
  const group = isAi ? 'generated' : 'real';
  return { path: checkId, isAi, source: accountId, group, kind: '', content: '', imageId };
}

/** Returns the accounts whose genuine images are used, each with the people who confirmed the images. */
function tellersOf(checks: readonly JudgedCheck[], counted: ReadonlySet<string>): Map<string, Teller> {
  const tellers = new Map<string, { readonly name: string; readonly people: Set<string | null> }>();
  for (const { checkId, accountId, account, isAi, by } of checks) {
    if (isAi || !counted.has(checkId)) continue;
    const teller = tellers.get(accountId) ?? { name: account, people: new Set() };
    teller.people.add(by);
    tellers.set(accountId, teller);
  }
  return tellers;
}

function describeSelection({ from, to, alsoReported }: WantedThresholds): string {
  const days = `${from === null ? '' : ` from ${from}`}${to === null ? '' : ` before ${to}`}`;
  return `Fitted to kept images of checks${days} that members cleared${alsoReported ? ' or reported as genuine' : ''}.`;
}
