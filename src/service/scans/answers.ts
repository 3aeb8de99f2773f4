// Stores the results of scan items: numbers and charges them in one transaction, each item only once.
import type { Queries } from '../../storage/db/database.js';
import { recordReservedChecks, toCheckRecord, type CheckRecord } from '../../accounts/usage/record-checks.js';
import {
  type ScanDeps,
  presentScan,
  isLive,
  readAssessments,
  readErrors,
  reservationOf,
  type ErrorCounts,
  type ItemRow,
  type ScanRow,
  type ScanOptions,
} from './scan.js';
import { endScan } from './end.js';
import type { SceneHash } from 'telltale-engine/internal/engine/types.js';
import type { CheckResult } from 'telltale-engine/internal/check/result-schema.js';
import type { ErrorCode } from 'telltale-engine/internal/base/error-codes.js';
import type { CheckError } from 'telltale-engine/internal/base/errors.js';
import { presentCheck } from 'telltale-engine/internal/check/present.js';
import type { CheckReport } from 'telltale-engine/internal/check/report.js';

/** Fields that identify an item in the results. */
interface ItemName {
  readonly line: number;
  readonly ref: string | null;
}

/** A line in the results of a scan. */
type ScanEntry = { readonly line: number; readonly ref?: string } & (
  CheckResult | { readonly error: { readonly code: ErrorCode; readonly message: string } }
);

const INTERNAL_MESSAGE = 'the service failed three times on this image; it is not charged';

/** Returns the line in a scan's results for a checked item. */
function presentResult(item: ItemName, result: CheckResult): ScanEntry {
  return { ...nameOf(item), ...result };
}

/** Returns the line in a scan's results for a failed item. */
export function presentFailure(item: ItemName, error: CheckError): ScanEntry {
  const message = error.expose ? error.message : INTERNAL_MESSAGE;
  return { ...nameOf(item), error: { code: error.code, message } };
}

function nameOf({ line, ref }: ItemName): { line: number; ref?: string } {
  return ref === null ? { line } : { line, ref };
}

/** Result of one item, to be stored. */
export interface Answer {
  readonly position: number;
  /** Line of the results as JSON without line breaks. */
  readonly body: string;
  /** Charge for a checked image, or the error code of a failed item, which is not charged. */
  readonly outcome:
    | { readonly kind: 'checked'; readonly record: CheckRecord }
    | { readonly kind: 'failed'; readonly code: ErrorCode };
}

/** Fields of the item that a result is for. */
export type AnsweredItem = Pick<ItemRow, 'position' | 'line' | 'ref'>;

/** Returns the result of a checked image. The latency counts from the start of the upload or fetch. */
export function answerChecked(
  item: AnsweredItem,
  report: CheckReport,
  context: {
    readonly include: ScanOptions['include'];
    readonly latencyMs: number;
    readonly fetchMs: number;
    /** Name of the image in the history, or null if the history has no names. */
    readonly name: string | null;
    /** Scene hash to store, or null. */
    readonly hash: SceneHash | null;
  },
): Answer {
  const { include, latencyMs, fetchMs, name, hash } = context;
  const result = presentCheck(report, { include, latencyMs, fetchMs });
  return {
    position: item.position,
    body: JSON.stringify(presentResult(item, result)),
    outcome: { kind: 'checked', record: toCheckRecord(report, latencyMs, { ref: item.ref, name, hash }) },
  };
}

/** Returns the result of an item that could not be checked. */
export function answerFailed(item: AnsweredItem, error: CheckError): Answer {
  return {
    position: item.position,
    body: JSON.stringify(presentFailure(item, error)),
    outcome: { kind: 'failed', code: error.code },
  };
}

/**
 * Stores results of one scan, all or none. Ignores items that already have a result, and everything if the
 * scan has ended; these are not charged. Locks the scan's row, so that the numbers 1, 2, 3, ... appear in
 * order and a reader of the first numbers misses none.
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
    const openPositions = await selectOpen(queries, scanId, answers);
    const newAnswers = answers.filter(({ position }) => openPositions.has(position));
    if (newAnswers.length === 0) return;
    await writeAnswers(queries, scan, newAnswers);
    const checks = newAnswers.flatMap(({ outcome }) => (outcome.kind === 'checked' ? [outcome.record] : []));
    const now = new Date();
    const updatedScan: ScanRow = {
      ...scan,
      answered: scan.answered + newAnswers.length,
      checked: scan.checked + checks.length,
      errors: JSON.stringify(addErrors(readErrors(scan), newAnswers)),
      assessments: addAssessments(scan, checks),
    };
    const { answered, checked, errors, assessments } = updatedScan;
    await queries('scans').where({ id: scanId }).update({ answered, checked, errors, assessments });
    // Comes last, because all other checks of the account wait for its counters from here until the commit.
    if (checks.length > 0) {
      const reservation = reservationOf(scan);
      const by = { keyId: scan.key_id, memberId: scan.member_id };
      const charge = { reservation, ...by, workId: scanId, keepsHistory, checks };
      await recordReservedChecks(queries, charge, now);
    }
    if (answered === scan.items) await endScan(queries, deps, updatedScan, { state: 'finished' });
    else if (passesTenth(scan.items, scan.answered, answered)) {
      const event = { type: 'scan.progress', accountId: scan.account_id } as const;
      await deps.listener(queries, { ...event, scan: presentScan(updatedScan, now) });
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

/** Returns a scan's counts by assessment, with `checks`, as JSON. */
function addAssessments(scan: ScanRow, checks: readonly CheckRecord[]): string | null {
  const counts = readAssessments(scan);
  if (counts === null) return null;
  const sums = { ...counts };
  for (const { assessment } of checks) sums[assessment] += 1;
  return JSON.stringify(sums);
}

function addErrors(errors: ErrorCounts, answers: readonly Answer[]): ErrorCounts {
  const sum: ErrorCounts = { ...errors };
  for (const { outcome } of answers)
    if (outcome.kind === 'failed') sum[outcome.code] = (sum[outcome.code] ?? 0) + 1;
  return sum;
}

/** Returns whether the number of results has passed another tenth of `items`. */
function passesTenth(items: number, before: number, after: number): boolean {
  return Math.floor((after * 10) / items) > Math.floor((before * 10) / items);
}
