// Counts an account's checks over some days: by key or member, by day and by outcome.
import { DAY_MS } from 'telltale-engine/internal/base/numbers.js';
import { IS_FROM_SCAN, outcomeIn } from './filter.js';
import { OUTCOMES, type Outcome } from './outcomes.js';
import { PAGE_ROWS } from '../page.js';
import { listDays } from '../usage/period.js';
import type { Database } from '../../storage/db/database.js';

/** Number of checks by outcome. */
export type OutcomeCounts = Readonly<Record<Outcome, number>>;

/** Returns SQL columns that count the rows of `table` by outcome. */
const countsIn = (table: string): string =>
  OUTCOMES.map(
    (outcome) => `sum(case when ${outcomeIn(table)} = '${outcome}' then 1 else 0 end) as ${outcome}`,
  ).join(', ');

/** Reads the columns of `countsIn`. Without a row, all counts are 0. */
function readCounts(row: CountsRow | undefined): OutcomeCounts {
  return {
    likely_ai: Number(row?.likely_ai ?? 0),
    unclear: Number(row?.unclear ?? 0),
    no_ai_detected: Number(row?.no_ai_detected ?? 0),
    overturned: Number(row?.overturned ?? 0),
  };
}

type CountsRow = Record<Outcome, number | string | null>;

/** Number of checks made with one key, or by members in the console. */
interface Tally {
  /** The key with which the checks were made; null for checks made in the console. */
  readonly key: { readonly id: string; readonly name: string } | null;
  readonly counts: OutcomeCounts;
}

/**
 * Counts the checks since `from` for each key, and all checks made in the console together. Returns at most a
 * hundred entries, most checks first.
 */
export async function tallyChecks(database: Database, accountId: string, from: Date): Promise<Tally[]> {
  const rows = await database.read((queries) =>
    queries('checks')
      .leftJoin('api_keys', 'api_keys.id', 'checks.key_id')
      .where('checks.account_id', accountId)
      .where('checks.created_at', '>=', from.getTime())
      .groupBy('checks.key_id', 'api_keys.name')
      .orderByRaw('count(*) desc')
      .limit(PAGE_ROWS)
      .select<TallyRow[]>('checks.key_id', 'api_keys.name as key_name', queries.raw(countsIn('checks'))),
  );
  return rows.map((row) => ({
    key: row.key_id === null ? null : { id: row.key_id, name: row.key_name ?? '' },
    counts: readCounts(row),
  }));
}

/** Number of checks by outcome, and median score, of one day. */
interface DayTally {
  /** YYYY-MM-DD, UTC. */
  readonly date: string;
  readonly counts: OutcomeCounts;
  /** Median of the full-image scores, from 0 to 1; null if no check has one. */
  readonly medianScore: number | null;
}

/** SQL for the number of days from 1970 to the check. Dividing integers drops the remainder. */
const DAY = `checks.created_at / ${DAY_MS}`;

/**
 * Returns one entry for each day from `from` to `to` (both included), in order. Days before the oldest check in the
 * history are counted as empty.
 */
export async function tallyDays(
  database: Database,
  accountId: string,
  from: Date,
  to: Date,
): Promise<DayTally[]> {
  const [first, last] = [dayNumber(from), dayNumber(to)];
  const rows = await database.read((queries) => {
    const positions = queries('checks')
      .where('checks.account_id', accountId)
      .whereBetween('checks.created_at', [first * DAY_MS, (last + 1) * DAY_MS - 1])
      .select(
        queries.raw(`${DAY} as day`),
        'checks.is_ai',
        'checks.assessment',
        'checks.appeal',
        'checks.full_image_score as score',
        // Checks without a score are sorted last, so they don't change the ranks of the others.
        queries.raw(
          `row_number() over (partition by ${DAY} order by case when checks.full_image_score is null then 1 else 0 end, checks.full_image_score) as place`,
        ),
        queries.raw(`count(checks.full_image_score) over (partition by ${DAY}) as scored`),
      );
    return queries
      .from(positions.as('placed'))
      .groupBy('day')
      .select<DayRow[]>(
        'day',
        queries.raw(countsIn('placed')),
        queries.raw('avg(case when place * 2 between scored and scored + 2 then score end) as median'),
      );
  });
  const byDay = new Map(rows.map((row) => [Number(row.day), row]));
  return listDays(from, to).map((date) => {
    const row = byDay.get(dayNumber(new Date(date)));
    return { date, counts: readCounts(row), medianScore: row?.median ?? null };
  });
}

function dayNumber(moment: Date): number {
  return Math.floor(moment.getTime() / DAY_MS);
}

interface DayRow extends CountsRow {
  day: number | string;
  median: number | null;
}

interface TallyRow extends CountsRow {
  key_id: string | null;
  key_name: string | null;
}

/** Counts the checks of one scan. Checks already deleted from the history are missing. */
export async function countAssessments(
  database: Database,
  accountId: string,
  scanId: string,
): Promise<OutcomeCounts> {
  const row = await database.read((queries) =>
    queries('checks')
      .where({ account_id: accountId, request_id: scanId })
      .whereRaw(IS_FROM_SCAN)
      .first<CountsRow | undefined>(queries.raw(countsIn('checks'))),
  );
  return readCounts(row);
}
