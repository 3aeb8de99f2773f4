// Limits an account's requests per second. The counters are in the database, so that all processes share them.
import type { Plan } from '../plans.js';
import type { Database } from '../../storage/db/database.js';
import { deleteInPieces } from '../../storage/db/pieces.js';
import { DAY_MS } from 'telltale-engine/internal/base/numbers.js';

/** Tolerated difference between the clocks of several processes. */
const SKEW_MS = 60_000;

/** State of a token bucket after a request. */
export interface RateState {
  readonly allowed: boolean;
  /** Number of requests that are still allowed immediately. */
  readonly remaining: number;
  /** Milliseconds until the full burst is allowed again. */
  readonly fullInMs: number;
  /** Milliseconds until the next request is allowed; 0 if it is allowed now. */
  readonly retryInMs: number;
}

/**
 * Counts a request of an account with a plan against the plan's rate limit (token bucket). Stores only the time at
 * which the bucket will be full again (generic cell rate algorithm, ITU-T I.371). A single statement reads and changes
 * it, so two requests can't take the same token. On PostgreSQL the server's clock is used.
 */
export async function consumeRequest(
  database: Database,
  accountId: string,
  plan: Pick<Plan, 'name' | 'requestsPerSecond' | 'burst'>,
): Promise<RateState> {
  const spacingMs = 1000 / plan.requestsPerSecond;
  const depthMs = plan.burst * spacingMs;
  const isSqlite = database.dialect === 'sqlite';
  // Reads the clock once for the whole statement. On PostgreSQL the milliseconds have a fraction.
  const clock = isSqlite ? String(Date.now()) : '(extract(epoch from statement_timestamp()) * 1000)::float8';
  const latest = `${clock} + ${depthMs}`;
  // A later time than any new request could store means that the clock was set back. The bucket then gets one token;
  // otherwise it would stay empty until the clock reaches that time.
  const isOld = `rate_limits.full_at > ${latest} + ${SKEW_MS}`;
  const nextFullAt = `${isSqlite ? 'max' : 'greatest'}(rate_limits.full_at, ${clock}) + ${spacingMs}`;
  const nextFull = `case when ${isOld} then ${latest} else ${nextFullAt} end`;
  return database.run(async (queries) => {
    const takenRows = rowsOf(
      await queries.raw(
        `insert into rate_limits (account_id, plan, full_at) values (?, ?, ${clock} + ${spacingMs})
         on conflict (account_id, plan) do update set full_at = ${nextFull}
         where ${nextFull} <= ${latest}
         returning full_at as full_at, ${clock} as now`,
        [accountId, plan.name],
      ),
    );
    const row =
      takenRows ??
      rowsOf(
        await queries.raw(
          `select full_at, ${clock} as now from rate_limits where account_id = ? and plan = ?`,
          [accountId, plan.name],
        ),
      );
    const fullInMs = row ? Math.max(0, row.full_at - row.now) : 0;
    return {
      allowed: takenRows !== null,
      remaining: Math.max(0, Math.floor((depthMs - fullInMs) / spacingMs + 1e-6)),
      fullInMs,
      retryInMs: Math.max(0, fullInMs + spacingMs - depthMs),
    };
  });
}

/** Deletes counters that have been full for a day, which are equivalent to missing ones. */
export async function sweepRateLimits(database: Database): Promise<void> {
  const now = Date.now();
  await deleteInPieces(database, 'rate_limits', (rows) => rows.where('full_at', '<=', now - DAY_MS));
}

/** Returns the first row of a raw query: pg returns an object with `rows`, better-sqlite3 the rows. */
function rowsOf(answer: unknown): { full_at: number; now: number } | null {
  const rows = (Array.isArray(answer) ? answer : (answer as { rows: unknown[] }).rows) as {
    full_at: number;
    now: number;
  }[];
  return rows[0] ?? null;
}
