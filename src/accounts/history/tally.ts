// Counts an account's checks over some days: by key or member, by day and by outcome.
import { IS_FROM_SCAN } from './filter.js';
import { PAGE_ROWS } from '../page.js';
import { listDays } from '../usage/period.js';
import type { Database } from '../../storage/db/database.js';

/** Number of checks made with one key, or by members in the console. */
interface Tally {
  /** The key with which the checks were made; null for checks made in the console. */
  readonly key: { readonly id: string; readonly name: string } | null;
  readonly ai: number;
  readonly noAi: number;
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
      .select<TallyRow[]>(
        'checks.key_id',
        'api_keys.name as key_name',
        queries.raw('sum(checks.is_ai) as ai'),
        queries.raw('count(*) as total'),
      ),
  );
  return rows
    .map(({ key_id: id, key_name: name, ai, total }) => ({
      key: id === null ? null : { id, name: name ?? '' },
      ai: Number(ai),
      noAi: Number(total) - Number(ai),
    }))
    .sort((a, b) => b.ai + b.noAi - a.ai - a.noAi);
}

/** Number of verdicts and median score of one day. */
interface DayTally {
  /** YYYY-MM-DD, UTC. */
  readonly date: string;
  readonly ai: number;
  readonly noAi: number;
  /** Median of the full-image scores, from 0 to 1; null if no check has one. */
  readonly medianScore: number | null;
}

const DAY_MS = 86_400_000;
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
        queries.raw('sum(is_ai) as ai'),
        queries.raw('count(*) as total'),
        queries.raw('avg(case when place * 2 between scored and scored + 2 then score end) as median'),
      );
  });
  const byDay = new Map(rows.map((row) => [Number(row.day), row]));
  return listDays(from, to).map((date) => {
    const row = byDay.get(dayNumber(new Date(date)));
    const [ai, total] = [Number(row?.ai ?? 0), Number(row?.total ?? 0)];
    return { date, ai, noAi: total - ai, medianScore: row?.median ?? null };
  });
}

function dayNumber(moment: Date): number {
  return Math.floor(moment.getTime() / DAY_MS);
}

interface DayRow {
  day: number | string;
  ai: number | string;
  total: number | string;
  median: number | null;
}

interface TallyRow {
  key_id: string | null;
  key_name: string | null;
  ai: number | string;
  total: number | string;
}

/** Number of a scan's checks for each outcome that people see. All other checks have the outcome `no_ai`. */
export interface VerdictCounts {
  readonly ai: number;
  readonly look: number;
  readonly blank: number;
  readonly no_ai: number;
}

/** Counts the checks of one scan. Checks already deleted from the history are missing. */
export async function countVerdicts(
  database: Database,
  accountId: string,
  scanId: string,
): Promise<VerdictCounts> {
  const rows = await database.read((queries) =>
    queries('checks')
      .where({ account_id: accountId, request_id: scanId })
      .whereRaw(IS_FROM_SCAN)
      .groupBy('is_ai', 'attention')
      .select<{ is_ai: number; attention: string | null; total: number | string }[]>(
        'is_ai',
        'attention',
        queries.raw('count(*) as total'),
      ),
  );
  const counts = { ai: 0, look: 0, blank: 0, no_ai: 0 };
  for (const { is_ai: isAi, attention, total } of rows) {
    const attended = attention === 'blank' ? 'blank' : 'look';
    counts[isAi === 1 ? 'ai' : attention === null ? 'no_ai' : attended] += Number(total);
  }
  return counts;
}
