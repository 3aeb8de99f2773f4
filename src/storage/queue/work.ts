// Receives jobs of one kind and passes them to their handler, a few concurrently.
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import type { JobAttempt, PgBoss } from 'pg-boss';
import { startPolling } from 'telltale-engine/internal/base/concurrency.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { asQueueFault } from './faults.js';
import type { Job, JobKind } from './job-kind.js';

/** Pause between two attempts to report the end of a job. */
const SETTLE_PAUSE_MS = 500;

export interface WorkOptions {
  /** Number of jobs that run concurrently. */
  readonly concurrency: number;
  /** Pause after no job was found. */
  readonly pollMs: number;
}

/**
 * Runs one job. `signal` aborts when the process must stop; the job may then end early. If the promise rejects, the
 * job is tried again by the rules of its kind.
 */
export type Handler<T extends object> = (job: Job<T>, signal: AbortSignal) => Promise<void>;

/** A running loop that receives jobs. */
export interface Work {
  /** Receives no more jobs. Resolves when the running ones have ended. Can be called twice. */
  stop(): Promise<void>;
}

/**
 * Starts to receive jobs. pg-boss has a similar loop, but does not wait while it reports the end of a job. If the
 * database can't be reached then, an unhandled rejection ends the process.
 */
export function startWork<T extends object>(
  boss: PgBoss,
  kind: JobKind<T>,
  options: WorkOptions & { readonly onFault: (error: unknown) => void },
  handle: Handler<T>,
): Work {
  const settle = async (job: Job<T>, signal: AbortSignal): Promise<void> => {
    const leaseEndMs = performance.now() + kind.leaseSeconds * 1000;
    let report = (): Promise<unknown> => boss.complete(kind.name, attemptOf(job));
    try {
      await handle(job, signal);
    } catch (error) {
      options.onFault(error);
      const reason = { message: error instanceof Error ? error.message : String(error) };
      report = () => boss.fail(kind.name, attemptOf(job), reason);
    }
    // Reports the end of the job until this succeeds. Gives up when the lease ends, because another process then has
    // the job, or when this process stops.
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

  const stops = Array.from({ length: options.concurrency }, () =>
    startPolling(options.pollMs, async (signal) => {
      const job = await fetchJob(boss, kind, options.onFault);
      if (job) await settle(job, signal);
      return job !== null;
    }),
  );
  return {
    async stop() {
      await Promise.all(stops.map((stop) => stop()));
    },
  };
}

/** Identifies one attempt at a job, so that a late report can't end the next attempt in another process. */
export function attemptOf({ id, attempt }: Job<object>): JobAttempt {
  return { id, retryCount: attempt - 1 };
}

/** Returns the next job, or null if no job is due or the database is unreachable (pg-boss reports this). */
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
