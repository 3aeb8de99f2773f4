// Background jobs on PostgreSQL: a typed interface to pg-boss, whose tables are in a separate schema. pg-boss provides
// the tables and their migrations, leases, retries with growing pauses, and the deletion of finished jobs; work.ts has
// the loop that receives jobs.
import type { ConnectionOptions, ConstructorOptions, JobInsert, PgBoss } from 'pg-boss';
import { startPolling } from 'telltale-engine/internal/base/concurrency.js';
import type { Queries } from '../db/database.js';
import { asQueueFault } from './faults.js';
import type { Job, JobKind, NewJob } from './job-kind.js';
import { attemptOf, startWork, type Handler, type Work, type WorkOptions } from './work.js';

/** Name of the PostgreSQL schema with the tables of pg-boss. */
const SCHEMA = 'telltale_jobs';
const CONNECTIONS = 4;
const CONNECT_TIMEOUT_MS = 3000;
const STATEMENT_TIMEOUT_MS = 30_000;
/** Interval at which one of the processes looks for jobs whose lease has expired. */
const MAINTENANCE_SECONDS = 5;
/** Time for which finished jobs are stored. Nothing reads them, so they are deleted soon. */
const KEEP_DONE_SECONDS = 600;
/** Number of PostgreSQL's advisory lock. Other programs on this database must use other numbers. */
const START_LOCK = 7_215_802;

/** An open queue. Methods reject with CheckError `unavailable` if the database can't be reached. */
export interface Queue {
  /** Defines a kind of job with its current rules. Must be called before jobs of this kind are sent or run. */
  define<T extends object>(kind: JobKind<T>): Promise<void>;
  /** Adds jobs. With `queries`, they are added in that transaction and exist only if it is committed. */
  send<T extends object>(kind: JobKind<T>, jobs: readonly NewJob<T>[], queries?: Queries): Promise<void>;
  /**
   * Finishes a job within a transaction, so that its results and its end are committed together. Returns false if
   * another process finished the job after its lease expired. The job has then run twice.
   */
  complete<T extends object>(kind: JobKind<T>, job: Job<T>, queries: Queries): Promise<boolean>;
  /** Starts to receive jobs and passes them to `handle`, until the returned work is stopped. */
  work<T extends object>(kind: JobKind<T>, options: WorkOptions, handle: Handler<T>): Work;
  /** Stops receiving jobs, waits for running ones and closes the connections. */
  close(): Promise<void>;
}

/**
 * Opens the queue on the database at `url` and creates its schema if it is missing. Calls `onFault` with errors that
 * no caller waits for: an unreachable database while looking for jobs, or a handler that threw.
 */
export async function openQueue(url: string, onFault: (error: unknown) => void): Promise<Queue> {
  const { PgBoss } = await import('pg-boss');
  const connection: ConstructorOptions & Record<string, unknown> = {
    connectionString: url,
    schema: SCHEMA,
    application_name: 'telltale queue',
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // Limits statements in the client, because PgBouncer refuses connections that set the server's limit as a
    // parameter.
    query_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    schedule: false,
    superviseIntervalSeconds: MAINTENANCE_SECONDS,
    monitorIntervalSeconds: MAINTENANCE_SECONDS,
    maintenanceIntervalSeconds: KEEP_DONE_SECONDS,
    // Switches off the table of running processes, which nothing reads.
    registerInstance: false,
  };
  const boss = new PgBoss(connection);
  boss.on('error', onFault);
  // If several processes start concurrently, one creates the tables and the others find them.
  await guard(() => oneAtATime(url, START_LOCK, () => boss.start()));
  const earlier = await guard(() => openEarlierJobs(boss, SCHEMA, onFault));
  const works = new Set<Work>();
  return {
    define: (kind) =>
      guard(() =>
        oneAtATime(url, START_LOCK, async () => {
          await define(boss, kind);
          await earlier.move(kind.name);
        }),
      ),
    send: (kind, jobs, queries) =>
      guard(async () => {
        await boss.insert(kind.name, jobs.map(toInsert), connectionOf(queries));
      }),
    complete: (kind, job, queries) =>
      guard(async () => {
        // pg-boss returns the number of finished jobs (`affected`), but its types don't mention it.
        const completion: object = await boss.complete(kind.name, attemptOf(job), {}, connectionOf(queries));
        return (completion as { affected: number }).affected === 1;
      }),
    work: (kind, options, handle) => {
      const work = startWork(boss, kind, { ...options, onFault }, handle);
      works.add(work);
      return work;
    },
    close: async () => {
      await Promise.all([...works].map((work) => work.stop()));
      await earlier.stop();
      await boss.stop({ graceful: false });
    },
  };
}

