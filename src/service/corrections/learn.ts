// Learns what operators ask for, corrections and thresholds, from what members said of kept pictures, beside the checks.
import { setTimeout } from 'node:timers/promises';
import { CheckError, StartError } from '../../base/errors.js';
import { learnCorrection } from './learn-correction.js';
import { learnThresholds } from './learn-thresholds.js';
import type { LearnDeps } from './learn-deps.js';
import { leaseCorrection, type Lease } from './lease.js';

const LOOK_MS = 2000;

/**
 * Learns what is asked for, one after the other, until it is stopped. One under way then goes on elsewhere, or
 * later.
 */
export function startLearning(deps: LearnDeps): () => Promise<void> {
  const stopping = new AbortController();
  const { signal } = stopping;
  const loop = (async () => {
    while (!signal.aborted) {
      const lease = await leaseCorrection(deps.database).catch(() => null);
      if (lease) await work(deps, lease, signal);
      else await setTimeout(LOOK_MS, undefined, { signal }).catch(() => undefined);
    }
  })();
  return async () => {
    stopping.abort(new Error('the process was told to stop'));
    await loop;
  };
}

/** Never rejects. */
async function work(deps: LearnDeps, lease: Lease, stopping: AbortSignal): Promise<void> {
  const { log } = deps;
  const signal = AbortSignal.any([stopping, lease.signal]);
  try {
    await learn(deps, lease, signal);
    log.info({ correction: lease.id }, 'a correction was learned');
  } catch (error) {
    const { message: reason } = error as Error;
    const code = error instanceof CheckError ? error.code : null;
    if (code !== 'invalid_request') log.warn({ err: error, correction: lease.id }, 'learning broke off');
    const end =
      code === 'invalid_request'
        ? lease.end({ state: 'refused', reason })
        : error instanceof StartError
          ? lease.end({ state: 'failed', reason })
          : lease.release(signal.aborted || code === 'unavailable' || code === 'overloaded');
    // A database that is away lets the lease run out.
    await end.catch(() => undefined);
  }
}

async function learn(deps: LearnDeps, lease: Lease, signal: AbortSignal): Promise<void> {
  const { wanted } = lease;
  const { fault, outcome, card, adaptation, bands } =
    wanted === null
      ? await learnCorrection(deps, lease, signal)
      : await learnThresholds(deps, { ...lease, wanted }, signal);
  await lease.end({
    state: fault === null ? 'ready' : 'refused',
    reason: fault,
    outcome: JSON.stringify(outcome),
    card,
    ...(fault === null && { adaptation, bands }),
  });
}
