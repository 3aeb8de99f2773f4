// Changes many rows in several small transactions, so that neither the event loop nor other writers wait long.
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Database, Queries } from './database.js';

/** Number of rows in the first transaction. */
const FIRST_ROWS = 50;
const MAX_ROWS = 5000;
/** Target duration of a transaction. On SQLite a transaction blocks the event loop. */
const PIECE_MS = { sqlite: 8, postgres: 200 } as const;
/** Pause after each transaction, long enough for another process to get SQLite's write lock. */
const PAUSE_MS = 5;

/**
 * Calls `change` until it changes no more rows. Each call gets a maximum number of rows, which adapts to the duration
 * of the calls. Returns the number of changed rows. An aborted `signal` stops after the current transaction.
 */
export async function repeatInPieces(
  change: (rows: number) => Promise<number>,
  { dialect }: Pick<Database, 'dialect'>,
  signal?: AbortSignal,
): Promise<number> {
  let rows = FIRST_ROWS;
  let total = 0;
  while (!signal?.aborted) {
    const startMs = performance.now();
    const changed = await change(rows);
    const tookMs = performance.now() - startMs;
    if (changed === 0) break;
    total += changed;
    if (tookMs > PIECE_MS[dialect]) rows = Math.max(1, Math.floor(rows / 2));
    else if (tookMs < PIECE_MS[dialect] / 3) rows = Math.min(MAX_ROWS, Math.ceil(rows * 1.5));
    await pause(PAUSE_MS);
  }
  return total;
}

/** Deletes the rows of `table` that `narrow` selects, in small transactions. Returns the number of deleted rows. */
export async function deleteInPieces(
  database: Database,
  table: string,
  narrow: (rows: Knex.QueryBuilder, queries: Queries) => unknown,
  signal?: AbortSignal,
): Promise<number> {
  // Column with the position of a row on disk. Unlike an identifier, every table has this column.
  const at = database.dialect === 'sqlite' ? 'rowid' : 'ctid';
  return repeatInPieces(
    (rows) =>
      database.run(async (queries) => {
        const chosenRows = queries(table).select(at).limit(rows);
        void narrow(chosenRows, queries);
        return queries(table)
          .whereRaw(database.dialect === 'sqlite' ? `${at} in (?)` : `${at} = any(array(?))`, [chosenRows])
          .delete();
      }),
    database,
    signal,
  );
}
