// `telltale members`: managing the people who may sign in to the console.
import { parseArgs } from 'node:util';
import { listAccounts, AccountFault, requireAccount } from '../../accounts/accounts.js';
import { dayOf } from '../../accounts/usage/period.js';
import { loadConfig } from '../../config.js';
import { createLink, presentInvitation } from '../../accounts/members/links.js';
import {
  findMembers,
  listMembers,
  presentMember,
  readEmail,
  removeMember,
  ROLES,
} from '../../accounts/members/members.js';
import type { Terminal } from '../terminal/terminal.js';
import { readChoice, tableLines, UsageError, type Command, type ExitStatus, print } from './command.js';
import { openAccount, withDatabase } from './open-database.js';
import { findConsole, warnAssumed } from './serve/served-url.js';

const HELP = `Usage: telltale members invite --account NAME --email ADDRESS [--role ROLE]
                               [--json]
       telltale members list [--account NAME] [--json]
       telltale members remove ADDRESS [--account NAME]

Members are the people who sign in to the console of an account.

invite: prints a link that works once within 7 days, for setting a password or
for signing in with OpenID Connect. No mail is sent. Creates the account if it
is missing. For an existing member, the link sets a new password or switches to
OpenID Connect.
remove: removes the member and signs the member out everywhere. --account
selects one account of a member with several.

  --role ROLE   member (checks images; default), owner (also manages keys and
                members), operator (also manages all accounts)
  --json        print JSON

The link begins with TELLTALE_PUBLIC_URL. Without this setting it begins with
the last address of 'telltale serve', or else with TELLTALE_HOST and
TELLTALE_PORT. Standard error names the source.

Exit status: 0 done, 1 failed, 2 wrong usage.`;

const OPTIONS = {
  account: { type: 'string' },
  email: { type: 'string' },
  role: { type: 'string', default: 'member' },
  json: { type: 'boolean', default: false },
} as const;

type Values = ReturnType<typeof parseArgs<{ options: typeof OPTIONS; allowPositionals: true }>>['values'];

export const membersCommand: Command = {
  help: HELP,
  async run(args, terminal) {
    const { values, positionals } = parseArgs({ args, allowPositionals: true, options: OPTIONS });
    const [action, email, ...rest] = positionals;
    if (action === 'invite' && email === undefined) return invite(values, terminal);
    if (action === 'list' && email === undefined) return list(values, terminal);
    if (action === 'remove' && email !== undefined && rest.length === 0)
      return remove(email, values.account, terminal);
    throw new UsageError("Expected 'invite', 'list' or 'remove ADDRESS'");
  },
};

async function invite(values: Values, terminal: Terminal): Promise<ExitStatus> {
  if (values.account === undefined || values.email === undefined)
    throw new UsageError('Expected --account and --email for invite');
  const email = readEmail(values.email);
  const role = readChoice('--role', values.role, ROLES);
  const name = values.account;
  const config = loadConfig();
  const link = await withDatabase(config, async (database) => {
    const { id: accountId } = await openAccount(database, name, terminal);
    return createLink(database, { purpose: 'invitation', accountId, email, role, by: 'operator' });
  });
  const consoleAddress = await findConsole(config);
  const url = `${consoleAddress.url}/invitation#${link.token}`;
  const { expires_at: expires, ...invitation } = presentInvitation(link);
  await print(terminal, values.json, { account: name, ...invitation, url, expires_at: expires }, [
    url,
    `Give this link only to ${email}. It works once, until ${expires}. This is the only time it is shown.`,
  ]);
  await warnAssumed(terminal, consoleAddress);
  return 0;
}

async function list(values: Values, terminal: Terminal): Promise<ExitStatus> {
  const { account } = values;
  const rows = await withDatabase(loadConfig(), async (database) => {
    const names = new Map((await listAccounts(database)).map(({ id, name }) => [id, name]));
    const selectedAccount = account === undefined ? null : await requireAccount(database, account);
    const members = await listMembers(database, selectedAccount?.id);
    return members.map((member) => ({ ...member, account: names.get(member.accountId) ?? '' }));
  });
  const presented = rows.map((member) => ({ ...presentMember(member), account: member.account }));
  const cells = rows.map(({ role, email, createdAt, account: name }) => [
    role,
    email,
    dayOf(createdAt),
    name,
  ]);
  return print(terminal, values.json, presented, tableLines(['role', 'address', 'since', 'account'], cells));
}

async function remove(text: string, account: string | undefined, terminal: Terminal): Promise<ExitStatus> {
  const email = readEmail(text);
  await withDatabase(loadConfig(), async (database) => {
    const accountFilter = account === undefined ? null : await requireAccount(database, account);
    const members = (await findMembers(database, email)).map(({ member }) => member);
    const [first, second] = members.filter(
      (member) => !accountFilter || member.accountId === accountFilter.id,
    );
    if (!first) throw new AccountFault(`there is no member ${email}`);
    if (second) throw new AccountFault(`${email} is a member of several accounts; name one by --account`);
    await removeMember(database, first.accountId, first.id);
  });
  await terminal.out.writeLine(`${email} is no longer a member`);
  return 0;
}
