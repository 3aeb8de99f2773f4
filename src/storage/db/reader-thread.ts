// Program of the thread that runs long reads on SQLite. Opens the file read-only and runs one query at a
// time.
import { parentPort, workerData } from 'node:worker_threads';
import BetterSqlite from 'better-sqlite3';

/** A query from the main thread. */
export interface ReadRequest {
  readonly sql: string;
  readonly bindings: readonly unknown[];
  /** Time, in milliseconds since 1970, after which the caller no longer waits for the rows. */
  readonly deadlineMs: number;
}

/** Response to the main thread: the rows, or the error of SQLite. */
export type ReadResponse =
  | { readonly rows: unknown[] }
  | { readonly error: { readonly message: string; readonly code: string | null } };

let database: BetterSqlite.Database | null = null;

function answer({ sql, bindings, deadlineMs }: ReadRequest): ReadResponse {
  if (Date.now() > deadlineMs) return { rows: [] };
  try {
    database ??= new BetterSqlite(workerData as string, { readonly: true });
    return { rows: database.prepare(sql).all(...bindings) };
  } catch (error) {
    const { message, code = null } = error as Error & { code?: string };
    return { error: { message, code } };
  }
}

parentPort?.on('message', (request: ReadRequest) => parentPort?.postMessage(answer(request)));
