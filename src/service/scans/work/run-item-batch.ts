// Runs a batch of scan items, from its job in the queue to the job of the next batch.
import pMap from 'p-map';
import type { Job } from '../../../storage/queue/job-kind.js';
import { readOptions } from '../scan.js';
import type { ItemBatch } from '../deps.js';
import { endItemBatch, ITEM_BATCH_MS } from '../item-batches.js';
import { checkItem, type WorkDeps } from './check-item.js';
import { openScan, readOpenItems } from './open-scan.js';
import { retryWhileUnavailable } from './answer-writer.js';

/** Number of fetches in addition to running checks. Enough to hide response times of half a second. */
const EXTRA_FETCHES = 12;

/** Checks items for ITEM_BATCH_MS and leaves the rest to another batch. Rejects without a database. */
export async function runItemBatch(
  deps: WorkDeps,
  job: Job<ItemBatch>,
  stopping: AbortSignal,
): Promise<void> {
  // Not AbortSignal.timeout: Node 20 drops that signal if only AbortSignal.any references it.
  const timeLimit = new AbortController();
  const timer = setTimeout(() => timeLimit.abort(new Error('the turn is over')), ITEM_BATCH_MS);
  const ending = AbortSignal.any([stopping, timeLimit.signal]);
  const hasRest = await checkItems(deps, job.data, ending).finally(() => clearTimeout(timer));
  await retryWhileUnavailable(deps.lost, () => endItemBatch(deps, job, hasRest));
}

/** Checks the items until `ending` aborts. Returns whether items remain for another batch. */
async function checkItems(deps: WorkDeps, batch: ItemBatch, ending: AbortSignal): Promise<boolean> {
  const openBatchScan = (): ReturnType<typeof openScan> =>
    retryWhileUnavailable(deps.lost, () => openScan(deps, batch));
  const scan = await openBatchScan();
  if (!scan) return false;
  const options = {
    ...readOptions(scan),
    hashingAccountId: scan.hashes_since === null ? null : scan.account_id,
  };
  const items = await retryWhileUnavailable(deps.lost, () => readOpenItems(deps.database, batch));
  const state = { hasRest: false, isOver: false };
  const concurrency = deps.engine.stats().threads.decode + 1 + EXTRA_FETCHES;
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
        if (!isAnswered && (await openBatchScan()) === null) state.isOver = true;
      } catch (error) {
        // The batch ended before the item's check began. Other errors are unexpected.
        if (error !== ending.reason) throw error;
        state.hasRest = true;
      }
    },
    { concurrency },
  );
  return state.hasRest && !state.isOver;
}
