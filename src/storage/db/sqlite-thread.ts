// Program of a thread that runs statements on SQLite: opens the file and sends the rows of one statement at a time.
import { parentPort, workerData } from 'node:worker_threads';
import BetterSqlite from 'better-sqlite3';

/** Maximum number of rows in a message, which the event loop receives without interruption. */
const MESSAGE_ROWS = 1000;

/** The file, as `workerData`. */
export interface ThreadFile {
  readonly path: string;
  readonly readonly: boolean;
}

/** A statement from the main thread, or `more` to request its next rows. */
export type ThreadRequest = { readonly sql: string; readonly bindings: readonly unknown[] } | 'more';

/** Rows, or the error of SQLite. */
export type ThreadResponse =
  | { readonly rows: readonly unknown[]; readonly isLast: boolean }
  | { readonly error: { readonly message: string; readonly code: string | null } };

let database: BetterSqlite.Database | null = null;
let running: IterableIterator<unknown> = [].values();

function answer(request: ThreadRequest): ThreadResponse {
  try {
    if (request !== 'more') {
      const { path, readonly } = workerData as ThreadFile;
      // Without a timeout, because a checkpoint that waits for readers keeps others from writing.
      database ??= new BetterSqlite(path, { readonly, timeout: readonly ? 5000 : 0 });
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

parentPort?.on('message', (request: ThreadRequest) => parentPort?.postMessage(answer(request)));