/** The first process creates the queue; later ones update its rules. */
async function define<T extends object>(boss: PgBoss, kind: JobKind<T>): Promise<void> {
  const rules = {
    expireInSeconds: kind.leaseSeconds,
    retryLimit: kind.retries,
    retryDelay: kind.retryPauseSeconds,
    retryBackoff: kind.pauseGrows,
    retentionSeconds: kind.keepDays * 24 * 60 * 60,
    deleteAfterSeconds: KEEP_DONE_SECONDS,
  };
  await boss.createQueue(kind.name, rules);
  await boss.updateQueue(kind.name, rules);
}

function toInsert<T extends object>(job: NewJob<T>): JobInsert<T> {
  return {
    data: job.data,
    priority: job.priority ?? 0,
    ...(job.startAfter && { startAfter: job.startAfter.toISOString() }),
  };
}

function connectionOf(queries: Queries | undefined): ConnectionOptions {
  if (!queries) return {};
  return {
    db: { executeSql: (text, values) => runStatement(queries, text, values) },
  };
}

async function guard<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action();
  } catch (error) {
    throw asQueueFault(error);
  }
}

/** Method of Knex that returns the connection of a transaction. Missing from Knex's public types. */
interface TransactionClient {
  acquireConnection(): Promise<Connection>;
}
interface Connection {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/**
 * Runs a statement on PostgreSQL. `queries` must be a transaction. Bypasses Knex, which would treat every question
 * mark in the text as a placeholder.
 */
async function runStatement(
  queries: Queries,
  text: string,
  values: unknown[] | undefined,
): Promise<{ rows: unknown[] }> {
  const connection = await (queries.client as TransactionClient).acquireConnection();
  return connection.query(text, values);
}

/**
 * Runs `work` in one process at a time: processes with the same `lock` number wait for each other for up to 30 s.
 * Rejects with pg's own error if the database can't be reached.
 */
async function oneAtATime<T>(url: string, lock: number, work: () => Promise<T>): Promise<T> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS,
  });
  // The connection only holds the lock. Without a listener, losing it would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    // A transaction always uses the same connection to the server. Without one, PgBouncer may change it between
    // statements.
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1)', [lock]);
    return await work();
  } finally {
    // Closing the connection releases the lock.
    await client.end();
  }
}

/** Name of the PostgreSQL schema of version 1.1. */
const EARLIER_SCHEMA = 'telltale_queue';
/** Pause between two searches for jobs in the old schema. Processes of version 1.1 may still add some. */
const POLL_MS = 5000;

/** Repeatedly moves jobs of version 1.1 to the current schema. */
interface EarlierJobs {
  /** Moves the jobs of one kind now and every POLL_MS. Requires a defined kind. */
  move(kind: string): Promise<void>;
  /** Stops moving jobs. Resolves when no statement is running. */
  stop(): Promise<void>;
}

/**
 * Moves waiting jobs from the schema of version 1.1 to `schema`. A single statement moves a job, so that the job is
 * always in exactly one of the two. Processes of version 1.1 may still run: they finish their running jobs, and jobs
 * that they send are found later. Does nothing on a database that version 1.1 never used.
 */
async function openEarlierJobs(
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
  const move = async (kind: string): Promise<void> => {
    await database.executeSql(moveStatement(schema), [kind]);
  };
  const moveAll = async (): Promise<void> => {
    for (const kind of kinds) await move(kind);
  };
  return {
    async move(kind) {
      await move(kind);
      kinds.add(kind);
    },
    stop: startPolling(POLL_MS, () => moveAll().catch(onFault)),
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
