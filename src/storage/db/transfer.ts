// Copies all tables from an SQLite file to an empty PostgreSQL database, and verifies the copy.
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import BetterSqlite from 'better-sqlite3';
import { StartError } from 'telltale-engine/internal/base/errors.js';
import type { Database, Queries } from './database.js';
import { isUniqueViolation } from './faults.js';
import { migrate, STEPS, UNFINISHED_TRANSFER } from './migrate.js';

/** Maximum number of rows read and written in one step. */
const PAGE_ROWS = 1000;
/** Maximum number of values in one statement. PostgreSQL allows 65,535. */
const MAX_VALUES = 30_000;

/** Matches tables that are not copied: Knex's own, and a row that only tests whether writing works. */
const SKIPPED = /^(sqlite_|knex_)|^write_probe$/;

type Row = Record<string, unknown>;

/** A table that was copied and verified. */
export interface TransferredTable {
  readonly name: string;
  readonly rows: number;
}

/**
 * Copies every table of the SQLite file at `path` to PostgreSQL. Only reads the file. Each page of rows is committed
 * together with the position in the file, so that a second call continues after an interruption. Finally compares the
 * number of rows and a digest of every table in both databases. Throws StartError `config_invalid` if the file is
 * missing, of another version or changed during the copy, if the target contains data, or if the copy differs.
 */
export async function transferToPostgres(
  path: string,
  target: Database,
  report: (table: string, rows: number) => void,
): Promise<TransferredTable[]> {
  const source = openSource(path);
  try {
    const version = dataVersion(source);
    // Makes all reads see the file in its present state, even if another process writes.
    source.exec('begin');
    requireCurrentTables(source);
    const tables = tablesInOrder(source);
    await beginTransfer(target, tables);
    for (const table of tables) await copyTable(source, target, table, report);
    const verified = [];
    for (const table of tables) verified.push(await verifyTable(source, target, table));
    source.exec('commit');
    if (dataVersion(source) !== version)
      throw fault(
        `${path} changed during the copy. Stop the service and its workers, create the target database anew, and start again`,
      );
    await target.run((queries) => queries.schema.dropTable(UNFINISHED_TRANSFER));
    return verified;
  } finally {
    source.close();
  }
}

/** Opens the file only for reading. Throws StartError for a missing or unreadable file and for another format. */
function openSource(path: string): BetterSqlite.Database {
  if (!existsSync(path)) throw fault(`There is no database at ${path}`);
  try {
    const source = new BetterSqlite(path, { readonly: true });
    // Reads the file, which opening alone does not.
    dataVersion(source);
    return source;
  } catch (error) {
    throw fault(`${path} can't be read as an SQLite database: ${(error as Error).message}`);
  }
}

const fault = (message: string): StartError => new StartError('config_invalid', message);

/** Returns a number that changes when another connection has changed the file. */
const dataVersion = (source: BetterSqlite.Database): unknown =>
  source.pragma('data_version', { simple: true });

/**
 * Throws unless the file has the tables of this version. Migrating them would change the file, which must
 * stay as it is.
 */
function requireCurrentTables(source: BetterSqlite.Database): void {
  const hasSteps = source.prepare("select 1 from sqlite_master where name = 'knex_migrations'").get();
  if (hasSteps === undefined) throw fault('The source is not a database of Telltale');
  const applied = source.prepare<[], string>('select name from knex_migrations').pluck().all();
  if (STEPS.some(({ name }) => !applied.includes(name)))
    throw fault(
      'The source has tables of an older version. Start this version on it once, stop it, and try again',
    );
  if (applied.length > STEPS.length)
    throw fault('The source has tables of a later version. Copy it with that version');
}

/** Returns the tables in an order in which each comes after all tables to which its foreign keys refer. */
function tablesInOrder(source: BetterSqlite.Database): string[] {
  const names = source
    .prepare<[], string>("select name from sqlite_master where type = 'table'")
    .pluck()
    .all();
  const ordered = new Set<string>();
  const add = (name: string): void => {
    if (SKIPPED.test(name) || ordered.has(name)) return;
    const references = source.pragma(`foreign_key_list(${name})`) as { table: string }[];
    for (const { table } of references) if (table !== name) add(table);
    ordered.add(name);
  };
  names.forEach(add);
  return [...ordered];
}

