// Reads scans and their answers.
import { carriesMark } from '../../check/marks/carries-mark.js';
import type { MarkKind } from '../../check/types.js';
import type { Database } from '../../storage/db/database.js';
import type { ItemRow, ScanRow } from './rows.js';

/** A scan of an account, or null. */
export async function findScan(database: Database, accountId: string, id: string): Promise<ScanRow | null> {
  const row = await database.run((queries) =>
    queries<ScanRow>('scans').where({ id, account_id: accountId }).whereNot({ state: 'receiving' }).first(),
  );
  return row ?? null;
}

/** An account's scans, newest first, at most `limit`; with `before` those older than the scan with this identifier. */
export async function listScans(
  database: Database,
  accountId: string,
  limit: number,
  before?: string,
): Promise<ScanRow[]> {
  return database.run((queries) => {
    const query = queries<ScanRow>('scans')
      .where({ account_id: accountId })
      .whereNot({ state: 'receiving' })
      .orderBy('id', 'desc')
      .limit(limit);
    return before === undefined ? query : query.where('id', '<', before);
  });
}

/** Answers that are read at a time. */
const READ_ROWS = 500;

/** Which entries of a scan are read: those numbered `after + 1` to `last`. */
export interface EntryRange {
  readonly id: string;
  readonly after: number;
  readonly last: number;
  /** Only results that carry a mark of one of these kinds; null: all entries. */
  readonly mark: readonly MarkKind[] | null;
}

/** The entries of a range, in order, as JSON without line breaks. */
export async function* readEntries(
  database: Database,
  { id, after, last, mark }: EntryRange,
): AsyncGenerator<string> {
  for (let from = after; from < last; from += READ_ROWS) {
    const to = Math.min(from + READ_ROWS, last);
    const bodies = await database.run((queries) =>
      queries<ItemRow>('scan_items')
        .where({ scan_id: id })
        .whereBetween('number', [from + 1, to])
        .orderBy('number')
        .pluck('body'),
    );
    for (const body of bodies) if (body !== null && (mark === null || fits(body, mark))) yield body;
  }
}

/** Most entries carry none and are not parsed: a heat map makes one long, and a page has ten thousand. */
function fits(body: string, mark: readonly MarkKind[]): boolean {
  if (!mark.some((kind) => body.includes(`"kind":"${kind}"`))) return false;
  return carriesMark(JSON.parse(body) as object, mark);
}

/** How much there is to do and was done, over all scans that are kept. */
export interface ScanTotals {
  /** Items that wait for their answers. */
  readonly waiting: number;
  readonly checked: number;
  /** Error entries by code. */
  readonly failed: Readonly<Record<string, number>>;
}

/** Counts the items of all scans, by what became of them. PostgreSQL alone. */
export async function readScanTotals(database: Database): Promise<ScanTotals> {
  return database.run(async (queries) => {
    const sums = await queries.raw<{ rows: { waiting: number; checked: number }[] }>(
      `select coalesce(sum(items - answered) filter (where state in ('queued', 'running')), 0)::float8 as waiting,
         coalesce(sum(checked), 0)::float8 as checked from scans`,
    );
    const errors = await queries.raw<{ rows: { code: string; count: number }[] }>(
      `select key as code, sum(value::integer)::float8 as count from scans, json_each_text(errors::json) group by key`,
    );
    return {
      waiting: sums.rows[0]?.waiting ?? 0,
      checked: sums.rows[0]?.checked ?? 0,
      failed: Object.fromEntries(errors.rows.map(({ code, count }) => [code, count])),
    };
  });
}
