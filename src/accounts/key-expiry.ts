// Expiry of API keys, and the warnings sent some days before it.
import { DAY_MS } from 'telltale-engine/internal/base/numbers.js';
import type { Database, Queries } from '../storage/db/database.js';
import { AccountFault } from './accounts.js';
import { readDay } from './usage/period.js';

/** Number of days before a key's expiry at which its account is warned; the smallest first. */
export const EXPIRY_MARKS = [1, 7] as const;
/** Maximum number of expiring keys handled in one run. The service runs this every ten minutes. */
const MAX_KEYS = 1000;

/** A key whose account is warned about its expiry. */
export interface ExpiringKey {
  readonly id: string;
  readonly name: string;
  readonly accountId: string;
  readonly expiresAt: Date;
}

interface ExpiringRow {
  id: string;
  name: string;
  account_id: string;
  expires_at: number;
}

/** Returns the expiry of a key whose last day is `day`: the end of the day. Throws AccountFault if the day is past. */
export function readExpiry(day: string): Date {
  const expiresAt = new Date((readDay(day)?.getTime() ?? NaN) + DAY_MS);
  if (expiresAt > new Date()) return expiresAt;
  throw new AccountFault("Expected a day that is not past, as YYYY-MM-DD, for 'expires'", 'expires');
}

/**
 * Returns the warning (days before expiry) that is already due when a key's expiry is set; null if none is
 * due. The account does not get this warning, because somebody has just chosen the expiry.
 */
export function passedMark(expiresAt: Date | null, now: Date): number | null {
  if (expiresAt === null) return null;
  const leftMs = expiresAt.getTime() - now.getTime();
  return EXPIRY_MARKS.find((days) => leftMs <= days * DAY_MS) ?? null;
}

/**
 * Calls `notify` once for each key that expires in 7 days and again in 1 day, in the transaction that stores the
 * warning. If two processes try at the same time, only one succeeds. If several warnings are due for a key, only the
 * last is sent.
 */
export async function notifyOfExpiry(
  database: Database,
  now: Date,
  notify: (queries: Queries, key: ExpiringKey, days: number) => Promise<void>,
): Promise<void> {
  for (const days of EXPIRY_MARKS) {
    const expiringKeys = await database.run((queries) => selectDue(queries, now, days).limit(MAX_KEYS));
    for (const { id } of expiringKeys)
      await database.transaction(async (queries) => {
        const marked = await selectNotNotified(queries, days).where({ id }).update({ told_days: days });
        const row = marked > 0 ? await queries<ExpiringRow>('api_keys').where({ id }).first() : undefined;
        if (row) await notify(queries, readKey(row), days);
      });
  }
}

/** Returns the keys of an account that expire within 7 days, the next to expire first. */
export async function listExpiring(database: Database, accountId: string, now: Date): Promise<ExpiringKey[]> {
  const rows = await database.run((queries) =>
    selectLive(queries, now, Math.max(...EXPIRY_MARKS))
      .where({ account_id: accountId })
      .orderBy('expires_at')
      .limit(10),
  );
  return rows.map(readKey);
}

function selectDue(queries: Queries, now: Date, days: number) {
  return selectLive(queries, now, days).where(
    (expiringKeys) => void expiringKeys.whereNull('told_days').orWhere('told_days', '>', days),
  );
}

function selectLive(queries: Queries, now: Date, days: number) {
  return queries('api_keys')
    .whereNull('revoked_at')
    .where('expires_at', '>', now.getTime())
    .where('expires_at', '<=', now.getTime() + days * DAY_MS)
    .select<ExpiringRow[]>('id', 'name', 'account_id', 'expires_at');
}

function selectNotNotified(queries: Queries, days: number) {
  return queries('api_keys')
    .whereNull('revoked_at')
    .where((unwarned) => void unwarned.whereNull('told_days').orWhere('told_days', '>', days));
}

function readKey({ id, name, account_id: accountId, expires_at: expiresAt }: ExpiringRow): ExpiringKey {
  return { id, name, accountId, expiresAt: new Date(expiresAt) };
}
