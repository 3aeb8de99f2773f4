/**
 * Item batches: sharing the workers between accounts.
 * A job of the queue is a batch: the right to check some tens of items of one scan. One job per item would mean a
 * million rows before the first image, and all batches of a scan at once would stand before everybody else's. An
 * account has numbered slots, and each batch uses one. When a batch ends, its slot goes to the account's next items,
 * of the scan that waited longest. A job's priority is its slot, lowest first, then its age, so accounts alternate
 * slot by slot, whatever the lengths of their lists. An idle worker takes a higher slot of the same account.
 * Scans, slots and jobs of an account change under its lock (`lockAccount`), so that no slot is lost or used twice.
 */
import type { Queries } from '../../storage/db/database.js';
import type { Job, JobKind } from '../../storage/queue/job-kind.js';
import type { ScanDeps, ItemBatch } from './deps.js';
import { LIVE_STATES, type ScanRow } from './scan.js';

/**
 * Number of items per batch. Chosen: seconds on one core or 0.2 s on a GPU, against milliseconds for the batch itself.
 */
const ITEM_BATCH_SIZE = 32;
/** Maximum number of concurrent batches of an account on all workers. Chosen: far more than workers can use. */
const SLOTS = 64;
/**
 * Milliseconds after which a batch starts no more items; the rest goes to another batch. Chosen: more than a fetch may
 * take.
 */
export const ITEM_BATCH_MS = 15_000;
/** Minimum milliseconds for checking one image. Chosen: far more than an idle core needs. */
const LEAST_ITEM_MS = 60_000;
/** Milliseconds for fetching the last image and ending the batch. */
const LEASE_MARGIN_MS = 15_000;
/** Key space of advisory locks, unused by other locks of the same database. */
const LOCK_SPACE = 735_511;

interface SlotRow {
  readonly account_id: string;
  readonly slot: number;
}

/**
 * Returns the time limit in milliseconds for checking an item, where `deadlineMs` is the limit over HTTP. Workers have
 * low priority, and a busy machine must not turn good images into errors.
 */
export function itemDeadline(deadlineMs: number): number {
  return Math.max(LEAST_ITEM_MS, 2 * deadlineMs);
}

/** Creates the kind of job for batches. `deadlineMs` is the time limit of a check over HTTP. */
export function createItemBatchKind(deadlineMs: number): JobKind<ItemBatch> {
  return {
    name: 'scan-turns',
    leaseSeconds: Math.ceil((ITEM_BATCH_MS + itemDeadline(deadlineMs) + LEASE_MARGIN_MS) / 1000),
    // Practically unlimited, because each item gives up by itself after three errors.
    retries: 1_000_000,
    retryPauseSeconds: 1,
    pauseGrows: false,
    keepDays: 365,
  };
}

/** Locks the account's scans, slots and jobs until the end of the transaction. */
export async function lockAccount(queries: Queries, accountId: string): Promise<void> {
  await queries.raw('select pg_advisory_xact_lock(?, hashtext(?))', [LOCK_SPACE, accountId]);
}

/** Gives the account's free slots to a new scan. Requires the account's lock. */
export async function enqueueFirstBatches(queries: Queries, deps: ScanDeps, scan: ScanRow): Promise<void> {
  const accountId = scan.account_id;
  const taken = await queries<SlotRow>('scan_slots').where({ account_id: accountId }).pluck('slot');
  const free = Array.from({ length: SLOTS }, (_, index) => index + 1).filter((slot) => !taken.includes(slot));
  const slots = free.slice(0, Math.ceil(scan.items / ITEM_BATCH_SIZE));
  if (slots.length === 0) return;
  await queries('scan_slots').insert(slots.map((slot) => ({ account_id: accountId, slot })));
  const turns = slots.map((slot, index) => turnOf(scan, slot, 1 + index * ITEM_BATCH_SIZE));
  await noteDealt(queries, scan.id, 1 + slots.length * ITEM_BATCH_SIZE);
  await sendTurns(queries, deps, turns);
}

/**
 * Ends a batch and gives its slot to the next one: the rest of its own items if `hasRest`, else the account's next
 * waiting items, else nobody. Does nothing if the lease expired and another worker ended the batch.
 */
export async function endItemBatch(deps: ScanDeps, job: Job<ItemBatch>, hasRest: boolean): Promise<void> {
  const turn = job.data;
  await deps.database.transaction(async (queries) => {
    await lockAccount(queries, turn.accountId);
    if (!(await deps.queue.complete(deps.turns, job, queries))) return;
    const next = hasRest ? turn : await nextTurn(queries, turn);
    if (next) await sendTurns(queries, deps, [next]);
    else await queries('scan_slots').where({ account_id: turn.accountId, slot: turn.slot }).delete();
  });
}

async function nextTurn(queries: Queries, { accountId, slot }: ItemBatch): Promise<ItemBatch | null> {
  const scan = await queries<ScanRow>('scans')
    .where({ account_id: accountId })
    .whereIn('state', LIVE_STATES)
    .whereRaw('next_position <= items')
    .orderBy(['dealt_at', 'id'])
    .first();
  if (!scan) return null;
  await noteDealt(queries, scan.id, scan.next_position + ITEM_BATCH_SIZE);
  return turnOf(scan, slot, scan.next_position);
}

async function noteDealt(queries: Queries, scanId: string, nextPosition: number): Promise<void> {
  await queries('scans').where({ id: scanId }).update({ next_position: nextPosition, dealt_at: Date.now() });
}

function turnOf(scan: ScanRow, slot: number, from: number): ItemBatch {
  const to = Math.min(from + ITEM_BATCH_SIZE - 1, scan.items);
  return { accountId: scan.account_id, slot, scanId: scan.id, from, to };
}

function sendTurns(
  queries: Queries,
  { queue, turns: kind }: ScanDeps,
  turns: readonly ItemBatch[],
): Promise<void> {
  return queue.send(
    kind,
    turns.map((turn) => ({ data: turn, priority: -turn.slot })),
    queries,
  );
}
