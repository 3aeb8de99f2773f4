// A copy of the SQLite file, taken while the service writes to it.
import { closeSync, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import BetterSqlite from 'better-sqlite3';
import { StartError } from 'telltale-engine/internal/base/errors.js';

/** Pages of 4 KiB that are copied at a time; between two steps writers have the lock. Chosen: 1 MiB. */
const PAGES_A_STEP = 256;

/**
 * Copies the database at `path` to `target`, by SQLite's own online backup: all that was committed when it ends, or nothing.
 * The copy is this user's alone (0600), because it holds secrets of webhooks and the key that signs records.
 * Gives its bytes. Throws StartError `config_invalid` if there is no database, or if `target` exists or can't be written.
 */
export async function backUpSqlite(path: string, target: string): Promise<number> {
  if (!existsSync(path)) throw new StartError('config_invalid', `there is no database at ${path}`);
  if (existsSync(target)) throw new StartError('config_invalid', `${target} exists already`);
  const part = `${target}.part`;
  const database = new BetterSqlite(path, { fileMustExist: true });
  try {
    reserve(part);
    await copyTo(database, part);
    requireWhole(part);
    renameSync(part, target);
    return statSync(target).size;
  } finally {
    database.close();
    rmSync(part, { force: true });
  }
}

/** Makes the file first, so that nobody else may read it while it grows. */
function reserve(part: string): void {
  try {
    rmSync(part, { force: true });
    closeSync(openSync(part, 'wx', 0o600));
  } catch (error) {
    throw new StartError('config_invalid', `${part} can't be written`, { cause: error });
  }
}

async function copyTo(database: BetterSqlite.Database, part: string): Promise<void> {
  try {
    await database.backup(part, { progress: () => PAGES_A_STEP });
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    throw new StartError('config_invalid', `the database could not be copied: ${why}`, { cause: error });
  }
}

/** A copy that can't be read back is worse than none. */
function requireWhole(part: string): void {
  const copy = new BetterSqlite(part, { readonly: true });
  try {
    const answer = copy.pragma('quick_check', { simple: true });
    if (answer !== 'ok') throw new StartError('config_invalid', `the copy is damaged: ${String(answer)}`);
  } finally {
    copy.close();
  }
}
