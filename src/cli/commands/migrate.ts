// `telltale migrate`: copying all data from SQLite to PostgreSQL.
import { parseArgs } from 'node:util';
import { DATABASE_FORMS, loadConfig, parseDatabase, type DatabaseSetting } from '../../config.js';
import { openDatabase } from '../../storage/db/database.js';
import { transferToPostgres } from '../../storage/db/transfer.js';
import { UsageError, type Command, print, tableLines } from './command.js';

const HELP = `Usage: telltale migrate [--from sqlite:PATH] --to postgres://... [--json]

Copies all tables from an SQLite file to an empty PostgreSQL database and
compares both. The file is only read, so you can return to it. Stop the service
and its workers first: a change during the copy is an error. After an
interruption the same command continues.

  --from   the SQLite database; by default the one that the settings name
  --to     the PostgreSQL database. Set its password as PGPASSWORD, because
           other users of the machine can read a command's arguments
  --json   { "tables": [{ "name", "rows" }] }

Afterwards set TELLTALE_DATABASE_URL to the new address and start the service.
Stored images stay in their folder or bucket.

Exit status: 0 copied and verified, 1 not copied, 2 wrong usage.`;

/** Minimum milliseconds between two printed lines of progress. */
const PROGRESS_MS = 5000;

export const migrateCommand: Command = {
  help: HELP,
  async run(args, terminal) {
    const { values } = parseArgs({
      args,
      options: {
        from: { type: 'string' },
        to: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    });
    const source = values.from === undefined ? loadConfig().database : readAddress('--from', values.from);
    if (source.kind !== 'sqlite') throw new UsageError('Expected an SQLite database for --from');
    if (values.to === undefined)
      throw new UsageError('Expected --to with the address of a PostgreSQL database');
    const target = readAddress('--to', values.to);
    if (target.kind !== 'postgres') throw new UsageError('Expected a PostgreSQL database for --to');
    const database = await openDatabase(target);
    try {
      let shownMs = Date.now();
      const tables = await transferToPostgres(source.path, database, (table, rows) => {
        if (Date.now() - shownMs < PROGRESS_MS) return;
        shownMs = Date.now();
        void terminal.err.writeLine(`${table}: ${rows} rows copied`);
      });
      const lines = tableLines(
        ['table', 'rows'],
        tables.filter(({ rows }) => rows > 0).map(({ name, rows }) => [name, String(rows)]),
      );
      return await print(terminal, values.json, { tables }, [
        ...lines,
        'Copied and verified. Set TELLTALE_DATABASE_URL to the new address and start the service.',
      ]);
    } finally {
      await database.close();
    }
  },
};

/** Reads the address of a database. Errors do not repeat the address, because it may contain a password. */
function readAddress(option: string, text: string): DatabaseSetting {
  const setting = parseDatabase(text);
  if (!setting) throw new UsageError(`Expected ${DATABASE_FORMS} for ${option}`);
  return setting;
}
