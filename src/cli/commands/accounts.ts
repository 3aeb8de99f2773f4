// `telltale accounts`: the customers of the service.
import { parseArgs } from 'node:util';
import {
  createAccount,
  findAccount,
  listAccounts,
  setScanPrefix,
  type Account,
} from '../../accounts/accounts.js';
import { AccountFault } from '../../accounts/faults.js';
import { loadConfig } from '../../config.js';
import { UsageError, type Command } from './command.js';
import { withDatabase } from './open-database.js';

const HELP = `Usage: telltale accounts create NAME [--json]
       telltale accounts prefix NAME PREFIX [--json]
       telltale accounts list [--json]

An account owns API keys, usage and kept images. 'telltale keys create' makes
the account too where there is none.

'prefix' says what of the bucket in TELLTALE_STORE_URL the account's scans may
read: what lies below PREFIX, such as acme/. '/' is the whole bucket, '' takes
it away. A new account has none. Images kept for callers are never read.

  --json   for programs

Exit status: 0 done, 1 failed, 2 wrong usage.`;

/** The subcommand `accounts`. */
export const accountsCommand: Command = {
  help: HELP,
  async run(args, terminal) {
    const { values, positionals } = parseArgs({
      args,
      allowPositionals: true,
      options: { json: { type: 'boolean', default: false } },
    });
    const [action, name, ...rest] = positionals;
    const [prefix] = rest;
    if (action === 'create' && name !== undefined && rest.length === 0) {
      const account = await withDatabase(loadConfig(), (database) => createAccount(database, name)).catch(
        asUsage,
      );
      await terminal.out.writeLine(values.json ? JSON.stringify(present(account)) : describe(account));
      return 0;
    }
    if (action === 'prefix' && name !== undefined && prefix !== undefined && rest.length === 1) {
      const account = await withDatabase(loadConfig(), async (database) => {
        const found = await findAccount(database, name);
        if (!found) throw new UsageError(`There is no account '${name}'`);
        return setScanPrefix(database, found.id, prefix);
      }).catch(asUsage);
      await terminal.out.writeLine(values.json ? JSON.stringify(present(account)) : describe(account));
      return 0;
    }
    if (action === 'list' && name === undefined) {
      const accounts = await withDatabase(loadConfig(), listAccounts);
      if (values.json) await terminal.out.writeLine(JSON.stringify(accounts.map(present)));
      else for (const account of accounts) await terminal.out.writeLine(describe(account));
      return 0;
    }
    throw new UsageError("Expected 'create NAME', 'prefix NAME PREFIX' or 'list'");
  },
};

function present(account: Account): object {
  return {
    id: account.id,
    name: account.name,
    scan_prefix: account.scanPrefix,
    created_at: account.createdAt.toISOString(),
  };
}

function describe({ id, name, scanPrefix }: Account): string {
  return `${id}  ${name}${scanPrefix === null ? '' : `  scans ${scanPrefix} of the bucket`}`;
}

/** A name that is taken or is none is the caller's to mend. */
function asUsage(error: unknown): never {
  throw error instanceof AccountFault ? new UsageError(error.message) : error;
}
