// Fits decision thresholds in the background when an operator has requested them.
import { setTimeout } from 'node:timers/promises';
import { CheckError, StartError } from 'telltale-engine/internal/base/errors.js';
import { fitThresholds, type FitDeps } from './fit.js';
import { leaseThresholds, type Lease } from './lease.js';

const POLL_MS = 2000;

/**
 * Starts fitting requested thresholds, one set at a time. Returns a function that stops it. Another process,
 * or a later start, repeats an interrupted fit.
 */
export function startFitting(deps: FitDeps): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const loop = (async () => {
    while (!signal.aborted) {
      const lease = await leaseThresholds(deps.database).catch(() => null);
      if (lease) await work(deps, lease, signal);
      else await setTimeout(POLL_MS, undefined, { signal }).catch(() => undefined);
    }
  })();
  return async () => {
    stopping.abort(new Error('the process was told to stop'));
    await loop;
  };
}

/** Fits one set of thresholds and stores the result. Never rejects. */
async function work(deps: FitDeps, lease: Lease, stopping: AbortSignal): Promise<void> {
  const { log } = deps;
  const signal = AbortSignal.any([stopping, lease.signal]);
  try {
    const { fault, outcome, card, bands } = await fitThresholds(deps, lease, signal);
    await lease.end({
      state: fault === null ? 'ready' : 'refused',
      reason: fault,
      outcome: JSON.stringify(outcome),
      card,
      ...(fault === null && { bands }),
    });
    log.info({ thresholds: lease.id }, 'thresholds were fitted');
  } catch (error) {
    const { message: reason } = error as Error;
    const code = error instanceof CheckError ? error.code : null;
    if (code !== 'invalid_request') log.warn({ err: error, thresholds: lease.id }, 'fitting broke off');
    const end =
      code === 'invalid_request'
        ? lease.end({ state: 'refused', reason })
        : error instanceof StartError
          ? lease.end({ state: 'failed', reason })
          : lease.release({
              isServiceFault: signal.aborted || code === 'unavailable' || code === 'overloaded',
            });
    // If the database is unavailable, the lease expires and the fit starts again later.
    await end.catch(() => undefined);
  }
}
