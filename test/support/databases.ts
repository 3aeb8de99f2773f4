// The same tests on SQLite and on PostgreSQL, each on fresh tables: copies of what each process migrates once.
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

/** What a test of the two databases works with. */
export interface DatabaseBench {
  /** Another connection to the tables of this test, as another process would have. */
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

/** Makes an SQLite file with all tables. */
export async function makeMigratedFile(path: string): Promise<void> {
  const bytes = await (migratedFile ??= migrateFile());
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, bytes);
}

let server: PostgresServer | null = null;
let shared: Promise<PostgresDatabases> | null = null;

/**
 * The server that all tests share: the run's own (`whole-run.ts`). If files run alone, it is one that the first test
 * starts that needs it; null if none is installed. Its databases have all tables, and the queue's.
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

/** Declares `tests` twice, `title` followed by the database's name; skipped where PostgreSQL is not installed. */
export function describeOnEachDatabase(title: string, tests: (bench: DatabaseBench) => void): void {
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

      tests({
        setting: () => setting,
        async open() {
          const database = await openDatabase(setting);
          opened.push(database);
          return database;
        },
      });
    });
  }
}
