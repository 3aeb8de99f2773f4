// Fits thresholds to kept pictures that members cleared: for what is in force, with its correction if it has one.
import { hasOneAccount } from '../../accounts/accounts.js';
import { listJudged, type JudgedCheck } from '../../accounts/history/judged.js';
import { StartError } from '../../base/errors.js';
import { refuseFewGenuine } from '../../calibration/adaptation/own-thresholds.js';
import { shareByThreshold } from '../../calibration/adaptation/share-by-threshold.js';
import { MOST_PICTURES, shareOut } from '../../calibration/adaptation/share-out.js';
import type { Teller } from '../../calibration/adaptation/thresholds-card.js';
import { warnOf } from '../../calibration/adaptation/warn-of.js';
import type { Calibration } from '../../check/thresholds/calibration.js';
import { readFiles, readInForce, type WantedThresholds } from './corrections.js';
import { learnApart } from './learn-apart.js';
import type { LearnDeps } from './learn-deps.js';
import type { Learned } from './learning-process.js';
import type { Lease } from './lease.js';
import { loadCorrection } from './load.js';
import { seeKept, type KeptPicture } from './see-kept.js';

/** Rejects with CheckError `invalid_request` if genuine pictures are too few. */
export async function learnThresholds(
  deps: LearnDeps,
  lease: Lease & { readonly wanted: WantedThresholds },
  signal: AbortSignal,
): Promise<Learned> {
  const { database, profile } = deps;
  const { wanted, name } = lease;
  const checks = await listJudged(database, filterOf(wanted), MOST_PICTURES);
  const isShared = !(await hasOneAccount(database));
  const pictures = shareLabels(checks.map(asPicture), isShared);
  const ahead = pictures.surplus.map(({ path }) => path);
  const nothing = { refused: [], copies: [], contradictions: [] };
  // Before any of them is looked at, which may take an hour.
  refuseFewGenuine({ ...nothing, seen: pictures.taken, surplus: ahead });
  const { adaptation, bands, correction } = await readBase(deps);
  const all = await seeKept(deps, lease, pictures.taken, { signal, correction: correction ?? undefined });
  // Once more, because each threshold has pictures of its own, and copies are out now.
  const seen = shareByThreshold(all.seen, isShared);
  const found = { ...all, seen: seen.taken, surplus: [...ahead, ...seen.surplus.map(({ path }) => path)] };
  refuseFewGenuine(found);
  const task = {
    kind: 'thresholds',
    // The arithmetic needs no embeddings, which would be tens of megabytes to hand over.
    pictures: found.seen.map((picture) => ({ ...picture, embedding: new Float64Array() })),
    before: bands,
    aims: wanted.aims,
    name,
    madeAt: new Date(),
    adaptation,
    tellers: tellersOf(checks, new Set(found.seen.map(({ path }) => path))),
    profile,
    selection: describeSelection(wanted),
    warnings: warnOf(found),
  } as const;
  return learnApart(task, signal);
}

/** As what is in force answers: thresholds are for the scores that they are fitted to. */
async function readBase({
  database,
  engine,
  calibration,
}: LearnDeps): Promise<Calibration & { readonly adaptation: string | null }> {
  const shipped = { ...calibration.shipped, adaptation: null };
  const id = await readInForce(database);
  if (id === null) return shipped;
  try {
    const inForce = await loadCorrection(database, engine.networks, id);
    return { ...inForce, adaptation: (await readFiles(database, id))?.adaptation ?? null };
  } catch (error) {
    // Of other networks, so that every process answers as shipped.
    if (error instanceof StartError) return shipped;
    throw error;
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

/** No account has more than half of the genuine ones, nor of the AI ones. */
function shareLabels(pictures: readonly KeptPicture[], isShared: boolean) {
  const genuine = shareOut(
    pictures.filter(({ isAi }) => !isAi),
    { isShared },
  );
  const ai = shareOut(
    pictures.filter(({ isAi }) => isAi),
    { isShared, most: MOST_PICTURES - genuine.taken.length },
  );
  return { taken: [...genuine.taken, ...ai.taken], surplus: [...genuine.surplus, ...ai.surplus] };
}

function asPicture({ checkId, accountId, imageId, isAi }: JudgedCheck): KeptPicture {
  const group = isAi ? 'generated' : 'real';
  return { path: checkId, isAi, source: accountId, group, kind: '', content: '', imageId };
}

/** Of the genuine pictures that count. */
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
  return `Fitted to kept pictures of checks${days} that members cleared${alsoReported ? ' or reported as genuine' : ''}.`;
}
