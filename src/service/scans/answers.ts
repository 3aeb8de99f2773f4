// Answers of a scan: result or error, numbered, charged, in one transaction, each item once.
import type { Queries } from '../../storage/db/database.js';
import { recordReservedChecks } from '../../accounts/usage/record-checks.js';
import type { Answer } from './answer.js';
import type { ScanDeps } from './deps.js';
import { endScan } from './end.js';
import { passesTenth } from './events.js';
import { presentScan } from './present.js';
import { isLive, readErrors, reservationOf, type ErrorCounts, type ItemRow, type ScanRow } from './rows.js';

/**
 * Records answers of one scan, all or none. Those of items that have one already are dropped, and all of them if the
 * scan has ended; neither are charged. The scan's row is locked meanwhile, so that the numbers 1, 2, 3, ... become
 * visible in their order, and who has read up to one of them misses nothing.
 */
export async function recordAnswers(
  deps: ScanDeps,
  scanId: string,
  answers: readonly Answer[],
  keepsHistory: boolean,
): Promise<void> {
  await deps.database.transaction(async (queries) => {
    const scan = await queries<ScanRow>('scans').where({ id: scanId }).forUpdate().first();
    if (!scan || !isLive(scan)) return;
    const open = await selectOpen(queries, scanId, answers);
    const fresh = answers.filter(({ position }) => open.has(position));
    if (fresh.length === 0) return;
    await writeAnswers(queries, scan, fresh);
    const checks = fresh.flatMap(({ outcome }) => (outcome.kind === 'checked' ? [outcome.record] : []));
    const now = new Date();
    const counted: ScanRow = {
      ...scan,
      answered: scan.answered + fresh.length,
      checked: scan.checked + checks.length,
      errors: JSON.stringify(addErrors(readErrors(scan), fresh)),
    };
    const { answered, checked, errors } = counted;
    await queries('scans').where({ id: scanId }).update({ answered, checked, errors });
    // Last, because every check of the account waits for its counters until the commit.
    if (checks.length > 0) {
      const reservation = reservationOf(scan);
      const by = { keyId: scan.key_id, memberId: scan.member_id };
      const charge = { reservation, ...by, workId: scanId, keepsHistory, checks };
      await recordReservedChecks(queries, charge, now);
    }
    if (answered === scan.items) await endScan(queries, deps, counted, { state: 'finished' });
    else if (passesTenth(scan.items, scan.answered, answered)) {
      const event = { type: 'scan.progress', accountId: scan.account_id } as const;
      await deps.listener(queries, { ...event, scan: presentScan(counted, now) });
    }
  });
}

async function selectOpen(
  queries: Queries,
  scanId: string,
  answers: readonly Answer[],
): Promise<ReadonlySet<number>> {
  const positions = await queries<ItemRow>('scan_items')
    .where({ scan_id: scanId })
    .whereIn(
      'position',
      answers.map(({ position }) => position),
    )
    .whereNull('number')
    .pluck('position');
  return new Set(positions);
}

async function writeAnswers(queries: Queries, scan: ScanRow, answers: readonly Answer[]): Promise<void> {
  const rows = answers.map(({ position, body }, index) => ({
    position,
    number: scan.answered + index + 1,
    body,
  }));
  await queries.raw(
    `update scan_items set number = x.number, body = x.body
     from json_to_recordset(?::json) as x (position integer, number integer, body text)
     where scan_items.scan_id = ? and scan_items.position = x.position`,
    [JSON.stringify(rows), scan.id],
  );
}

function addErrors(errors: ErrorCounts, answers: readonly Answer[]): ErrorCounts {
  const sum: ErrorCounts = { ...errors };
  for (const { outcome } of answers)
    if (outcome.kind === 'failed') sum[outcome.code] = (sum[outcome.code] ?? 0) + 1;
  return sum;
}
