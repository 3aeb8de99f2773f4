// Fetches jobs of one kind, a few at a time, and hands them to their handler.
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import type { JobAttempt, PgBoss } from 'pg-boss';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { asQueueFault } from './faults.js';
import type { Job, JobKind } from './job-kind.js';

/** Pause between two tries to tell the database how a job ended. */
const SETTLE_PAUSE_MS = 500;

/** How jobs are worked on. */
export interface WorkOptions {
  /** Jobs at a time. */
  readonly concurrency: number;
  /** Pause after a look that found no job. */
  readonly pollMs: number;
}

/**
 * Does one job; `signal` aborts when the process is told to stop, and the job may then be cut short. Where it rejects,
 * the job is tried again by the rules of its kind.
 */
export type Handler<T extends object> = (job: Job<T>, signal: AbortSignal) => Promise<void>;

/** What fetches jobs. */
export interface Work {
  /** Fetches no more jobs; resolves when the last has ended. Safe to call twice. */
  stop(): Promise<void>;
}

/**
 * Starts to fetch jobs. pg-boss has such a loop, but doesn't wait for its own report of how a job ended. If the database
 * is away at that moment, its rejection is nobody's, and ends the process.
 */
export function startWork<T extends object>(
  boss: PgBoss,
  kind: JobKind<T>,
  options: WorkOptions & { readonly onFault: (error: unknown) => void },
  handle: Handler<T>,
): Work {
  const stopping = new AbortController();
  const { signal } = stopping;

  const loop = async (): Promise<void> => {
    while (!signal.aborted) {
      const job = await fetchJob(boss, kind, options.onFault);
      if (job) await settle(job);
      else await setTimeout(options.pollMs, undefined, { signal }).catch(() => undefined);
    }
  };

  const settle = async (job: Job<T>): Promise<void> => {
    const leaseEndMs = performance.now() + kind.leaseSeconds * 1000;
    let report = (): Promise<unknown> => boss.complete(kind.name, attemptOf(job));
    try {
      await handle(job, signal);
    } catch (error) {
      options.onFault(error);
      const reason = { message: error instanceof Error ? error.message : String(error) };
      report = () => boss.fail(kind.name, attemptOf(job), reason);
    }
    // Later than its lease the job is another's, and while stopping it is not waited for.
    for (;;) {
      try {
        await report();
        return;
      } catch (error) {
        if (signal.aborted || performance.now() >= leaseEndMs) {
          options.onFault(error);
          return;
        }
      }
      await setTimeout(SETTLE_PAUSE_MS);
    }
  };

  const loops = Promise.all(Array.from({ length: options.concurrency }, loop));
  return {
    async stop() {
      stopping.abort(new Error('the process was told to stop'));
      await loops;
    },
  };
}

/** One attempt at a job, as pg-boss names it: what the next one's process does is not ended by this one's. */
export function attemptOf({ id, attempt }: Job<object>): JobAttempt {
  return { id, retryCount: attempt - 1 };
}

/** The next job, or null; none if the database is away, which pg-boss' maintenance reports every few seconds. */
async function fetchJob<T extends object>(
  boss: PgBoss,
  kind: JobKind<T>,
  onFault: (error: unknown) => void,
): Promise<Job<T> | null> {
  try {
    const [job] = await boss.fetch<T>(kind.name);
    return job ? { id: job.id, data: job.data, attempt: job.retryCount + 1 } : null;
  } catch (error) {
    const fault = asQueueFault(error);
    if (!(fault instanceof CheckError && fault.code === 'unavailable')) onFault(fault);
    return null;
  }
}
