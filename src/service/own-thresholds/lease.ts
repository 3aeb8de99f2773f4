// Which process fits the thresholds that wait: a lease that runs out unless it is renewed, so that a killed one loses nothing.
import { randomUUID } from 'node:crypto';
import type { Database, Queries } from '../../storage/db/database.js';
import { AT_WORK, type OwnThresholdsRow, type WantedThresholds } from './own-thresholds.js';

/** Chosen: a process that is killed holds a fit up for so long. */
const LEASE_MS = 30_000;
const RENEW_MS = 5000;
/** Begun so often and never ended: then it is the images. */
const MOST_TRIES = 3;

/** Thresholds that this process fits. */
export interface Lease {
  readonly id: string;
  readonly name: string;
  readonly wanted: WantedThresholds;
  /** Aborts if another process has it now. */
  readonly signal: AbortSignal;
  /** Tells how far it is; kept with the next renewal. */
  note(seen: number, pictures: number): void;
  /** Writes its end down, unless another process has it now. */
  end(members: Partial<OwnThresholdsRow> & Pick<OwnThresholdsRow, 'state'>): Promise<void>;
  /** Leaves it to the next process that comes, after a while; `isOurs`: the try counts for nothing. */
  release(isOurs: boolean): Promise<void>;
}

/** Claims those that wait or whose process is gone; null if there are none. */
export async function leaseThresholds(database: Database): Promise<Lease | null> {
  const now = Date.now();
  const free = (queries: Queries) =>
    queries<OwnThresholdsRow>('corrections')
      .where({ at_work: AT_WORK })
      .where((due) => void due.whereNull('claimed_until').orWhere('claimed_until', '<', now));
  // A look takes no lock that others write under.
  const [waiting] = await database.run((queries) => free(queries).orderBy('id').limit(1).select('id'));
  if (!waiting) return null;
  const claim = randomUUID();
  const [row] = await database.run((queries) =>
    free(queries)
      .where({ id: waiting.id })
      .update({ claim, claimed_until: now + LEASE_MS, state: 'learning' })
      .increment('tries', 1)
      .returning(['id', 'name', 'tries', 'wanted']),
  );
  if (!row) return null;
  const lost = new AbortController();
  const progress: Partial<OwnThresholdsRow> = {};
  const mine = (members: Partial<OwnThresholdsRow>): Promise<number> =>
    database.run((queries) =>
      queries<OwnThresholdsRow>('corrections').where({ id: row.id, claim }).update(members),
    );
  const renew = async (): Promise<void> => {
    const renewed = await mine({ ...progress, claimed_until: Date.now() + LEASE_MS });
    if (renewed === 0) lost.abort(new Error('another process has taken the thresholds'));
  };
  // A database that is away for a while is back in time, or the lease runs out and another process begins anew.
  const timer = setInterval(() => void renew().catch(() => undefined), RENEW_MS);
  timer.unref();
  const settle = async (members: Partial<OwnThresholdsRow>): Promise<void> => {
    clearInterval(timer);
    await mine(members);
  };
  const held: Lease = {
    id: row.id,
    name: row.name,
    wanted: JSON.parse(row.wanted) as WantedThresholds,
    signal: lost.signal,
    note(seen, pictures) {
      Object.assign(progress, { seen, pictures });
    },
    end: (members) => settle({ ...progress, ...members, at_work: null, claim: null, claimed_until: null }),
    release: (isOurs) =>
      settle({ claim: null, claimed_until: Date.now() + LEASE_MS, tries: row.tries - Number(isOurs) }),
  };
  if (row.tries <= MOST_TRIES) return held;
  await held.end({ state: 'failed', reason: 'it was begun three times and never ended' });
  return null;
}
