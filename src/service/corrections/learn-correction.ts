// Learns a correction from the verdicts that members reported as wrong.
import { join } from 'node:path';
import { hasOneAccount } from '../../accounts/accounts.js';
import { listKeptReports, type KeptReport } from '../../accounts/history/reported.js';
import { refuseTooFew } from '../../calibration/adaptation/adapt.js';
import { MOST_PICTURES, shareOut } from '../../calibration/adaptation/share-out.js';
import { learnApart } from './learn-apart.js';
import type { LearnDeps } from './learn-deps.js';
import type { Learned } from './learning-process.js';
import type { Lease } from './lease.js';
import { seeKept, type KeptPicture } from './see-kept.js';

/** Rejects with CheckError `invalid_request` if pictures are too few, with StartError if it can't be learned. */
export async function learnCorrection(deps: LearnDeps, lease: Lease, signal: AbortSignal): Promise<Learned> {
  const { database, engine, modelsDir, profile } = deps;
  const { networks } = engine;
  const reports = await listKeptReports(database, MOST_PICTURES);
  const isShared = !(await hasOneAccount(database));
  const pictures = shareOut(reports.map(asPicture), { isShared });
  // By all views and as shipped, as the reference was seen.
  const correction = new Float64Array(networks.embeddingSize);
  const all = await seeKept(deps, lease, pictures.taken, { signal, correction });
  // Once more, because copies and pictures that are gone or refused would leave the rest to one account.
  const seen = shareOut(all.seen, { isShared });
  const surplus = [...pictures.surplus, ...seen.surplus].map(({ path }) => path);
  const found = { ...all, seen: seen.taken, surplus };
  refuseTooFew(found);
  const task = {
    kind: 'correction',
    found,
    networks,
    networksDir: null,
    referenceDir: join(modelsDir, 'reference'),
    shipped: deps.calibration.shipped.bands,
    profile,
    name: lease.name,
    madeAt: new Date(),
  } as const;
  return learnApart(task, signal);
}

/** A report as a picture to learn from. */
function asPicture({ checkId, accountId, imageId, label }: KeptReport): KeptPicture {
  const isAi = label !== 'real';
  return { path: checkId, isAi, source: accountId, group: label, kind: '', content: '', imageId };
}
