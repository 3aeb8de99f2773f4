/**
 * Item batches: how scans of different accounts share the workers. A job of the queue is a batch: a worker
 * checks some tens of items of one scan. One job per item would need a million rows before the first image.
 * Creating all batches of a scan at the start would make other accounts wait for all of them. Therefore an
 * account has numbered slots, and each batch uses one. When a batch ends, the next batch in its slot is from
 * the account's scan that has waited longest. Jobs with the lowest slot run first, then the oldest, so that
 * accounts alternate, however long their lists are. An idle worker takes a higher slot of the same account.
 * Scans, slots and jobs of an account change only under its lock (`lockAccount`), so that no slot is lost or
 * used twice.
 */
import type { Queries } from '../../storage/db/database.js';
import type { Job, JobKind } from '../../storage/queue/job-kind.js';
import { LIVE_STATES, type ItemBatch, type ScanDeps, type ScanRow } from './scan.js';

/** Number of items per batch: enough that their checks take much longer than the queueing (milliseconds). */
const ITEM_BATCH_SIZE = 32;
/** Maximum number of an account's concurrent batches. Far more than all workers can use. */
const SLOTS = 64;
/**
 * Milliseconds after which a batch starts no more items, which are left to another batch. Longer than a fetch
 * may take.
 */
export const ITEM_BATCH_MS = 15_000;
/** Minimum time limit for checking one image. Far more than an idle core needs. */
const MIN_ITEM_MS = 60_000;
/** Milliseconds for fetching the last image of a batch and ending the batch. */
const LEASE_MARGIN_MS = 15_000;
/** First of two numbers that identify an advisory lock. Only locks for scans use this number. */
const LOCK_SPACE = 735_511;

interface SlotRow {
  readonly account_id: string;
  readonly slot: number;
}

/**
 * Returns the time limit in milliseconds for checking an item; `deadlineMs` is the limit over HTTP. Workers
 * get more time, because they have low priority and a busy machine must not turn good images into errors.
 */
export function itemDeadline(deadlineMs: number): number {
  return Math.max(MIN_ITEM_MS, 2 * deadlineMs);
}

/** Creates the queue's settings for batches. `deadlineMs` is the time limit of a check over HTTP. */
export function createItemBatchKind(deadlineMs: number): JobKind<ItemBatch> {
  return {
    name: 'scan-turns',
    leaseSeconds: Math.ceil((ITEM_BATCH_MS + itemDeadline(deadlineMs) + LEASE_MARGIN_MS) / 1000),
    // Practically unlimited, because each item is given up after three errors.
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

/** Creates the first batches of a new scan in the account's free slots. Requires the account's lock. */
export async function enqueueFirstBatches(queries: Queries, deps: ScanDeps, scan: ScanRow): Promise<void> {
  const accountId = scan.account_id;
  const takenSlots = await queries<SlotRow>('scan_slots').where({ account_id: accountId }).pluck('slot');
  const free = Array.from({ length: SLOTS }, (_, index) => index + 1).filter(
    (slot) => !takenSlots.includes(slot),
  );
  const slots = free.slice(0, Math.ceil(scan.items / ITEM_BATCH_SIZE));
  if (slots.length === 0) return;
  await queries('scan_slots').insert(slots.map((slot) => ({ account_id: accountId, slot })));
  const batches = slots.map((slot, index) => batchFrom(scan, slot, 1 + index * ITEM_BATCH_SIZE));
  await advanceScan(queries, scan.id, 1 + slots.length * ITEM_BATCH_SIZE);
  await enqueueBatches(queries, deps, batches);
}

/**
 * Ends a batch and gives its slot to the rest of its items if `hasRest`, else to the account's next waiting
 * items, if any. Does nothing if the lease expired and another worker has ended the batch.
 */
export async function endItemBatch(deps: ScanDeps, job: Job<ItemBatch>, hasRest: boolean): Promise<void> {
  const batch = job.data;
  await deps.database.transaction(async (queries) => {
    await lockAccount(queries, batch.accountId);
    if (!(await deps.queue.complete(deps.itemBatchKind, job, queries))) return;
    const next = hasRest ? batch : await nextBatch(queries, batch);
    if (next) await enqueueBatches(queries, deps, [next]);
    else await queries('scan_slots').where({ account_id: batch.accountId, slot: batch.slot }).delete();
  });
}

async function nextBatch(queries: Queries, { accountId, slot }: ItemBatch): Promise<ItemBatch | null> {
  const scan = await queries<ScanRow>('scans')
    .where({ account_id: accountId })
    .whereIn('state', LIVE_STATES)
    .whereRaw('next_position <= items')
    .orderBy(['dealt_at', 'id'])
    .first();
  if (!scan) return null;
  await advanceScan(queries, scan.id, scan.next_position + ITEM_BATCH_SIZE);
  return batchFrom(scan, slot, scan.next_position);
}

async function advanceScan(queries: Queries, scanId: string, nextPosition: number): Promise<void> {
  await queries('scans').where({ id: scanId }).update({ next_position: nextPosition, dealt_at: Date.now() });
}

function batchFrom(scan: ScanRow, slot: number, from: number): ItemBatch {
  const to = Math.min(from + ITEM_BATCH_SIZE - 1, scan.items);
  return { accountId: scan.account_id, slot, scanId: scan.id, from, to };
}

function enqueueBatches(
  queries: Queries,
  { queue, itemBatchKind: kind }: ScanDeps,
  batches: readonly ItemBatch[],
): Promise<void> {
  return queue.send(
    kind,
    batches.map((batch) => ({ data: batch, priority: -batch.slot })),
    queries,
  );
}
