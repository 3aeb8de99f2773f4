// `telltale accounts`: the customers of the service.
import { parseArgs } from 'node:util';
import {
  createAccount,
  findAccount,
  listAccounts,
  setPlan,
  setScanPrefix,
  type Account,
  AccountFault,
} from '../../accounts/accounts.js';
import { loadPlans } from '../../accounts/plans.js';
import { dayOf } from '../../accounts/usage/period.js';
import { loadConfig } from '../../config.js';
import type { Database } from '../../storage/db/database.js';
import { readChoice, tableLines, UsageError, type Command } from './command.js';
import { withDatabase } from './open-database.js';

const HELP = `Usage: telltale accounts create NAME [--json]
       telltale accounts plan NAME PLAN [--json]
       telltale accounts prefix NAME PREFIX [--json]
       telltale accounts list [--json]

An account owns API keys, usage and kept images. 'telltale keys create' makes
the account too where there is none.

'plan' gives the account one of 'telltale plans'. It holds for its members and
all of its keys within a second; a key that was narrowed stays narrowed.

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
    const [action, name, value, ...rest] = positionals;
    const act = chooseAction(action, name, value);
    if (!act || rest.length > 0)
      throw new UsageError("Expected 'create NAME', 'plan NAME PLAN', 'prefix NAME PREFIX' or 'list'");
    const found = await withDatabase(loadConfig(), act).catch(asUsage);
    const lines = values.json
      ? [JSON.stringify(Array.isArray(found) ? found.map(present) : present(found))]
      : describe([found].flat());
    for (const line of lines) await terminal.out.writeLine(line);
    return 0;
  },
};

type Action = (database: Database) => Promise<Account | Account[]>;

function chooseAction(action?: string, name?: string, value?: string): Action | null {
  if (action === 'list' && name === undefined) return listAccounts;
  if (name === undefined) return null;
  if (action === 'create' && value === undefined) return (database) => createAccount(database, name);
  if (value === undefined) return null;
  if (action === 'plan') {
    const plan = readChoice('PLAN', value, [...loadPlans(loadConfig().plansFile ?? undefined).keys()]);
    return async (database) => setPlan(database, await requireAccount(database, name), plan);
  }
  if (action === 'prefix')
    return async (database) => setScanPrefix(database, await requireAccount(database, name), value);
  return null;
}

async function requireAccount(database: Database, name: string): Promise<string> {
  const account = await findAccount(database, name);
  if (!account) throw new UsageError(`There is no account '${name}'`);
  return account.id;
}

function present(account: Account): object {
  return {
    id: account.id,
    name: account.name,
    plan: account.plan,
    scan_prefix: account.scanPrefix,
    created_at: account.createdAt.toISOString(),
  };
}

function describe(accounts: readonly Account[]): string[] {
  return tableLines(
    ['id', 'plan', 'since', 'bucket', 'name'],
    accounts.map(({ id, name, plan, scanPrefix, createdAt }) => [
      id,
      plan ?? 'none',
      dayOf(createdAt),
      scanPrefix ?? 'none',
      name,
    ]),
  );
}

/** A name that is taken or is none is the caller's to mend. */
function asUsage(error: unknown): never {
  throw error instanceof AccountFault ? new UsageError(error.message) : error;
}
