/**
 * Turns: how accounts share the workers.
 *
 * A job of the queue is a turn: the right to check some tens of one scan's items. Not one job an item, which would be a
 * million rows to write before the first image. And not all turns of a scan at once, which would stand before those
 * of everybody else. An account has slots, numbered from 1, and a turn takes one of them. When it ends, the same slot
 * goes to the next items of the account, of the scan that had no turn for the longest. A job's priority is its slot,
 * the lowest first, and equal ones go by age. So accounts take turns, slot by slot, whatever the lengths of their
 * lists. A worker that has nothing else to do takes a higher slot of the same account.
 *
 * Scans, slots and jobs of an account change under its lock (`lockAccount`), so that no slot is lost or given twice.
 */
import type { Queries } from '../../storage/db/database.js';
import type { Job, JobKind } from '../../storage/queue/job-kind.js';
import type { ScanDeps, ItemBatch } from './deps.js';
import { LIVE_STATES, type ScanRow } from './scan.js';

/** Items of a turn. Chosen: some seconds of one core, or 0.2 s of a GPU, against milliseconds for the turn itself. */
const ITEM_BATCH_SIZE = 32;
/** Turns of one account at the same time, on all workers together. Chosen: far more than workers have use for. */
const SLOTS = 64;
/** A turn takes up no more items after this: the rest goes to another one. Chosen: more than a fetch may take. */
export const ITEM_BATCH_MS = 15_000;
/** Milliseconds for checking one image, at least. Chosen: far more than one takes on an idle core. */
const LEAST_ITEM_MS = 60_000;
/** What fetching the last image and ending the turn may take. */
const LEASE_MARGIN_MS = 15_000;
/** Any number that no other use of two-part advisory locks on the same database has. */
const LOCK_SPACE = 735_511;

interface SlotRow {
  readonly account_id: string;
  readonly slot: number;
}

/**
 * The time that a worker gives the check of one image, in the place of `deadlineMs` of a check over HTTP. A worker
 * gives way to every other process, and a busy machine must not turn good images into errors.
 */
export function itemDeadline(deadlineMs: number): number {
  return Math.max(LEAST_ITEM_MS, 2 * deadlineMs);
}

/** The kind of job that turns are, where a check over HTTP has `deadlineMs`. */
export function createItemBatchKind(deadlineMs: number): JobKind<ItemBatch> {
  return {
    name: 'scan-turns',
    leaseSeconds: Math.ceil((ITEM_BATCH_MS + itemDeadline(deadlineMs) + LEASE_MARGIN_MS) / 1000),
    // What ends a turn for good is that its items are answered: each of them gives up after three faults.
    retries: 1_000_000,
    retryPauseSeconds: 1,
    pauseGrows: false,
    keepDays: 365,
  };
}

/** Makes everybody else who deals with the account's scans wait for the end of the transaction. */
export async function lockAccount(queries: Queries, accountId: string): Promise<void> {
  await queries.raw('select pg_advisory_xact_lock(?, hashtext(?))', [LOCK_SPACE, accountId]);
}

/** Gives the account's free slots to a scan that is new. Runs under the account's lock. */
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
 * Ends a turn and gives its slot to the next one. That is the rest of its own items if `hasRest`, else whatever the
 * account has waiting; else the slot is free. Where the lease ran out and another worker ended it, nothing happens.
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
