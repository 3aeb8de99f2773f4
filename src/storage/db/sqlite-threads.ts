// Runs long statements of an SQLite file on threads, because better-sqlite3 blocks the thread that calls it.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Knex } from 'knex';
import { QUIET, watchDriver } from './dialect.js';
import type { ThreadFile, ThreadRequest, ThreadResponse } from './sqlite-thread.js';

/** Limits of the threads of one kind. */
interface ThreadUse {
  /** Number of threads. */
  readonly threads: number;
  /** Maximum milliseconds that a statement waits for a thread, and then runs. */
  readonly timeoutMs: number;
  /** True if the threads may not write. */
  readonly readonly: boolean;
}

/**
 * Threads for reads. With two, the short read of a check does not wait for another account's long search. The time
 * limit is PostgreSQL's statement timeout.
 */
export const READS: ThreadUse = { threads: 2, timeoutMs: 5000, readonly: true };
/** The thread for checkpoints. A log of a gigabyte takes some seconds. */
export const CHECKPOINTS: ThreadUse = { threads: 1, timeoutMs: 60_000, readonly: false };

const PROGRAM = new URL(`./sqlite-thread${extname(import.meta.url)}`, import.meta.url);

/** The part of Knex's client that is replaced; Knex's public types don't contain it. */
interface ReplacedClient {
  acquireRawConnection: () => Promise<SqliteThread>;
  destroyRawConnection: (thread: SqliteThread) => Promise<void>;
  validateConnection: (thread: SqliteThread) => boolean;
  _query: (
    thread: SqliteThread,
    query: { sql: string; bindings?: unknown[]; response?: unknown },
  ) => Promise<unknown>;
  _formatBindings: (bindings: unknown[] | undefined) => unknown[];
}

/**
 * Returns Knex for statements on the file at `path`. Its pool has threads instead of connections: each starts when a
 * statement needs it, sees all earlier commits, and ends after 30 s without statements.
 */
export function openThreads(
  knexModule: (config: Knex.Config) => Knex,
  path: string,
  { threads: most, timeoutMs, readonly }: ThreadUse,
): Knex {
  const knex = watchDriver(
    knexModule({
      client: 'better-sqlite3',
      connection: { filename: path },
      useNullAsDefault: true,
      log: QUIET,
      compileSqlOnError: false,
      pool: { min: 0, max: most },
      acquireConnectionTimeout: timeoutMs,
    }),
  );
  const client = knex.client as ReplacedClient;
  const threads = new Set<SqliteThread>();
  client.acquireRawConnection = async () => {
    // A thread whose statement took too long still runs it. Limits the number of such threads.
    while (threads.size >= 2 * most) await Promise.race([...threads].map(({ ended }) => ended));
    const thread = new SqliteThread({ path, readonly });
    threads.add(thread);
    void thread.ended.then(() => threads.delete(thread));
    return thread;
  };
  client.destroyRawConnection = (thread) => thread.end();
  client.validateConnection = (thread) => thread.isUsable;
  client._query = async (thread, query) => {
    query.response = await thread.run(query.sql, client._formatBindings(query.bindings), timeoutMs);
    return query;
  };
  return knex;
}

/** A statement whose rows have not all arrived. */
interface RunningStatement {
  readonly rows: unknown[];
  readonly resolve: (rows: unknown[]) => void;
  readonly reject: (error: Error) => void;
}

/** The main thread's side of a thread, which runs one statement at a time. */
class SqliteThread {
  /** False after the thread has ended or a statement took too long. */
  isUsable = true;
  readonly ended: Promise<void>;
  readonly #worker: Worker;
  #running: RunningStatement | null = null;

  constructor(file: ThreadFile) {
    this.#worker = new Worker(PROGRAM, {
      workerData: file,
      // Replaces the options of the program, such as `--input-type`. Node warns when it loads a TypeScript source.
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    this.#worker.on('message', (response: ThreadResponse) => {
      this.#receive(response);
    });
    this.#worker.on('error', (error: Error) => {
      this.#fail(error);
    });
    this.ended = new Promise((resolve) => {
      this.#worker.on('exit', () => {
        this.#fail(new Error('the thread of the database ended'));
        resolve();
      });
    });
  }

  /** Returns the rows of a statement. Rejects with SQLite's error, after `timeoutMs`, or if the thread ends. */
  async run(sql: string, bindings: readonly unknown[], timeoutMs: number): Promise<unknown[]> {
    // Without a running statement, the thread does not keep the program running.
    this.#worker.ref();
    const timer = setTimeout(() => {
      this.#fail(new Error(`the statement took longer than ${timeoutMs / 1000} s`));
    }, timeoutMs);
    try {
      return await new Promise<unknown[]>((resolve, reject) => {
        this.#running = { rows: [], resolve, reject };
        this.#send({ sql, bindings });
      });
    } finally {
      this.#running = null;
      clearTimeout(timer);
      this.#worker.unref();
    }
  }

  /** Ends the thread. SQLite can't be interrupted, so a running statement is completed first. */
  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #receive(response: ThreadResponse): void {
    const running = this.#running;
    if (!running) return;
    if ('error' in response) {
      const { message, code } = response.error;
      running.reject(Object.assign(new Error(message), { code }));
      return;
    }
    for (const row of response.rows) running.rows.push(row);
    if (response.isLast) running.resolve(running.rows);
    // Without the pause, the next rows could arrive before other events are handled.
    else setImmediate(() => this.#send('more'));
  }

  #send(request: ThreadRequest): void {
    this.#worker.postMessage(request);
  }

  #fail(error: Error): void {
    this.isUsable = false;
    this.#running?.reject(error);
    void this.end();
  }
}
