// Learns the corrections that operators ask for, from the verdicts that members reported as wrong, beside the checks.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { constants, setPriority } from 'node:os';
import { extname, join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import type { Logger } from 'pino';
import { refuseTooFew, warnOfAll } from '../../calibration/adaptation/adapt.js';
import { formatBands } from '../../calibration/adaptation/bands-file.js';
import { MOST_PICTURES, shareOut } from '../../calibration/adaptation/share-out.js';
import { seePictures, type SeenPictures } from '../../calibration/adaptation/see-pictures.js';
import type { CalibrationInForce } from '../../check/thresholds/calibration.js';
import type { ProfileName } from '../../check/types.js';
import type { Database } from '../../storage/db/database.js';
import { formatAdaptation } from '../../engine/manifests/adaptation.js';
import type { Engine } from '../../engine/types.js';
import { CheckError, StartError } from '../../base/errors.js';
import type { LabelledPicture } from '../../calibration/evaluation/dataset.js';
import { hasOneAccount } from '../../accounts/accounts.js';
import { listKeptReports, type KeptReport } from '../../accounts/history/reported.js';
import type { ImageRetention } from '../../storage/images/image-retention.js';
import type { AdaptAnswer, AdaptTask } from './adapting-process.js';
import { leaseCorrection, type Lease } from './lease.js';
import type { CorrectionOutcome } from './corrections.js';

const LOOK_MS = 2000;
const PROGRAM = fileURLToPath(new URL(`./adapting-process${extname(import.meta.url)}`, import.meta.url));
const GONE: AdaptAnswer = { error: 'the process that learned ended' };

/** What learning works with. */
export interface LearnDeps {
  readonly database: Database;
  readonly retention: ImageRetention;
  readonly engine: Engine;
  readonly calibration: CalibrationInForce;
  /** Folder of the networks, with `reference` in it. */
  readonly modelsDir: string;
  /** The profile whose verdicts are to become better. */
  readonly profile: ProfileName;
  readonly log: Logger;
}

/**
 * Learns the corrections asked for, one after the other, until it is stopped. One under way then goes on elsewhere, or
 * later.
 */
export function startLearning(deps: LearnDeps): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const loop = (async () => {
    while (!signal.aborted) {
      const claim = await leaseCorrection(deps.database).catch(() => null);
      if (claim) await work(deps, claim, signal);
      else await setTimeout(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  })();
  return async () => {
    stopping.abort(new Error('the process was told to stop'));
    await loop;
  };
}

/** Never rejects. */
async function work(deps: LearnDeps, claim: Lease, stopping: AbortSignal): Promise<void> {
  const { log } = deps;
  const signal = AbortSignal.any([stopping, claim.signal]);
  try {
    await learn(deps, claim, signal);
    log.info({ correction: claim.id }, 'a correction was learned');
  } catch (error) {
    const { message: reason } = error as Error;
    const code = error instanceof CheckError ? error.code : null;
    if (code !== 'invalid_request') log.warn({ err: error, correction: claim.id }, 'learning broke off');
    const end =
      code === 'invalid_request'
        ? claim.end({ state: 'refused', reason })
        : error instanceof StartError
          ? claim.end({ state: 'failed', reason })
          : claim.release(signal.aborted || code === 'unavailable' || code === 'overloaded');
    // A database that is away lets the claim run out.
    await end.catch(() => undefined);
  }
}

async function learn(deps: LearnDeps, claim: Lease, signal: AbortSignal): Promise<void> {
  const { database, engine, modelsDir, profile } = deps;
  const { networks } = engine;
  const reports = await listKeptReports(database, MOST_PICTURES);
  const isShared = !(await hasOneAccount(database));
  const pictures = shareOut(reports.map(asPicture), { isShared });
  const all = await seeReported(deps, claim, signal, pictures.taken);
  // Once more, because copies and pictures that are gone or refused would leave the rest to one account.
  const seen = shareOut(all.seen, { isShared });
  const surplus = [...pictures.surplus, ...seen.surplus].map(({ path }) => path);
  const found = { ...all, seen: seen.taken, surplus };
  refuseTooFew(found);
  const { fault, table, made } = await adaptApart(
    {
      found,
      networks,
      networksDir: null,
      referenceDir: join(modelsDir, 'reference'),
      shipped: deps.calibration.shipped.bands,
      profile,
      name: claim.name,
      madeAt: new Date(),
    },
    signal,
  );
  const outcome: CorrectionOutcome = { table, warnings: warnOfAll(found) };
  await claim.end({
    state: fault === null ? 'ready' : 'refused',
    reason: fault,
    outcome: JSON.stringify(outcome),
    card: made.card,
    ...(fault === null && { adaptation: formatAdaptation(made.adaptation), bands: formatBands(made.bands) }),
  });
}

/** A report as a picture to learn from; its path is the identifier of the check. */
function asPicture({ checkId, accountId, imageId, label }: KeptReport): ReportedPicture {
  const isAi = label !== 'real';
  return { path: checkId, isAi, source: accountId, group: label, kind: '', content: '', imageId };
}

interface ReportedPicture extends LabelledPicture {
  readonly imageId: string;
}

/** Looks at the pictures by all views and as shipped, as the reference was seen, in turn with the accounts, and one at a time. */
async function seeReported(
  { retention, engine }: LearnDeps,
  claim: Lease,
  signal: AbortSignal,
  pictures: readonly ReportedPicture[],
): Promise<SeenPictures> {
  const imageIds = new Map(pictures.map(({ path, imageId }) => [path, imageId]));
  let seen = 0;
  return seePictures(pictures, {
    engine,
    limits: {
      signal,
      accountId: claim.id,
      correction: new Float64Array(engine.networks.embeddingSize),
    },
    concurrency: 1,
    onPicture: () => {
      seen += 1;
      claim.note(seen, pictures.length);
      return Promise.resolve();
    },
    read: async ({ path, source }) => {
      const opened = await retention.open(source, imageIds.get(path) ?? '');
      if (!opened) throw new CheckError('not_found', 'the picture is not kept any more');
      return buffer(opened.bytes);
    },
  });
}

/**
 * Rejects with StartError `model_invalid` if it can't be learned, as for a reference of other networks, or the signal's
 * reason.
 */
async function adaptApart(
  task: AdaptTask,
  signal: AbortSignal,
): Promise<Exclude<AdaptAnswer, { readonly error: string }>> {
  const child = fork(PROGRAM, {
    env: {},
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  });
  try {
    const ended = once(child, 'exit', { signal });
    const answered = once(child, 'message', { signal }) as Promise<[AdaptAnswer]>;
    // Checks come first.
    if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
    child.send(task);
    const [answer] = await Promise.race([answered, ended.then(() => [GONE] as const)]);
    if (!('error' in answer)) return answer;
    throw new StartError('model_invalid', answer.error);
  } finally {
    child.kill('SIGKILL');
  }
}
