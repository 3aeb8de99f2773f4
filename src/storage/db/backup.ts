// Copies the SQLite file while the service writes to it.
import { closeSync, existsSync, openSync, renameSync, rmSync, statSync } from 'node:fs';
import BetterSqlite from 'better-sqlite3';
import { StartError } from 'telltale-engine/internal/base/errors.js';

/**
 * Copies the database at `path` to `target`: everything committed when the copy begins, or nothing. Uses VACUUM INTO,
 * because a copy of the file would contain erased data. Only this user may read the copy (mode 0600), because it
 * contains webhook secrets and the key that signs records. Returns its size in bytes. Throws StartError
 * `config_invalid` if there is no database, or if `target` exists or can't be written.
 */
export function backUpSqlite(path: string, target: string): number {
  if (!existsSync(path)) throw new StartError('config_invalid', `there is no database at ${path}`);
  if (existsSync(target)) throw new StartError('config_invalid', `${target} exists already`);
  const part = `${target}.part`;
  const database = new BetterSqlite(path, { fileMustExist: true });
  try {
    reserve(part);
    copyTo(database, part);
    requireWhole(part);
    renameSync(part, target);
    return statSync(target).size;
  } finally {
    database.close();
    rmSync(part, { force: true });
  }
}

/** Creates the empty file first, so that no other user can read it while the copy is written. */
function reserve(part: string): void {
  try {
    rmSync(part, { force: true });
    closeSync(openSync(part, 'wx', 0o600));
  } catch (error) {
    throw new StartError('config_invalid', `${part} can't be written`, { cause: error });
  }
}

function copyTo(database: BetterSqlite.Database, part: string): void {
  try {
    database.prepare('vacuum into ?').run(part);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new StartError('config_invalid', `the database could not be copied: ${reason}`, { cause: error });
  }
}

/** Throws if the copy can't be read. Without this check, a damaged copy would be noticed only when it is needed. */
function requireWhole(part: string): void {
  const copy = new BetterSqlite(part, { readonly: true });
  try {
    const answer = copy.pragma('quick_check', { simple: true });
    if (answer !== 'ok') throw new StartError('config_invalid', `the copy is damaged: ${String(answer)}`);
  } finally {
    copy.close();
  }
}
