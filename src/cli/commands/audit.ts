// `telltale audit`: printing the log of administrative changes.
import { parseArgs } from 'node:util';
import { requireAccount } from '../../accounts/accounts.js';
import { presentEntry, readAudit, type AuditFilter, type PresentedEntry } from '../../accounts/audit.js';
import { CHANGE_FILTERS, describeChange } from '../../accounts/changes.js';
import { readMoment } from '../../accounts/usage/period.js';
import { visibleText } from 'telltale-engine/internal/base/visible-text.js';
import { loadConfig } from '../../config.js';
import { EMPTY_LIST, type Command, readChoice } from './command.js';
import { withDatabase } from './open-database.js';

const HELP = `Usage: telltale audit [--account NAME] [--what NAME] [--since WHEN]
                      [--until WHEN] [--json]

Prints who changed what, oldest first: accounts, plans, keys, members, webhooks,
thresholds, erasures, and successful and failed sign-ins. Entries are deleted
after TELLTALE_AUDIT_DAYS.

  --account NAME   only changes of this account
  --what NAME      only one kind of change, such as key.created, or one kind of
                   object, such as key or sign_in
  --since WHEN     from this day (UTC, YYYY-MM-DD) or time (RFC 3339)
  --until WHEN     to the end of this day, or before this time
  --json           print JSON lines

Exit status: 0 done, 1 failed, 2 wrong usage.`;

export const auditCommand: Command = {
  help: HELP,
  async run(args, terminal) {
    const { values } = parseArgs({
      args,
      options: {
        account: { type: 'string' },
        what: { type: 'string' },
        since: { type: 'string' },
        until: { type: 'string' },
        json: { type: 'boolean', default: false },
      },
    });
    const { account, what, since, until } = values;
    const filter: AuditFilter = {
      ...(what !== undefined && { what: readChoice('--what', what, CHANGE_FILTERS) }),
      ...(since !== undefined && { since: readMoment('since', since, 'start') }),
      ...(until !== undefined && { until: readMoment('until', until, 'end') }),
    };
    await withDatabase(loadConfig(), async (database) => {
      const accountId = account === undefined ? undefined : (await requireAccount(database, account)).id;
      const entryFilter = { ...filter, ...(accountId !== undefined && { accountId }) };
      let isEmpty = true;
      for await (const entry of readAudit(database, entryFilter)) {
        isEmpty = false;
        const presentedEntry = presentEntry(entry, null);
        await terminal.out.writeLine(values.json ? JSON.stringify(presentedEntry) : describe(presentedEntry));
      }
      if (isEmpty && !values.json) await terminal.err.writeLine(EMPTY_LIST);
    });
    return 0;
  },
};

/** Describes an entry of the audit log on one line. Removes control characters from names. */
function describe({ at, what, subject, account, by, before, after }: PresentedEntry): string {
  const origin = by.kind === 'command' ? 'command line' : by.address;
  const kind = { key: 'key', visitor: 'the link' }[by.kind as string] ?? '';
  const actor = [by.name === null ? '' : kind, by.name ?? by.kind, origin === null ? '' : `(${origin})`];
  const ownerNote = account && account.name !== subject ? `of ${account.name ?? account.id}` : '';
  const facts = describeChange({ what, subject, before, after });
  const parts = [at, what, subject, ownerNote, 'by', ...actor, facts === '' ? '' : `[${facts}]`];
  return visibleText(parts.filter((part) => part !== '').join(' '));
}
