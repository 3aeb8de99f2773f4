// The same tests on SQLite and on PostgreSQL, each on fresh tables.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { DatabaseSetting } from '../../src/config.js';
import { openDatabase, type Database } from '../../src/storage/db/database.js';
import { migrate } from '../../src/storage/db/migrate.js';
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

let server: PostgresServer | null = null;

/**
 * The server that all tests share: the run's own (`whole-run.ts`). If files run alone, it is one that the first test
 * starts that needs it; null if none is installed.
 */
export async function sharedPostgres(): Promise<PostgresDatabases | null> {
  const bin = findPostgres();
  if (bin === null) return null;
  const port = process.env[SHARED_PORT];
  if (port !== undefined) return usePostgres(bin, Number(port));
  server ??= await startPostgres(bin);
  return server;
}

after(() => {
  server?.close();
  server = null;
});

/** Declares `tests` twice, `title` followed by the database's name; skipped where PostgreSQL is not installed. */
export function describeOnEachDatabase(title: string, tests: (bench: DatabaseBench) => void): void {
  for (const kind of ['sqlite', 'postgres'] as const) {
    describe(`${title} (${kind})`, () => {
      const opened: Database[] = [];
      let setting: DatabaseSetting;
      let folder: string;

      before(async function () {
        const postgres = kind === 'postgres' ? await sharedPostgres() : null;
        if (kind === 'postgres' && postgres === null) return this.skip();
        folder = mkdtempSync(join(tmpdir(), 'telltale-db-'));
        setting = postgres
          ? { kind: 'postgres', url: postgres.createDatabase() }
          : { kind: 'sqlite', path: join(folder, 'deep', 'telltale.sqlite') };
        const database = await openDatabase(setting);
        await migrate(database);
        await database.close();
      });

      after(async () => {
        for (const database of opened.splice(0)) await database.close();
        if (folder) rmSync(folder, { recursive: true, force: true });
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
