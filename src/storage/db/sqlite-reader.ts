// Runs long reads of an SQLite file on a thread, because better-sqlite3 blocks the thread that calls it.
import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { Knex } from 'knex';
import { QUIET, watchDriver } from './dialect.js';
import type { ReadRequest, ReadResponse } from './reader-thread.js';

/** Time in milliseconds after which a read fails. Includes waiting for earlier reads. */
const READ_TIMEOUT_MS = 5000;

const PROGRAM = new URL(`./reader-thread${extname(import.meta.url)}`, import.meta.url);

/** Methods of Knex's client that are replaced here but missing from Knex's public types. */
interface ReplacedClient {
  acquireRawConnection: () => Promise<unknown>;
  destroyRawConnection: () => Promise<void>;
  _query: (
    connection: unknown,
    query: { sql: string; bindings?: unknown[]; response?: unknown },
  ) => Promise<unknown>;
  _formatBindings: (bindings: unknown[] | undefined) => unknown[];
}

/** Knex for reads, and a function that waits for running reads and then ends the thread. */
interface OpenedReader {
  readonly knex: Knex;
  readonly close: () => Promise<void>;
}

/**
 * Returns Knex for reads of the file at `path`. The thread starts with the first read. A read sees all
 * earlier commits.
 */
export function openReader(knexModule: (config: Knex.Config) => Knex, path: string): OpenedReader {
  const knex = watchDriver(
    knexModule({
      client: 'better-sqlite3',
      connection: { filename: path },
      useNullAsDefault: true,
      log: QUIET,
      compileSqlOnError: false,
      // Enough connections for all callers, because the thread itself runs the queries one after the other.
      pool: { min: 0, max: 100 },
      acquireConnectionTimeout: READ_TIMEOUT_MS,
    }),
  );
  const thread = new ReaderThread(path);
  const client = knex.client as ReplacedClient;
  client.acquireRawConnection = () => Promise.resolve({});
  client.destroyRawConnection = () => Promise.resolve();
  client._query = async (_connection, query) => {
    query.response = await thread.read(query.sql, client._formatBindings(query.bindings));
    return query;
  };
  return {
    knex,
    close: async () => {
      await knex.destroy();
      await thread.close();
    },
  };
}

/** A query for which the thread has not returned the rows yet. */
interface PendingRead {
  readonly resolve: (rows: unknown[]) => void;
  readonly reject: (error: Error) => void;
}

/** Sends queries to the thread. Resolves their promises in the order of the queries. */
class ReaderThread {
  readonly #path: string;
  #worker: Worker | null = null;
  #pending: PendingRead[] = [];

  constructor(path: string) {
    this.#path = path;
  }

  /**
   * Returns the rows of a query. Rejects with SQLite's error, after the time limit, or if the thread ends.
   */
  read(sql: string, bindings: readonly unknown[]): Promise<unknown[]> {
    const worker = (this.#worker ??= this.#start());
    worker.ref();
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        reject(new Error(`the read was not answered within ${READ_TIMEOUT_MS / 1000} s`));
      }, READ_TIMEOUT_MS);
      this.#pending.push({
        resolve: (rows) => {
          clearTimeout(timer);
          resolve(rows);
        },
        reject: (error) => {
          clearTimeout(timer);
          reject(error);
        },
      });
      const request: ReadRequest = { sql, bindings, deadlineMs: Date.now() + READ_TIMEOUT_MS };
      worker.postMessage(request);
    });
  }

  async close(): Promise<void> {
    await this.#worker?.terminate();
  }

  #start(): Worker {
    const worker = new Worker(PROGRAM, {
      workerData: this.#path,
      // Does not pass on options of the program, such as `--input-type`. Only TypeScript sources need its
      // loader.
      execArgv: PROGRAM.pathname.endsWith('.ts') ? process.execArgv : [],
    });
    worker.on('message', (response: ReadResponse) => {
      const read = this.#pending.shift();
      if ('rows' in response) read?.resolve(response.rows);
      else read?.reject(Object.assign(new Error(response.error.message), { code: response.error.code }));
      // An idle thread must not keep the program running.
      if (this.#pending.length === 0) worker.unref();
    });
    const end = (error: Error): void => {
      if (this.#worker === worker) this.#worker = null;
      for (const read of this.#pending.splice(0)) read.reject(error);
    };
    worker.on('error', end).on('exit', () => {
      end(new Error('the reading thread ended'));
    });
    return worker;
  }
}