/**
 * Creates the tables in the target, and a table of positions, which prevents the service from starting on a
 * partial copy. Does nothing if an earlier transfer was interrupted. Throws if the target contains data.
 */
async function beginTransfer(target: Database, tables: readonly string[]): Promise<void> {
  if (await target.run((queries) => queries.schema.hasTable(UNFINISHED_TRANSFER))) return;
  await migrate(target);
  await target.transaction(async (queries) => {
    for (const table of tables)
      if ((await queries(table).first()) !== undefined)
        throw fault(`The target contains data in the table ${table}. Create an empty database for the copy`);
    await queries.schema.createTable(UNFINISHED_TRANSFER, (table) => {
      table.text('name').primary();
      table.bigInteger('last_rowid').notNullable();
      table.bigInteger('copied').notNullable();
    });
    await queries(UNFINISHED_TRANSFER).insert(tables.map((name) => ({ name, last_rowid: 0, copied: 0 })));
  });
}

async function copyTable(
  source: BetterSqlite.Database,
  target: Database,
  name: string,
  report: (table: string, rows: number) => void,
): Promise<void> {
  const position = (queries: Queries) =>
    queries<{ name: string; last_rowid: number; copied: number }>(UNFINISHED_TRANSFER).where({ name });
  const begun = await target.run((queries) => position(queries).first());
  if (!begun)
    throw fault('Another version began this copy. Create the target database anew, and start again');
  let { last_rowid: last, copied } = begun;
  const page = source.prepare<[number, number], Row & { rowid_: number }>(
    `select rowid as rowid_, * from "${name}" where rowid > ? order by rowid limit ?`,
  );
  for (;;) {
    const rows = page.all(last, PAGE_ROWS);
    const end = rows.at(-1);
    if (!end) break;
    last = end.rowid_;
    for (const row of rows) Reflect.deleteProperty(row, 'rowid_');
    copied += rows.length;
    await target
      .transaction(async (queries) => {
        await queries.batchInsert(name, rows, Math.floor(MAX_VALUES / Object.keys(end).length));
        await position(queries).update({ last_rowid: last, copied });
      })
      .catch((error: unknown) => {
        if (!isUniqueViolation(error)) throw error;
        throw fault(
          'The source changed since the copy began. Create the target database anew, and start again',
        );
      });
    report(name, copied);
  }
}

/** Compares a table in both databases. Throws if the number of rows or the digest differs. */
async function verifyTable(
  source: BetterSqlite.Database,
  target: Database,
  name: string,
): Promise<TransferredTable> {
  const expected = new TableDigest();
  for (const row of source.prepare<[], Row>(`select * from "${name}"`).iterate()) expected.add(row);
  const copied = new TableDigest();
  await target.longTransaction(async (queries) => {
    await queries.raw(`declare copied_rows cursor for select * from "${name}"`);
    for (;;) {
      const { rows } = await queries.raw<{ rows: Row[] }>(`fetch ${PAGE_ROWS} from copied_rows`);
      if (rows.length === 0) return;
      rows.forEach((row) => copied.add(row));
    }
  });
  if (copied.rows !== expected.rows || !copied.bytes.equals(expected.bytes))
    throw fault(
      `The table ${name} differs: ${expected.rows} rows in the source, ${copied.rows} in the target. Create the target database anew, and start again`,
    );
  return { name, rows: expected.rows };
}

/**
 * Digest of a table's rows that does not depend on their order, because the databases sort text differently:
 * XOR of the rows' SHA-256.
 */
class TableDigest {
  rows = 0;
  readonly bytes = Buffer.alloc(32);

  add(row: Row): void {
    const columns = Object.keys(row).sort();
    const text = JSON.stringify(columns.map((column) => [column, row[column]]));
    const digest = createHash('sha256').update(text).digest();
    for (let at = 0; at < digest.length; at++) this.bytes[at] = (this.bytes[at] ?? 0) ^ (digest[at] ?? 0);
    this.rows += 1;
  }
}
