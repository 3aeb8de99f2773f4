// Changes of any number of rows in small transactions, so that neither the event loop nor other writers wait for long.
import { performance } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import type { Knex } from 'knex';
import type { Database, Queries } from './database.js';

/** Rows of the first piece. */
const FIRST_ROWS = 50;
const MOST_ROWS = 5000;
/** Longest that a piece should take: on SQLite the event loop stands still meanwhile. */
const PIECE_MS = { sqlite: 8, postgres: 200 } as const;
/** Pause after each piece; longer than other processes wait between two tries to get SQLite's write lock. */
const PAUSE_MS = 5;

/**
 * Repeats `change` until it changes nothing, each time for at most `rows` rows. The number of rows follows the time that
 * they take. Gives the number of changed rows. An aborted `signal` ends it after a piece.
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
    else if (tookMs < PIECE_MS[dialect] / 3) rows = Math.min(MOST_ROWS, Math.ceil(rows * 1.5));
    await pause(PAUSE_MS);
  }
  return total;
}

/** Deletes the rows of `table` that `narrow` chooses, in pieces. Gives their number. */
export async function deleteInPieces(
  database: Database,
  table: string,
  narrow: (rows: Knex.QueryBuilder, queries: Queries) => unknown,
  signal?: AbortSignal,
): Promise<number> {
  // Where a row lies: tables without a key of one column have that too.
  const at = database.dialect === 'sqlite' ? 'rowid' : 'ctid';
  return repeatInPieces(
    (rows) =>
      database.run(async (queries) => {
        const chosen = queries(table).select(at).limit(rows);
        void narrow(chosen, queries);
        return queries(table)
          .whereRaw(database.dialect === 'sqlite' ? `${at} in (?)` : `${at} = any(array(?))`, [chosen])
          .delete();
      }),
    database,
    signal,
  );
}
