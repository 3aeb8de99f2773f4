// Results of scan items: numbered, charged and stored in one transaction, each item once.
import type { Queries } from '../../storage/db/database.js';
import { recordReservedChecks, toCheckRecord, type CheckRecord } from '../../accounts/usage/record-checks.js';
import type { ScanDeps } from './deps.js';
import { endScan } from './end.js';
import {
  presentScan,
  isLive,
  readErrors,
  reservationOf,
  type ErrorCounts,
  type ItemRow,
  type ScanRow,
  type ScanOptions,
} from './scan.js';
import type { SceneHash } from 'telltale-engine/internal/engine/types.js';
import type { CheckResult } from 'telltale-engine/internal/check/result-schema.js';
import type { ErrorCode } from 'telltale-engine/internal/base/error-codes.js';
import type { CheckError } from 'telltale-engine/internal/base/errors.js';
import { presentCheck } from 'telltale-engine/internal/check/present.js';
import type { CheckReport } from 'telltale-engine/internal/check/report.js';

/** Identification of an item in its entry. */
interface ItemName {
  readonly line: number;
  readonly ref: string | null;
}

/** A line of the results. */
type ScanEntry = { readonly line: number; readonly ref?: string } & (
  CheckResult | { readonly error: { readonly code: ErrorCode; readonly message: string } }
);

const INTERNAL_MESSAGE = 'the service failed three times on this image; it is not charged';

/** Returns the entry of a checked item. */
function presentResult(item: ItemName, result: CheckResult): ScanEntry {
  return { ...nameOf(item), ...result };
}

/** Returns the entry in a scan's results for an item that failed. */
export function presentFailure(item: ItemName, error: CheckError): ScanEntry {
  const message = error.expose ? error.message : INTERNAL_MESSAGE;
  return { ...nameOf(item), error: { code: error.code, message } };
}

function nameOf({ line, ref }: ItemName): { line: number; ref?: string } {
  return ref === null ? { line } : { line, ref };
}

/** Result of one item. */
export interface Answer {
  readonly position: number;
  /** Entry of the results as JSON without line breaks. */
  readonly body: string;
  /** Charge of a checked image, or the code of an error, which is not charged. */
  readonly outcome:
    | { readonly kind: 'checked'; readonly record: CheckRecord }
    | { readonly kind: 'failed'; readonly code: ErrorCode };
}

/** Item that an answer belongs to. */
export type AnsweredItem = Pick<ItemRow, 'position' | 'line' | 'ref'>;

/**
 * Returns the answer of a checked image. `latencyMs` counts from its first byte or its address and includes `fetchMs`.
 */
export function answerChecked(
  item: AnsweredItem,
  report: CheckReport,
  context: {
    readonly include: ScanOptions['include'];
    readonly latencyMs: number;
    readonly fetchMs: number;
    /** Display name in the history, or null if it keeps no names. */
    readonly name: string | null;
    /** Hash of the scene, or null if none is kept. */
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

/** Returns the answer of an item that could not be checked. */
export function answerFailed(item: AnsweredItem, error: CheckError): Answer {
  return {
    position: item.position,
    body: JSON.stringify(presentFailure(item, error)),
    outcome: { kind: 'failed', code: error.code },
  };
}

/**
 * Records answers of one scan, all or none. Drops, without a charge, the answers of items that already have one, and all if
 * the scan has ended. Locks the scan's row, so that the numbers 1, 2, 3, ... become visible in order and a reader of
 * the first numbers misses none.
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
    // Last, because all checks of the account wait for its counters until the commit.
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

/** Returns whether the number of answers passes a tenth of `items`. */
function passesTenth(items: number, before: number, after: number): boolean {
  return Math.floor((after * 10) / items) > Math.floor((before * 10) / items);
}
