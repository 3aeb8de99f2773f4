// Runs long reads of an SQLite file on threads, because better-sqlite3 blocks the thread that calls it.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Knex } from 'knex';
import { QUIET, watchDriver } from './dialect.js';
import type { ReadRequest, ReadResponse } from './reader-thread.js';

/** Maximum milliseconds that a read waits for a thread, and then runs. The same as PostgreSQL's statement timeout. */
const READ_TIMEOUT_MS = 5000;
/** Number of threads. Chosen: the short read of a check does not wait for another account's long search. */
const THREADS = 2;
/** Maximum number of threads, including those whose read took too long and still runs. */
const MOST_THREADS = 2 * THREADS;

const PROGRAM = new URL(`./reader-thread${extname(import.meta.url)}`, import.meta.url);

/** The part of Knex's client that is replaced; Knex's public types don't contain it. */
interface ReplacedClient {
  acquireRawConnection: () => Promise<ReaderThread>;
  destroyRawConnection: (thread: ReaderThread) => Promise<void>;
  validateConnection: (thread: ReaderThread) => boolean;
  _query: (
    thread: ReaderThread,
    query: { sql: string; bindings?: unknown[]; response?: unknown },
  ) => Promise<unknown>;
  _formatBindings: (bindings: unknown[] | undefined) => unknown[];
}

/**
 * Returns Knex for reads of the file at `path`. Its pool has threads instead of connections: each starts when a read
 * needs it, sees all earlier commits, and ends after 30 s without reads.
 */
export function openReader(
  knexModule: (config: Knex.Config) => Knex,
  path: string,
  timeoutMs = READ_TIMEOUT_MS,
): Knex {
  const knex = watchDriver(
    knexModule({
      client: 'better-sqlite3',
      connection: { filename: path },
      useNullAsDefault: true,
      log: QUIET,
      compileSqlOnError: false,
      pool: { min: 0, max: THREADS },
      acquireConnectionTimeout: timeoutMs,
    }),
  );
  const client = knex.client as ReplacedClient;
  const threads = new Set<ReaderThread>();
  client.acquireRawConnection = async () => {
    while (threads.size >= MOST_THREADS) await Promise.race([...threads].map(({ ended }) => ended));
    const thread = new ReaderThread(path);
    threads.add(thread);
    void thread.ended.then(() => threads.delete(thread));
    return thread;
  };
  client.destroyRawConnection = (thread) => thread.end();
  client.validateConnection = (thread) => thread.isUsable;
  client._query = async (thread, query) => {
    query.response = await thread.read(query.sql, client._formatBindings(query.bindings), timeoutMs);
    return query;
  };
  return knex;
}

/** A read whose rows have not all arrived. */
interface RunningRead {
  readonly rows: unknown[];
  readonly resolve: (rows: unknown[]) => void;
  readonly reject: (error: Error) => void;
}

/** The main thread's side of a thread, which runs one read at a time. */
class ReaderThread {
  /** False after the thread has ended or a read took too long. */
  isUsable = true;
  readonly ended: Promise<void>;
  readonly #worker: Worker;
  #running: RunningRead | null = null;

  constructor(path: string) {
    this.#worker = new Worker(PROGRAM, {
      workerData: path,
      // Replaces the options of the program, such as `--input-type`. Node warns when it loads a TypeScript source.
      execArgv: ['--disable-warning=ExperimentalWarning'],
    });
    this.#worker.on('message', (response: ReadResponse) => {
      this.#receive(response);
    });
    this.#worker.on('error', (error: Error) => {
      this.#fail(error);
    });
    this.ended = new Promise((resolve) => {
      this.#worker.on('exit', () => {
        this.#fail(new Error('the reading thread ended'));
        resolve();
      });
    });
  }

  /** Returns the rows of a query. Rejects with SQLite's error, after `timeoutMs`, or if the thread ends. */
  async read(sql: string, bindings: readonly unknown[], timeoutMs: number): Promise<unknown[]> {
    // Without a running read, the thread does not keep the program running.
    this.#worker.ref();
    const timer = setTimeout(() => {
      this.#fail(new Error(`the read took longer than ${timeoutMs / 1000} s`));
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

  /** Ends the thread. SQLite can't be interrupted, so a running query is completed first. */
  async end(): Promise<void> {
    await this.#worker.terminate();
  }

  #receive(response: ReadResponse): void {
    const read = this.#running;
    if (!read) return;
    if ('error' in response) {
      const { message, code } = response.error;
      read.reject(Object.assign(new Error(message), { code }));
      return;
    }
    for (const row of response.rows) read.rows.push(row);
    if (response.isLast) read.resolve(read.rows);
    // Without the pause, the next rows could arrive before other events are handled.
    else setImmediate(() => this.#send('more'));
  }

  #send(request: ReadRequest): void {
    this.#worker.postMessage(request);
  }

  #fail(error: Error): void {
    this.isUsable = false;
    this.#running?.reject(error);
    void this.end();
  }
}
