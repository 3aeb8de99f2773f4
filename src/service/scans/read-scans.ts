// Reads scans and their results from the database.
import { carriesMark, type MarkKind } from 'telltale-engine/internal/check/marks/kinds.js';
import type { ErrorCode } from 'telltale-engine/internal/base/error-codes.js';
import { MEMBER_ADDRESS } from '../../accounts/members/members.js';
import { cutPage, type Page } from '../../accounts/page.js';
import type { Database } from '../../storage/db/database.js';
import type { ItemRow, ScanRow } from './scan.js';

/** Returns a scan, or null if the account has no such scan. */
export async function findScan(database: Database, accountId: string, id: string): Promise<ScanRow | null> {
  const row = await database.run((queries) =>
    queries<ScanRow>('scans').where({ id, account_id: accountId }).whereNot({ state: 'receiving' }).first(),
  );
  return row ?? null;
}

/** Returns the item at a position of a scan, or null. */
export async function findItem(
  database: Database,
  scanId: string,
  position: number,
): Promise<Pick<ItemRow, 'position' | 'line' | 'ref' | 'number'> | null> {
  const row = await database.run((queries) =>
    queries<ItemRow>('scan_items')
      .where({ scan_id: scanId, position })
      .first('position', 'line', 'ref', 'number'),
  );
  return row ?? null;
}

/** Number of results per database query. */
const READ_ROWS = 500;

/** Results to read: numbers `after + 1` to `last`. */
interface EntryRange {
  readonly id: string;
  readonly after: number;
  readonly last: number;
  /** Kinds of marks. Results without a mark of these kinds are skipped; null for all results. */
  readonly markKinds: readonly MarkKind[] | null;
}

/** Yields results in order, as JSON without line breaks. */
export async function* readEntries(
  database: Database,
  { id, after, last, markKinds }: EntryRange,
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
    for (const body of bodies)
      if (body !== null && (markKinds === null || hasMark(body, markKinds))) yield body;
  }
}

/**
 * Returns whether a result has one of these marks. Parses only results that contain the mark's name, because
 * heat maps make results long.
 */
function hasMark(body: string, markKinds: readonly MarkKind[]): boolean {
  if (!markKinds.some((kind) => body.includes(`"kind":"${kind}"`))) return false;
  return carriesMark(JSON.parse(body) as object, markKinds);
}

/** Number of items of all stored scans, by outcome. */
interface ScanTotals {
  /** Number of items without a result. */
  readonly waiting: number;
  readonly checked: number;
  /** Number of errors by code. */
  readonly failed: Readonly<Record<string, number>>;
}

/** Counts the items of all scans by outcome. Requires PostgreSQL. */
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

/** A scan with the member or key that started it. Both are null if the member was removed. */
export interface NamedScan extends ScanRow {
  readonly member_email: string | null;
  readonly key_name: string | null;
}

/**
 * Lists an account's scans, newest first, with the member or key that started them. `before` selects scans
 * older than this identifier, `id` selects one scan.
 */
export async function listScans(
  database: Database,
  accountId: string,
  size: number,
  { before, id }: { readonly before?: string | undefined; readonly id?: string } = {},
): Promise<Page<NamedScan>> {
  const rows = await database.run((queries) => {
    const query = queries<NamedScan>('scans')
      .leftJoin('members', 'members.id', 'scans.member_id')
      .leftJoin('api_keys', 'api_keys.id', 'scans.key_id')
      .where('scans.account_id', accountId)
      .whereNot('scans.state', 'receiving')
      .orderBy('scans.id', 'desc')
      .limit(size + 1)
      .select<NamedScan[]>(
        'scans.*',
        queries.raw(`${MEMBER_ADDRESS} as member_email`),
        'api_keys.name as key_name',
      );
    if (before !== undefined) void query.where('scans.id', '<', before);
    if (id !== undefined) void query.where('scans.id', id);
    return query;
  });
  return cutPage(rows, size);
}

/** Result of a failed item, with its number. */
interface Failure {
  readonly number: number;
  readonly line: number;
  readonly ref?: string;
  readonly error: { readonly code: ErrorCode; readonly message: string };
}

/** Lists at most `limit` results of failed items with a number above `after`, in order. */
export async function listFailures(
  database: Database,
  id: string,
  after: number,
  limit: number,
): Promise<Failure[]> {
  const rows = await database.run((queries) =>
    queries<ItemRow>('scan_items')
      .where({ scan_id: id })
      .where('number', '>', after)
      // Quotes inside a JSON string are escaped, so only the `error` field of the result itself matches.
      .whereLike('body', '{"line":%,"error":{"code":"%')
      .orderBy('number')
      .limit(limit)
      .select('number', 'body'),
  );
  return rows.map(({ number, body }) => ({ ...(JSON.parse(body ?? '') as Failure), number: number ?? 0 }));
}
