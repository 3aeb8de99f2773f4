// `telltale keys`: creating, listing and revoking API keys. A key is printed only when it is created.
import { parseArgs } from 'node:util';
import { createKey, listKeys, presentKey, revokeKey, SCOPES, type ApiKey } from '../../accounts/keys.js';
import { readExpiry } from '../../accounts/key-expiry.js';
import { readOverlap, rollKey } from '../../accounts/key-rolling.js';
import { loadPlans } from '../../accounts/plans.js';
import { loadConfig } from '../../config.js';
import { dayOf } from '../../accounts/usage/period.js';
import type { Terminal } from '../terminal/terminal.js';
import { readNames, tableLines, UsageError, type Command, type ExitStatus, print } from './command.js';
import { withDatabase } from './open-database.js';

const HELP = `Usage: telltale keys create --account NAME [--plan PLAN] [--name NAME]
                     [--scopes LIST | --sandbox] [--expires YYYY-MM-DD] [--json]
       telltale keys list [--account NAME] [--json]
       telltale keys roll ID --overlap TIME [--json]
       telltale keys revoke ID [--json]

create: creates a key, and its account if it is missing, and prints the key
once. All keys of an account share its plan and quota.
roll: prints a new key with the same properties. The old key keeps working for
TIME (24h, 30m, 7d or 0).
revoke: permanently disables the key within a second. ID is the 8 characters
after tt_live_ or tt_test_.

  --plan PLAN     one of 'telltale plans': the plan of a new account, or a
                  smaller plan that limits this key of an existing account
  --scopes LIST   check,usage,scan (default: all)
  --sandbox       create a key for tests of programs (tt_test_...), which gets
                  fixed results and is never charged
  --expires DAY   last day (UTC) on which the key works
  --json          print JSON

Exit status: 0 done, 1 failed, 2 wrong usage.`;

const OPTIONS = {
  account: { type: 'string' },
  plan: { type: 'string' },
  name: { type: 'string' },
  scopes: { type: 'string' },
  sandbox: { type: 'boolean', default: false },
  expires: { type: 'string' },
  overlap: { type: 'string' },
  json: { type: 'boolean', default: false },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>>['values'];

export const keysCommand: Command = {
  help: HELP,
  async run(args, terminal) {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
    const [action, id, ...rest] = positionals;
    if (action === 'create' && id === undefined) return create(values, terminal);
    if (action === 'create') throw new UsageError(`Expected --account NAME for create but received '${id}'`);
    if (action === 'list' && id === undefined) return list(values, terminal);
    if (action === 'roll' && id !== undefined && rest.length === 0) return roll(id, values, terminal);
    if (action === 'revoke' && id !== undefined && rest.length === 0) return revoke(id, values, terminal);
    throw new UsageError("Expected 'create', 'list', 'roll ID' or 'revoke ID'");
  },
};

async function create(values: Values, terminal: Terminal): Promise<ExitStatus> {
  const { account, plan } = values;
  if (account === undefined) throw new UsageError('Expected --account for create');
  if (values.sandbox && values.scopes !== undefined)
    throw new UsageError(
      '--sandbox and --scopes exclude each other, because a sandbox key has a fixed scope',
    );
  const config = loadConfig();
  const plans = loadPlans(config.plansFile ?? undefined);
  const options = {
    account,
    ...(plan !== undefined && { plan }),
    ...(values.name !== undefined && { name: values.name }),
    ...(values.scopes !== undefined && { scopes: readNames('--scopes', [values.scopes], SCOPES) }),
    sandbox: values.sandbox,
    ...(values.expires !== undefined && { expiresAt: readExpiry(values.expires) }),
  };
  const created = await withDatabase(config, (database) => createKey(database, options, plans));
  const { id, accountName, key } = created;
  const { plan: keyPlan } = presentKey(created);
  const sandbox = values.sandbox && { sandbox: true };
  return print(terminal, values.json, { id, account: accountName, plan: keyPlan, key, ...sandbox }, [
    key,
    `This is the only time the key is shown (account '${accountName}', plan ${keyPlan}${values.sandbox ? ', sandbox' : ''}).`,
  ]);
}

async function list(values: Values, terminal: Terminal): Promise<ExitStatus> {
  const keys = await withDatabase(loadConfig(), (database) => listKeys(database, values.account));
  return print(terminal, values.json, keys.map(presentKey), describe(keys));
}

async function revoke(id: string, values: Values, terminal: Terminal): Promise<ExitStatus> {
  const key = await withDatabase(loadConfig(), (database) => revokeKey(database, id));
  return print(terminal, values.json, presentKey(key), describe([key]));
}

async function roll(id: string, values: Values, terminal: Terminal): Promise<ExitStatus> {
  if (values.overlap === undefined) throw new UsageError('Expected --overlap for roll');
  const overlapMs = readOverlap(values.overlap);
  const { created, former: oldKey } = await withDatabase(loadConfig(), (database) =>
    rollKey(database, id, overlapMs),
  );
  const [{ key }, expires] = [created, oldKey.expiresAt?.toISOString() ?? null];
  const json = { ...presentKey(created), key, former: { id: oldKey.id, expires_at: expires } };
  return print(terminal, values.json, json, [
    key,
    `This is the only time the key is shown. The former one, ${oldKey.id}, works until ${expires}.` +
      (created.expiresAt ? ` The new one works until ${created.expiresAt.toISOString()}.` : ''),
  ]);
}

function describe(keys: readonly ApiKey[]): string[] {
  return tableLines(
    ['id', 'plan', 'scopes', 'created', 'last used', 'state', 'account / name'],
    keys.map((key) => [
      key.id,
      key.narrowedTo === null ? key.plan : `${key.narrowedTo} (of ${key.plan})`,
      key.scopes.join(','),
      dayOf(key.createdAt),
      key.lastUsedAt ? dayOf(key.lastUsedAt) : 'never',
      stateOf(key),
      `${key.accountName} / ${key.name}`,
    ]),
  );
}

function stateOf({ revokedAt, expiresAt }: ApiKey): string {
  if (revokedAt) return `revoked ${dayOf(revokedAt)}`;
  if (!expiresAt) return 'works';
  return `${expiresAt <= new Date() ? 'expired' : 'works until'} ${expiresAt.toISOString()}`;
}
