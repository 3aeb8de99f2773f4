// Program of a thread that runs reads on SQLite: opens the file read-only and sends the rows of one query at a time.
import { parentPort, workerData } from 'node:worker_threads';
import BetterSqlite from 'better-sqlite3';

/** Maximum number of rows in a message, which the event loop receives without interruption. */
const MESSAGE_ROWS = 1000;

/** A query from the main thread, or `more` to request its next rows. */
export type ReadRequest = { readonly sql: string; readonly bindings: readonly unknown[] } | 'more';

/** Rows, or the error of SQLite. */
export type ReadResponse =
  | { readonly rows: readonly unknown[]; readonly isLast: boolean }
  | { readonly error: { readonly message: string; readonly code: string | null } };

let database: BetterSqlite.Database | null = null;
let running: IterableIterator<unknown> = [].values();

function answer(request: ReadRequest): ReadResponse {
  try {
    if (request !== 'more') {
      database ??= new BetterSqlite(workerData as string, { readonly: true });
      running = database.prepare(request.sql).iterate(...request.bindings);
    }
    const rows = [];
    while (rows.length < MESSAGE_ROWS) {
      const next = running.next();
      if (next.done) return { rows, isLast: true };
      rows.push(next.value);
    }
    return { rows, isLast: false };
  } catch (error) {
    const { message, code = null } = error as Error & { code?: string };
    return { error: { message, code } };
  }
}

parentPort?.on('message', (request: ReadRequest) => parentPort?.postMessage(answer(request)));
