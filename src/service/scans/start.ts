// Starts a scan of a received list: reserves quota and creates the first batches in one transaction.
import { countOf } from 'telltale-engine/internal/base/numbers.js';
import { nameOfPlan } from '../../accounts/plans.js';
import type { Database, Queries } from '../../storage/db/database.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { storeAnswer, type KeyLock } from '../../accounts/usage/idempotency-locks.js';
import { requireLeft } from '../../accounts/usage/period-counter.js';
import { reserveChecks } from '../../accounts/usage/reservations.js';
import { readPeriodUsage, type PeriodUsage } from '../../accounts/usage/usage.js';
import { createQuotaNotifier } from '../webhooks/work.js';
import {
  type ScanDeps,
  presentScan,
  type PresentedScan,
  LIVE_STATES,
  type ScanOptions,
  type ScanRow,
} from './scan.js';
import { endScan } from './end.js';
import type { Owner, Received } from './create-items.js';
import { enqueueFirstBatches, lockAccount } from './item-batches.js';

/** Display name of a scan's list, and the way its images arrive. */
export interface ScanKind {
  /** Display name, or null. */
  readonly name: string | null;
  /** True if a browser page uploads the images one by one, so that no worker fetches them. */
  readonly isUploaded: boolean;
}

/** Scan of a list of addresses without a name, as API callers send it. */
export const PLAIN_KIND: ScanKind = { name: null, isUploaded: false };

/** Parameters for starting a scan. */
interface Start {
  readonly owner: Owner;
  readonly received: Received;
  readonly options: ScanOptions;
  readonly kind: ScanKind;
  /** Lock of the request's Idempotency-Key, under which the response is stored for duplicate requests. */
  readonly lock: KeyLock | null;
}

/**
 * Throws if the account may not start a scan now: CheckError rate_limited (too many running scans),
 * quota_exceeded, unavailable. Called before the list is received. Returns the used quota.
 */
export async function requireScanAllowance(database: Database, owner: Owner): Promise<PeriodUsage> {
  const now = new Date();
  await database.run((queries) => requireFewRunningScans(queries, owner));
  const usage = await readPeriodUsage(database, owner.accountId, owner.plan.name, now);
  requireLeft(owner.plan, usage, 1, now);
  return usage;
}

/**
 * Starts the scan and returns the response as JSON. Throws CheckError rate_limited (too many running scans),
 * quota_exceeded, unavailable.
 */
export async function startScan(deps: ScanDeps, start: Start): Promise<string> {
  const { owner, received, options, kind, lock } = start;
  const now = new Date();
  return deps.database.transaction(async (queries) => {
    await lockAccount(queries, owner.accountId);
    await requireFewRunningScans(queries, owner);
    const refused = Object.values(received.errors).reduce((sum, count) => sum + count, 0);
    const reserved = received.items - refused;
    const { period } = await reserveChecks(queries, owner, reserved, now, createQuotaNotifier(deps.queue));
    const [scan] = await queries<ScanRow>('scans')
      .where({ id: received.id })
      .update({
        ...columnsOf(kind, received, now),
        period,
        profile: options.profile,
        include: options.include.join(','),
        items: received.items,
        reserved,
        answered: refused,
        errors: JSON.stringify(received.errors),
        created_at: now.getTime(),
      })
      .returning('*');
    // The list was deleted because it took hours, or because the same request was refused meanwhile.
    if (!scan) throw new CheckError('deadline_exceeded', 'the list took too long to arrive');
    if (!kind.isUploaded) await enqueueFirstBatches(queries, deps, scan);
    const started =
      refused === received.items ? await endScan(queries, deps, scan, { state: 'finished' }) : scan;
    const body = JSON.stringify(presentScan(started, now) satisfies PresentedScan);
    if (lock) await storeAnswer(queries, lock, body, now);
    return body;
  });
}

/** Returns the row's new columns. All batches of an uploaded scan count as created, so workers ignore it. */
function columnsOf({ name, isUploaded }: ScanKind, { items }: Received, now: Date): Partial<ScanRow> {
  if (!isUploaded) return { name, state: 'queued' };
  return {
    name,
    state: 'running',
    is_uploaded: 1,
    started_at: now.getTime(),
    dealt_at: now.getTime(),
    next_position: items + 1,
  };
}

async function requireFewRunningScans(queries: Queries, { accountId, plan }: Owner): Promise<void> {
  const live = await queries<ScanRow>('scans')
    .where({ account_id: accountId })
    .whereIn('state', LIVE_STATES)
    .pluck('id');
  if (live.length < plan.scansAtOnce) return;
  throw new CheckError(
    'rate_limited',
    `${nameOfPlan(plan)} allows ${countOf(plan.scansAtOnce, 'scan')} at once, and ${live.length} ${live.length === 1 ? 'has' : 'have'} not ended; ` +
      'wait for one, or cancel it',
  );
}
