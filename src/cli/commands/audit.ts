// `telltale audit`: printing the log of administrative changes.
import { parseArgs } from 'node:util';
import { DAY_MS } from 'telltale-engine/internal/base/numbers.js';
import { requireAccount } from '../../accounts/accounts.js';
import { presentEntry, readAudit, type AuditFilter, type PresentedEntry } from '../../accounts/audit.js';
import { CHANGE_FILTERS, describeChange } from '../../accounts/changes.js';
import { readDay } from '../../accounts/usage/period.js';
import { visibleText } from 'telltale-engine/internal/base/visible-text.js';
import { loadConfig } from '../../config.js';
import { UsageError, type Command, readChoice } from './command.js';
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
      ...(since !== undefined && { since: readWhen('--since', since, 0) }),
      ...(until !== undefined && { until: readWhen('--until', until, DAY_MS) }),
    };
    await withDatabase(loadConfig(), async (database) => {
      const accountId = account === undefined ? undefined : (await requireAccount(database, account)).id;
      const entryFilter = { ...filter, ...(accountId !== undefined && { accountId }) };
      for await (const entry of readAudit(database, entryFilter)) {
        const presentedEntry = presentEntry(entry, null);
        await terminal.out.writeLine(values.json ? JSON.stringify(presentedEntry) : describe(presentedEntry));
      }
    });
    return 0;
  },
};

/** Reads a time or a day in UTC. A day stands for its beginning plus `dayMs` milliseconds. */
function readWhen(option: string, text: string, dayMs: number): Date {
  const day = readDay(text);
  if (day) return new Date(day.getTime() + dayMs);
  const moment = /^\d{4}-\d{2}-\d{2}T[\d:.]+(Z|[+-]\d{2}:\d{2})$/.test(text) ? new Date(text) : null;
  if (moment && !Number.isNaN(moment.getTime())) return moment;
  throw new UsageError(
    `Expected YYYY-MM-DD or a moment as 2026-11-01T12:00:00Z for ${option} but received '${text}'`,
  );
}

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
