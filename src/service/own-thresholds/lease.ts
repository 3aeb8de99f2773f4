// Leases on requested thresholds, so that only one process fits them and another can replace a dead process.
import { randomUUID } from 'node:crypto';
import type { Database, Queries } from '../../storage/db/database.js';
import { FIT_RUNNING, type OwnThresholdsRow, type ThresholdsRequest } from './own-thresholds.js';

/** Milliseconds until a lease expires. If a process is killed, its fit is delayed by this time. */
const LEASE_MS = 30_000;
const RENEW_MS = 5000;
/** Number of unfinished attempts after which the fit fails, because its images may crash the process. */
const MAX_TRIES = 3;

/** Lease on thresholds that this process fits. */
export interface Lease {
  readonly id: string;
  readonly name: string;
  readonly request: ThresholdsRequest;
  /** Aborts when another process has taken the lease. */
  readonly signal: AbortSignal;
  /** Records the progress. The next renewal of the lease stores it. */
  reportProgress(seen: number, pictures: number): void;
  /** Stores the end of the fit, unless another process has taken the lease. */
  end(members: Partial<OwnThresholdsRow> & Pick<OwnThresholdsRow, 'state'>): Promise<void>;
  /**
   * Stops this attempt, so that another process can try later. With `isServiceFault`, the attempt
   * does not count.
   */
  release(options: { readonly isServiceFault: boolean }): Promise<void>;
}

/** Takes a lease on requested thresholds that no process is fitting. Returns null if none are waiting. */
export async function leaseThresholds(database: Database): Promise<Lease | null> {
  const now = Date.now();
  const free = (queries: Queries) =>
    queries<OwnThresholdsRow>('corrections')
      .where({ at_work: FIT_RUNNING })
      .where((condition) => void condition.whereNull('claimed_until').orWhere('claimed_until', '<', now));
  // Reads without a lock first, so that writers are not blocked.
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
  const updateIfLeased = (members: Partial<OwnThresholdsRow>): Promise<number> =>
    database.run((queries) =>
      queries<OwnThresholdsRow>('corrections').where({ id: row.id, claim }).update(members),
    );
  const renew = async (): Promise<void> => {
    const renewed = await updateIfLeased({ ...progress, claimed_until: Date.now() + LEASE_MS });
    if (renewed === 0) lost.abort(new Error('another process has taken the thresholds'));
  };
  // Ignores errors: a short outage ends before the lease expires, and after a long one another process fits.
  const timer = setInterval(() => void renew().catch(() => undefined), RENEW_MS);
  timer.unref();
  const settle = async (members: Partial<OwnThresholdsRow>): Promise<void> => {
    clearInterval(timer);
    await updateIfLeased(members);
  };
  const lease: Lease = {
    id: row.id,
    name: row.name,
    request: JSON.parse(row.wanted) as ThresholdsRequest,
    signal: lost.signal,
    reportProgress(seen, pictures) {
      Object.assign(progress, { seen, pictures });
    },
    end: (members) => settle({ ...progress, ...members, at_work: null, claim: null, claimed_until: null }),
    release: ({ isServiceFault }) =>
      settle({
        claim: null,
        claimed_until: Date.now() + LEASE_MS,
        tries: row.tries - Number(isServiceFault),
      }),
  };
  if (row.tries <= MAX_TRIES) return lease;
  await lease.end({ state: 'failed', reason: 'the fit was started three times and never finished' });
  return null;
}
