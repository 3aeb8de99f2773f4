// Fetches jobs of one kind, a few at a time, and hands them to their handler.
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import type PgBoss from 'pg-boss';
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
      const job = await fetchJob(boss, kind);
      if (job) await settle(job);
      else await setTimeout(options.pollMs, undefined, { signal }).catch(() => undefined);
    }
  };

  const settle = async (job: Job<T>): Promise<void> => {
    const leaseEndMs = performance.now() + kind.leaseSeconds * 1000;
    let report = (): Promise<void> => boss.complete(kind.name, job.id);
    try {
      await handle(job, signal);
    } catch (error) {
      options.onFault(error);
      const reason = { message: error instanceof Error ? error.message : String(error) };
      report = () => boss.fail(kind.name, job.id, reason);
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

/** The next job, or null; if the database is away there is none. */
async function fetchJob<T extends object>(boss: PgBoss, kind: JobKind<T>): Promise<Job<T> | null> {
  const [job] = await boss.fetch<T>(kind.name, { includeMetadata: true });
  return job ? { id: job.id, data: job.data, attempt: job.retryCount + 1 } : null;
}
