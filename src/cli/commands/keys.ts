// `telltale keys`: API keys, shown once when they are made.
import { parseArgs } from 'node:util';
import { AccountFault } from '../../accounts/faults.js';
import { createKey, listKeys, revokeKey, SCOPES, type ApiKey, type Scope } from '../../accounts/keys.js';
import { loadPlans } from '../../accounts/plans.js';
import { loadConfig } from '../../config.js';
import { readDay } from '../../accounts/usage/period.js';
import type { Terminal } from '../terminal/terminal.js';
import { readChoice, UsageError, type Command, type ExitStatus } from './command.js';
import { withDatabase } from './open-database.js';

const HELP = `Usage: telltale keys create --account NAME --plan PLAN [--name NAME]
                            [--scopes LIST] [--expires YYYY-MM-DD] [--json]
       telltale keys list [--account NAME] [--json]
       telltale keys revoke ID [--json]

create: makes a key, and the account where there is none, and prints the key
once: only a hash of it is stored. All keys of an account with the same plan
draw on one quota.

revoke: the key stops working within a second, for good. ID is the 8 characters
after tt_live_.

  --plan PLAN     one of 'telltale plans'
  --scopes LIST   check,usage,scan (the default: all)
  --expires DAY   last day (UTC) on which the key works
  --json          for programs

Exit status: 0 done, 1 failed, 2 wrong usage.`;

const OPTIONS = {
  account: { type: 'string' },
  plan: { type: 'string' },
  name: { type: 'string' },
  scopes: { type: 'string' },
  expires: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>>['values'];

const DAY_MS = 86_400_000;

/** The subcommand `keys`. */
export const keysCommand: Command = {
  help: HELP,
  async run(args, terminal) {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
    const [action, id, ...rest] = positionals;
    try {
      if (action === 'create' && id === undefined) return await create(values, terminal);
      if (action === 'list' && id === undefined) return await list(values, terminal);
      if (action === 'revoke' && id !== undefined && rest.length === 0)
        return await revoke(id, values, terminal);
    } catch (error) {
      throw error instanceof AccountFault ? new UsageError(error.message) : error;
    }
    throw new UsageError("Expected 'create', 'list' or 'revoke ID'");
  },
};

async function create(values: Values, terminal: Terminal): Promise<ExitStatus> {
  const { account, plan } = values;
  if (account === undefined || plan === undefined) throw new UsageError('create needs --account and --plan');
  const config = loadConfig();
  readChoice('--plan', plan, [...loadPlans(config.plansFile ?? undefined).keys()]);
  const created = await withDatabase(config, (database) =>
    createKey(database, {
      account,
      plan,
      ...(values.name !== undefined && { name: values.name }),
      ...(values.scopes !== undefined && { scopes: readScopes(values.scopes) }),
      ...(values.expires !== undefined && { expiresAt: readExpiry(values.expires) }),
    }),
  );
  const { id, accountName, key } = created;
  await terminal.out.writeLine(
    values.json
      ? JSON.stringify({ id, account: accountName, plan, key })
      : `${key}\nThis is the only time the key is shown (account '${accountName}', plan ${plan}).`,
  );
  return 0;
}

async function list(values: Values, terminal: Terminal): Promise<ExitStatus> {
  const keys = await withDatabase(loadConfig(), (database) => listKeys(database, values.account));
  if (values.json) await terminal.out.writeLine(JSON.stringify(keys.map(present)));
  else for (const key of keys) await terminal.out.writeLine(describe(key));
  return 0;
}

async function revoke(id: string, values: Values, terminal: Terminal): Promise<ExitStatus> {
  const key = await withDatabase(loadConfig(), (database) => revokeKey(database, id));
  await terminal.out.writeLine(values.json ? JSON.stringify(present(key)) : describe(key));
  return 0;
}

function readScopes(text: string): Scope[] {
  return text.split(',').map((scope) => readChoice('--scopes', scope, SCOPES));
}

/** The moment after the last day. */
function readExpiry(text: string): Date {
  const day = readDay(text);
  if (!day) throw new UsageError(`Expected YYYY-MM-DD for --expires but received '${text}'`);
  return new Date(day.getTime() + DAY_MS);
}

function present(key: ApiKey): object {
  return {
    id: key.id,
    account: key.accountName,
    plan: key.plan,
    name: key.name,
    scopes: key.scopes,
    created_at: key.createdAt.toISOString(),
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  };
}

function describe(key: ApiKey): string {
  const end = key.revokedAt
    ? 'revoked'
    : key.expiresAt
      ? `works until ${key.expiresAt.toISOString()}`
      : 'works';
  return `${key.id}  ${key.plan.padEnd(10)}  ${key.scopes.join(',').padEnd(12)}  ${end}  ${key.accountName} / ${key.name}`;
}
