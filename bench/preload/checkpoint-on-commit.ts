// Loaded before telltale: SQLite writes its log back as it does by default. It does so on the commit that finds the log
// long, and not from a thread of its own.
import { isMainThread } from 'node:worker_threads';
import BetterSqlite from 'better-sqlite3';

/** SQLite's default. */
const PAGES = 1000;

// eslint-disable-next-line @typescript-eslint/unbound-method -- called with the connection it is called on
const { pragma } = BetterSqlite.prototype;

BetterSqlite.prototype.pragma = function (this: BetterSqlite.Database, source, ...rest) {
  if (source === 'wal_autocheckpoint = 0') return pragma.call(this, `wal_autocheckpoint = ${PAGES}`);
  if (!isMainThread && source.startsWith('wal_checkpoint')) return [];
  return pragma.call(this, source, ...rest);
};
