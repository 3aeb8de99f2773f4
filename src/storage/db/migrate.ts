// Migrates the tables to the schema that this version needs.
import { StartError } from 'telltale-engine/internal/base/errors.js';
import type { Database, Queries } from './database.js';
import * as steps0001 from './migrations/0001-0003.js';
import * as steps0004 from './migrations/0004-0016.js';
import * as steps0017 from './migrations/0017-0027.js';
import * as steps0028 from './migrations/0028-0031.js';

/** A migration. `name` must not change after a release, because the database stores it. */
interface Step {
  readonly name: string;
  up(queries: Queries): Promise<void>;
}

/** Refuses to undo a migration. Nobody needs to, because the previous version works with the new tables. */
const down = () => Promise.reject(new Error("migrations can't be undone"));

/**
 * All migrations in order. Migrations after 0005 only add things or delete rows, so that the previous version still
 * works with the new tables.
 */
export const STEPS: readonly Step[] = [
  { name: '0001-initial', up: steps0001.createTables },
  { name: '0002-console', up: steps0001.addConsole },
  { name: '0003-scans', up: steps0001.addScans },
  { name: '0004-webhooks', up: steps0004.addWebhooks },
  { name: '0005-scan-hosts', up: steps0004.addScanHosts },
  { name: '0006-pending-deliveries', up: steps0004.addPendingDeliveries },
  { name: '0007-record-keys', up: steps0004.addRecordKeys },
  { name: '0008-scan-prefixes', up: steps0004.addScanPrefixes },
  { name: '0009-accounts-of-a-person', up: steps0004.addAccountsOfAPerson },
  { name: '0010-corrections', up: steps0004.addCorrections },
  { name: '0011-write-probe', up: steps0004.addWriteProbe },
  { name: '0012-key-periods', up: steps0004.addKeyPeriods },
  { name: '0013-references', up: steps0004.addReferences },
  { name: '0014-sign-in-networks', up: steps0004.addSignInNetworks },
  { name: '0015-names-and-notes', up: steps0004.addNamesAndNotes },
  { name: '0016-scans-of-members', up: steps0004.addScansOfMembers },
  { name: '0017-own-thresholds', up: steps0017.addOwnThresholds },
  { name: '0018-plans-of-accounts', up: steps0017.addPlansOfAccounts },
  { name: '0019-no-corrections', up: steps0017.dropCorrections },
  { name: '0020-seen', up: steps0017.addSeen },
  { name: '0021-appeals', up: steps0017.addAppeals },
  { name: '0022-makers', up: steps0017.addMakers },
  { name: '0023-audit-log', up: steps0017.addAuditLog },
  { name: '0024-marks', up: steps0017.addMarks },
  { name: '0025-stored-answers', up: steps0017.addStoredAnswers },
  { name: '0026-answered-checks', up: steps0017.addAnsweredChecks },
  { name: '0027-known-levels', up: steps0017.addKnownLevels },
  { name: '0028-assessments', up: steps0028.addAssessments },
  { name: '0029-separate-links', up: steps0028.separateAppealLinks },
  { name: '0030-known-thumbnails', up: steps0028.addKnownThumbnails },
  { name: '0031-unnamed-labellers', up: steps0028.removeLabellerNames },
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
