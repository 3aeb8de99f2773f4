// A turn, from the job that was taken to the one that follows it.
import pMap from 'p-map';
import type { Job } from '../../../storage/queue/job-kind.js';
import { readOptions } from '../scan.js';
import type { ItemBatch } from '../deps.js';
import { endItemBatch, ITEM_BATCH_MS } from '../item-batches.js';
import { checkItem, type WorkDeps } from './check-item.js';
import { openScan, readOpenItems } from './open-scan.js';
import { retryWhileUnavailable } from './retry-while-unavailable.js';

/** Addresses that are waited for beside the images that are computed. Chosen: hides answers of half a second. */
const MORE_FETCHES = 12;

/** Checks the items of a turn, for ITEM_BATCH_MS, and gives the rest back. Rejects if the database stays away. */
export async function runItemBatch(
  deps: WorkDeps,
  job: Job<ItemBatch>,
  stopping: AbortSignal,
): Promise<void> {
  // A timer of its own: Node 20 forgets a signal of AbortSignal.timeout that AbortSignal.any alone knows of.
  const over = new AbortController();
  const timer = setTimeout(() => over.abort(new Error('the turn is over')), ITEM_BATCH_MS);
  const ending = AbortSignal.any([stopping, over.signal]);
  const hasRest = await checkItems(deps, job.data, ending).finally(() => clearTimeout(timer));
  await retryWhileUnavailable(deps.lost, () => endItemBatch(deps, job, hasRest));
}

/** Whether items are left that another turn is to take. */
async function checkItems(deps: WorkDeps, turn: ItemBatch, ending: AbortSignal): Promise<boolean> {
  const open = (): ReturnType<typeof openScan> =>
    retryWhileUnavailable(deps.lost, () => openScan(deps, turn));
  const scan = await open();
  if (!scan) return false;
  const options = {
    ...readOptions(scan),
    hashingAccountId: scan.hashes_since === null ? null : scan.account_id,
  };
  const items = await retryWhileUnavailable(deps.lost, () => readOpenItems(deps.database, turn));
  const state = { hasRest: false, isOver: false };
  const concurrency = deps.engine.stats().threads.decode + 1 + MORE_FETCHES;
  await pMap(
    items,
    async (item) => {
      if (state.isOver) return;
      if (ending.aborted) {
        state.hasRest = true;
        return;
      }
      try {
        const isAnswered = await checkItem(deps, options, item, ending);
        if (!isAnswered && (await open()) === null) state.isOver = true;
      } catch (error) {
        // Its time was over before it was begun: nothing else is expected here.
        if (error !== ending.reason) throw error;
        state.hasRest = true;
      }
    },
    { concurrency },
  );
  return state.hasRest && !state.isOver;
}
