// Limits requests per second. The counters are in the database, so that all processes share them.
import type { Plan } from '../plans.js';
import type { Database } from '../../storage/db/database.js';

/** Allowance for different clocks of the processes and for statements that wait. */
const SKEW_MS = 60_000;

/** State of a token bucket after a request. */
export interface RateState {
  readonly allowed: boolean;
  /** Requests that are still allowed at once. */
  readonly remaining: number;
  /** Milliseconds until the bucket is full. */
  readonly fullInMs: number;
  /** Milliseconds until the next request is allowed; 0 if one is left. */
  readonly retryInMs: number;
}

/**
 * Takes one token from the bucket of an account and plan. The bucket is stored as the time at which it will be full
 * again (generic cell rate algorithm, ITU-T I.371). A single statement reads and changes it, so two requests can't
 * take the same token. On PostgreSQL the server's clock is used.
 */
export async function consumeRequest(
  database: Database,
  accountId: string,
  plan: Pick<Plan, 'name' | 'requestsPerSecond' | 'burst'>,
): Promise<RateState> {
  const spacingMs = 1000 / plan.requestsPerSecond;
  const depthMs = plan.burst * spacingMs;
  const isSqlite = database.dialect === 'sqlite';
  // Reads the clock once for the whole statement; on PostgreSQL the milliseconds have a fraction.
  const clock = isSqlite ? String(Date.now()) : '(extract(epoch from statement_timestamp()) * 1000)::float8';
  const latest = `${clock} + ${depthMs}`;
  // A bucket can't be full later than this unless the clock was set back since. Without this, it would stay empty for
  // as long. It then gets one token.
  const isOld = `rate_limits.full_at > ${latest} + ${SKEW_MS}`;
  const later = `${isSqlite ? 'max' : 'greatest'}(rate_limits.full_at, ${clock}) + ${spacingMs}`;
  const nextFull = `case when ${isOld} then ${latest} else ${later} end`;
  return database.run(async (queries) => {
    const taken = rowsOf(
      await queries.raw(
        `insert into rate_limits (account_id, plan, full_at) values (?, ?, ${clock} + ${spacingMs})
         on conflict (account_id, plan) do update set full_at = ${nextFull}
         where ${nextFull} <= ${latest}
         returning full_at as full_at, ${clock} as now`,
        [accountId, plan.name],
      ),
    );
    const row =
      taken ??
      rowsOf(
        await queries.raw(
          `select full_at, ${clock} as now from rate_limits where account_id = ? and plan = ?`,
          [accountId, plan.name],
        ),
      );
    const fullInMs = row ? Math.max(0, row.full_at - row.now) : 0;
    return {
      allowed: taken !== null,
      remaining: Math.max(0, Math.floor((depthMs - fullInMs) / spacingMs + 1e-6)),
      fullInMs,
      retryInMs: Math.max(0, fullInMs + spacingMs - depthMs),
    };
  });
}

/** Returns the first row of a raw result: pg returns an object with `rows`, better-sqlite3 the rows. */
function rowsOf(answer: unknown): { full_at: number; now: number } | null {
  const rows = (Array.isArray(answer) ? answer : (answer as { rows: unknown[] }).rows) as {
    full_at: number;
    now: number;
  }[];
  return rows[0] ?? null;
}
