// Jobs for later on PostgreSQL: pg-boss behind a small typed door, in a schema of its own beside the tables.
import type { ConnectionOptions, ConstructorOptions, JobInsert, PgBoss } from 'pg-boss';
import type { Queries } from '../db/database.js';
import { asQueueFault } from './faults.js';
import { openEarlierJobs } from './earlier-jobs.js';
import type { Job, JobKind, NewJob } from './job-kind.js';
import { attemptOf, startWork, type Handler, type Work, type WorkOptions } from './work.js';

/** PostgreSQL's schema with pg-boss' own tables. */
const SCHEMA = 'telltale_jobs';
const CONNECTIONS = 4;
const CONNECT_TIMEOUT_MS = 3000;
const STATEMENT_TIMEOUT_MS = 30_000;
/** How often jobs whose lease ran out are looked for, by one process at a time. */
const MAINTENANCE_SECONDS = 5;
/** Done jobs are of no interest, and deleted soon. */
const KEEP_DONE_SECONDS = 600;
/** Any number that no other use of advisory locks on the same database has. */
const START_LOCK = 7_215_802;

/** An open queue. Every rejection is a CheckError `unavailable` if the database can't be reached. */
export interface Queue {
  /** Makes a kind of job known, with its rules as they are today; before it is sent or worked on. */
  define<T extends object>(kind: JobKind<T>): Promise<void>;
  /** Adds jobs; with `queries` inside that transaction, so that they exist if it is committed and only then. */
  send<T extends object>(kind: JobKind<T>, jobs: readonly NewJob<T>[], queries?: Queries): Promise<void>;
  /**
   * Ends a job that was taken, inside a transaction, so that what was done and its end are one. False if somebody
   * else ended it after its lease: then the transaction's work may have been done twice.
   */
  complete<T extends object>(kind: JobKind<T>, job: Job<T>, queries: Queries): Promise<boolean>;
  /** Takes jobs and hands them to `handle`, until it is stopped. */
  work<T extends object>(kind: JobKind<T>, options: WorkOptions, handle: Handler<T>): Work;
  /** Stops what works, waits for what runs, closes the connections. */
  close(): Promise<void>;
}

/**
 * Opens the queue on the database that `url` names; makes its schema if it is missing. `onFault` hears of faults
 * that nobody waits for: a database that is away while jobs are looked for, a handler that threw.
 */
export async function openQueue(url: string, onFault: (error: unknown) => void): Promise<Queue> {
  const { PgBoss } = await import('pg-boss');
  const connection: ConstructorOptions & Record<string, unknown> = {
    connectionString: url,
    schema: SCHEMA,
    application_name: 'telltale queue',
    max: CONNECTIONS,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    // Not the server's: PgBouncer refuses connections that ask for a limit when they begin.
    query_timeout: STATEMENT_TIMEOUT_MS,
    keepAlive: true,
    schedule: false,
    superviseIntervalSeconds: MAINTENANCE_SECONDS,
    monitorIntervalSeconds: MAINTENANCE_SECONDS,
    maintenanceIntervalSeconds: KEEP_DONE_SECONDS,
    // A table of processes with their load, which nothing reads.
    registerInstance: false,
  };
  const boss = new PgBoss(connection);
  boss.on('error', onFault);
  // Of processes that start together one makes the tables, and the others find them.
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
        await boss.insert(kind.name, jobs.map(toInsert), on(queries));
      }),
    complete: (kind, job, queries) =>
      guard(async () => {
        // pg-boss' types leave out what it gives.
        const ended: object = await boss.complete(kind.name, attemptOf(job), {}, on(queries));
        return (ended as { affected: number }).affected === 1;
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

/** The first process makes the queue; every later one brings its rules up to date. */
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

function on(queries: Queries | undefined): ConnectionOptions {
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

/** Knex's way to the one connection of a transaction; its public types don't name it. */
interface TransactionClient {
  acquireConnection(): Promise<Connection>;
}
interface Connection {
  query(text: string, values?: unknown[]): Promise<{ rows: unknown[] }>;
}

/** PostgreSQL alone; `queries` is a transaction. Knex would take every question mark of the text for a placeholder. */
async function runStatement(
  queries: Queries,
  text: string,
  values: unknown[] | undefined,
): Promise<{ rows: unknown[] }> {
  const connection = await (queries.client as TransactionClient).acquireConnection();
  return connection.query(text, values);
}

/**
 * Runs `work` while nobody else who names the same `lock` (any number that no other use on the database has) runs
 * theirs. Those who come meanwhile wait for up to 30 s. Rejects with pg's own error if the database is away.
 */
async function oneAtATime<T>(url: string, lock: number, work: () => Promise<T>): Promise<T> {
  const { default: pg } = await import('pg');
  const client = new pg.Client({
    connectionString: url,
    connectionTimeoutMillis: CONNECT_TIMEOUT_MS,
    query_timeout: STATEMENT_TIMEOUT_MS,
  });
  // A connection that is lost while it only holds the lock; without a listener that would end the process.
  client.on('error', () => undefined);
  await client.connect();
  try {
    // Of a transaction, and so of one connection to the server: behind PgBouncer each statement may be on another.
    await client.query('begin');
    await client.query('select pg_advisory_xact_lock($1)', [lock]);
    return await work();
  } finally {
    // The lock ends with its connection.
    await client.end();
  }
}
