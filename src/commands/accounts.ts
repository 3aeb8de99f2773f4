// `telltale accounts`: the customers of the service.
import { parseArgs } from 'node:util';
import { createAccount, listAccounts, type Account } from '../accounts/accounts.js';
import { AccountFault } from '../accounts/faults.js';
import { loadConfig } from '../config.js';
import { UsageError, type Command } from './command.js';
import { withDatabase } from './open-database.js';

const HELP = `Usage: telltale accounts create NAME [--json]
       telltale accounts list [--json]

An account owns API keys, usage and kept images. 'telltale keys create' makes
the account too where there is none.

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
    if (action === 'create' && name !== undefined && rest.length === 0) {
      const account = await withDatabase(loadConfig(), (database) => createAccount(database, name)).catch(
        asUsage,
      );
      await terminal.out.writeLine(
        values.json ? JSON.stringify(present(account)) : `${account.id}  ${account.name}`,
      );
      return 0;
    }
    if (action === 'list' && name === undefined) {
      const accounts = await withDatabase(loadConfig(), listAccounts);
      if (values.json) await terminal.out.writeLine(JSON.stringify(accounts.map(present)));
      else for (const account of accounts) await terminal.out.writeLine(`${account.id}  ${account.name}`);
      return 0;
    }
    throw new UsageError("Expected 'create NAME' or 'list'");
  },
};

function present(account: Account): object {
  return { id: account.id, name: account.name, created_at: account.createdAt.toISOString() };
}

/** A name that is taken or is none is the caller's to mend. */
function asUsage(error: unknown): never {
  throw error instanceof AccountFault ? new UsageError(error.message) : error;
}
