// Runs the same tests on SQLite and PostgreSQL, each with new tables, which are copied from a template.
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { DatabaseSetting } from '../../src/config.js';
import { openDatabase, type Database } from '../../src/storage/db/database.js';
import { migrate } from '../../src/storage/db/migrate.js';
import { openQueue } from '../../src/storage/queue/queue.js';
import { makeFolder } from './folders.js';
import {
  findPostgres,
  SHARED_PORT,
  startPostgres,
  usePostgres,
  type PostgresDatabases,
  type PostgresServer,
} from './postgres.js';

/** Databases for a test. */
export interface DatabaseBench {
  /** Opens another connection to the test's tables, as another process would. */
  open(): Promise<Database>;
  setting(): DatabaseSetting;
}

async function makeTables(setting: DatabaseSetting): Promise<void> {
  const database = await openDatabase(setting);
  await migrate(database);
  await database.close();
}

let migratedFile: Promise<Buffer> | null = null;

async function migrateFile(): Promise<Buffer> {
  const path = join(makeFolder('migrated'), 'telltale.sqlite');
  await makeTables({ kind: 'sqlite', path });
  return readFileSync(path);
}

/** Creates an SQLite file with all tables. */
export async function makeMigratedFile(path: string): Promise<void> {
  const bytes = await (migratedFile ??= migrateFile());
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
}

let server: PostgresServer | null = null;
let shared: Promise<PostgresDatabases> | null = null;

/**
 * Returns the PostgreSQL server that all tests share: the one of the whole run (`whole-run.ts`), or one that
 * the first test starts. Its databases have all tables, including the queue's. Returns null if PostgreSQL is
 * not installed.
 */
export async function sharedPostgres(): Promise<PostgresDatabases | null> {
  const bin = findPostgres();
  return bin === null ? null : (shared ??= openShared(bin));
}

async function openShared(bin: string): Promise<PostgresDatabases> {
  const running = process.env[SHARED_PORT];
  const opened =
    running === undefined ? (server = await startPostgres(bin)) : usePostgres(bin, Number(running));
  const url = opened.createDatabase();
  await makeTables({ kind: 'postgres', url });
  await (await openQueue(url, () => undefined)).close();
  const migrated = new URL(url).pathname.slice(1);
  return { port: opened.port, createDatabase: (template = migrated) => opened.createDatabase(template) };
}

after(() => {
  if (server === null) return;
  server.close();
  server = shared = null;
});

/** Declares `tests` twice, with `title` followed by the database's name. Skips PostgreSQL if it is not installed. */
export function describeOnEachDatabase(
  title: string,
  tests: (bench: DatabaseBench, kind: DatabaseSetting['kind']) => void,
): void {
  for (const kind of ['sqlite', 'postgres'] as const) {
    describe(`${title} (${kind})`, () => {
      const opened: Database[] = [];
      let setting: DatabaseSetting;

      before(async function () {
        if (kind === 'sqlite') {
          setting = { kind, path: join(makeFolder('db'), 'deep', 'telltale.sqlite') };
          return makeMigratedFile(setting.path);
        }
        const postgres = await sharedPostgres();
        if (postgres === null) return this.skip();
        setting = { kind, url: postgres.createDatabase() };
      });

      after(async () => {
        for (const database of opened.splice(0)) await database.close();
      });

      tests(
        {
          setting: () => setting,
          async open() {
            const database = await openDatabase(setting);
            opened.push(database);
            return database;
          },
        },
        kind,
      );
    });
  }
}
