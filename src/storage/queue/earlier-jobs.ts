// Moves background jobs from version 1.1, whose pg-boss 10 stored them in tables that newer versions of pg-boss can't
// read.
import { setTimeout } from 'node:timers/promises';
import type { PgBoss } from 'pg-boss';

/** Name of the PostgreSQL schema of version 1.1. */
const EARLIER_SCHEMA = 'telltale_queue';
/** Pause between two searches for jobs in the old schema. Processes of version 1.1 may still add some. */
const POLL_MS = 5000;

/** A running search for jobs of version 1.1. */
export interface EarlierJobs {
  /** Moves the jobs of one kind, and moves later ones when they are found. The kind must be defined. */
  move(kind: string): Promise<void>;
  /** Stops the search. Resolves when the current move has ended. */
  stop(): Promise<void>;
}

/**
 * Moves waiting jobs from the schema of version 1.1 to `schema`. A single statement moves a job, so that the job is
 * always in exactly one of the two. Processes of version 1.1 may still run: they finish their running jobs, and jobs
 * that they send are found later. Does nothing on a database that version 1.1 never used.
 */
export async function openEarlierJobs(
  boss: PgBoss,
  schema: string,
  onFault: (error: unknown) => void,
): Promise<EarlierJobs> {
  const database = boss.getDb();
  const { rows } = await database.executeSql(
    `select 1 from pg_tables where schemaname = '${EARLIER_SCHEMA}' and tablename = 'version'`,
  );
  if (rows.length === 0) return { move: () => Promise.resolve(), stop: () => Promise.resolve() };
  const kinds = new Set<string>();
  const stopping = new AbortController();
  const { signal } = stopping;
  const move = async (kind: string): Promise<void> => {
    await database.executeSql(moveStatement(schema), [kind]);
  };
  const moveJobs = async (): Promise<void> => {
    for (;;) {
      await setTimeout(POLL_MS, undefined, { signal }).catch(() => undefined);
      if (signal.aborted) return;
      try {
        for (const kind of kinds) await move(kind);
      } catch (error) {
        onFault(error);
      }
    }
  };
  const looking = moveJobs();
  return {
    async move(kind) {
      await move(kind);
      kinds.add(kind);
    },
    async stop() {
      stopping.abort();
      await looking;
    },
  };
}

/** Returns SQL that moves the jobs of kind $1. A running job is moved, and runs again, after its lease. */
function moveStatement(schema: string): string {
  return `
    with moved as (
      delete from ${EARLIER_SCHEMA}.job
      where name = $1 and id in (
        select id from ${EARLIER_SCHEMA}.job
        where name = $1 and (state < 'active' or (state = 'active' and started_on + expire_in < now()))
        for update skip locked)
      returning *)
    insert into ${schema}.job (
      id, name, data, priority, state, retry_limit, retry_count, retry_delay, retry_backoff, expire_seconds,
      deletion_seconds, singleton_key, singleton_on, start_after, created_on, started_on, keep_until, policy)
    select
      id, moved.name, data, priority,
      (case when state = 'created' then 'created' else 'retry' end)::${schema}.job_state,
      moved.retry_limit, retry_count, moved.retry_delay, moved.retry_backoff, extract(epoch from expire_in)::int,
      queue.deletion_seconds, singleton_key, singleton_on, start_after, moved.created_on, started_on, keep_until,
      queue.policy
    from moved join ${schema}.queue on queue.name = moved.name
    on conflict do nothing`;
}
