// `telltale backup`: copying the database while the service runs, and listing what else to back up.
import { parseArgs } from 'node:util';
import { loadConfig, type Config } from '../../config.js';
import { StartError } from 'telltale-engine/internal/base/errors.js';
import { visibleText } from 'telltale-engine/internal/base/visible-text.js';
import { backUpSqlite } from '../../storage/db/backup.js';
import { UsageError, type Command, print } from './command.js';

const HELP = `Usage: telltale backup FILE [--json]

Copies the service's SQLite database to FILE while the service runs: accounts,
keys, usage, history, scans, webhooks, own thresholds and the key that signs
records. FILE must not exist; only you can read it. Then prints what else to
back up: stored images, and files named by settings.

To restore, stop the service, replace the database by FILE, delete the files
-wal and -shm next to it, restore the images, and start the service.

For PostgreSQL use its own tool: pg_dump --format=custom.

  --json   { "file", "bytes", "also": [paths and addresses] }

Exit status: 0 done, 1 not copied, 2 wrong usage.`;

export const backupCommand: Command = {
  help: HELP,
  async run(args, terminal) {
    const { values, positionals } = parseArgs({
      args,
      options: { json: { type: 'boolean', default: false } },
      allowPositionals: true,
    });
    const [file, ...rest] = positionals;
    if (file === undefined || rest.length > 0) throw new UsageError('Expected one FILE to copy to');
    const config = loadConfig();
    if (config.database.kind !== 'sqlite') {
      throw new StartError(
        'config_invalid',
        'TELLTALE_DATABASE_URL names a PostgreSQL database. Use pg_dump --format=custom --file=FILE',
      );
    }
    const bytes = backUpSqlite(config.database.path, file);
    const otherPaths = listOtherPaths(config);
    return print(terminal, values.json, { file, bytes, also: otherPaths }, [
      `${visibleText(file)}: ${(bytes / 1e6).toFixed(1)} MB`,
      ...otherPaths.map((place) => `also back up ${visibleText(place)}`),
    ]);
  },
};

/** Lists what the copied database does not contain: stored images, and the operator's own files. */
function listOtherPaths({ store, recordKeyFile, plansFile, bandsFile, modelsDir }: Config): string[] {
  const images = store.kind === 'folder' ? store.path : `s3://${store.bucket}/${store.prefix}`;
  return [images, recordKeyFile, plansFile, bandsFile, modelsDir].filter((place) => place !== null);
}
