// Migrates the tables to the schema that this version needs.
import { StartError } from 'telltale-engine/internal/base/errors.js';
import type { Database, Queries } from './database.js';
import * as initial from './migrations/0001-initial.js';
import * as forConsole from './migrations/0002-console.js';
import * as scans from './migrations/0003-scans.js';
import * as forWebhooks from './migrations/0004-webhooks.js';
import * as scanHosts from './migrations/0005-scan-hosts.js';
import * as pendingDeliveries from './migrations/0006-pending-deliveries.js';
import * as recordKeys from './migrations/0007-record-keys.js';
import * as scanPrefixes from './migrations/0008-scan-prefixes.js';
import * as accountsOfAPerson from './migrations/0009-accounts-of-a-person.js';
import * as corrections from './migrations/0010-corrections.js';
import * as writeProbe from './migrations/0011-write-probe.js';
import * as keyPeriods from './migrations/0012-key-periods.js';
import * as references from './migrations/0013-references.js';
import * as signInNetworks from './migrations/0014-sign-in-networks.js';
import * as namesAndNotes from './migrations/0015-names-and-notes.js';
import * as scansOfMembers from './migrations/0016-scans-of-members.js';
import * as ownThresholds from './migrations/0017-own-thresholds.js';
import * as plansOfAccounts from './migrations/0018-plans-of-accounts.js';
import * as noCorrections from './migrations/0019-no-corrections.js';
import * as seen from './migrations/0020-seen.js';
import * as appeals from './migrations/0021-appeals.js';
import * as makers from './migrations/0022-makers.js';
import * as auditLog from './migrations/0023-audit-log.js';
import * as marks from './migrations/0024-marks.js';
import * as storedAnswers from './migrations/0025-stored-answers.js';
import * as answeredChecks from './migrations/0026-answered-checks.js';
import * as knownLevels from './migrations/0027-known-levels.js';

/** A migration. `name` must not change after a release, because the database stores it. */
interface Step {
  readonly name: string;
  up(queries: Queries): Promise<void>;
}

/** Refuses to undo a migration. Nobody needs to, because the previous version works with the new tables. */
const down = () => Promise.reject(new Error('steps of the tables go forward only'));

/**
 * All migrations in order. Migrations after 0005 only add things or delete rows, so that the previous version still
 * works with the new tables.
 */
export const STEPS: readonly Step[] = [
  { name: '0001-initial', ...initial },
  { name: '0002-console', ...forConsole },
  { name: '0003-scans', ...scans },
  { name: '0004-webhooks', ...forWebhooks },
  { name: '0005-scan-hosts', ...scanHosts },
  { name: '0006-pending-deliveries', ...pendingDeliveries },
  { name: '0007-record-keys', ...recordKeys },
  { name: '0008-scan-prefixes', ...scanPrefixes },
  { name: '0009-accounts-of-a-person', ...accountsOfAPerson },
  { name: '0010-corrections', ...corrections },
  { name: '0011-write-probe', ...writeProbe },
  { name: '0012-key-periods', ...keyPeriods },
  { name: '0013-references', ...references },
  { name: '0014-sign-in-networks', ...signInNetworks },
  { name: '0015-names-and-notes', ...namesAndNotes },
  { name: '0016-scans-of-members', ...scansOfMembers },
  { name: '0017-own-thresholds', ...ownThresholds },
  { name: '0018-plans-of-accounts', ...plansOfAccounts },
  { name: '0019-no-corrections', ...noCorrections },
  { name: '0020-seen', ...seen },
  { name: '0021-appeals', ...appeals },
  { name: '0022-makers', ...makers },
  { name: '0023-audit-log', ...auditLog },
  { name: '0024-marks', ...marks },
  { name: '0025-stored-answers', ...storedAnswers },
  { name: '0026-answered-checks', ...answeredChecks },
  { name: '0027-known-levels', ...knownLevels },
];

/** Number of PostgreSQL's advisory lock. Other programs on this database must use other numbers. */
export const MIGRATION_LOCK = 7_355_117_310;

/** Table that exists while `telltale migrate` copies into this database. Stores how far each table was copied. */
export const UNFINISHED_TRANSFER = 'unfinished_transfer';

/**
 * Runs the missing migrations in one transaction, in one process at a time. If the process is killed, the tables stay
 * as they were and no lock remains. Ignores migrations of a later version: this version can run on their tables during
 * a rolling update or after going back. Throws StartError `config_invalid` if the database contains a partial copy of
 * another one.
 */
export async function migrate(database: Database): Promise<void> {
  await database.longTransaction(async (queries) => {
    if (database.dialect === 'postgres')
      await queries.raw('select pg_advisory_xact_lock(?)', [MIGRATION_LOCK]);
    if (await queries.schema.hasTable(UNFINISHED_TRANSFER))
      throw new StartError(
        'config_invalid',
        "The database contains an unfinished copy. Run 'telltale migrate' again to finish it",
      );
    await queries.migrate.latest({
      disableTransactions: true,
      disableMigrationsListValidation: true,
      migrationSource: {
        getMigrations: () => Promise.resolve([...STEPS]),
        getMigrationName: (step: Step) => step.name,
        getMigration: (step: Step) => Promise.resolve({ ...step, down }),
      },
    });
  });
}
