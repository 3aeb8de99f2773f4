// Rolling (renewing) an API key: creates a new key and lets the old one expire after an overlap in which both work.
import { HOUR_MS } from 'telltale-engine/internal/base/numbers.js';
import type { Database } from '../storage/db/database.js';
import { AccountFault } from './accounts.js';
import { audit } from './audit.js';
import { passedMark } from './key-expiry.js';
import { drawKey } from './key-text.js';
import {
  factsOf,
  findKey,
  isSandbox,
  keyWhere,
  noSuchKey,
  type ApiKey,
  type CreatedKey,
  type KeyRow,
} from './keys.js';

/** Maximum overlap in hours. A quarter of a year is enough for any release cycle. */
const MAX_OVERLAP_HOURS = 90 * 24;

/**
 * Converts an overlap such as `24h`, `30m`, `7d` or `0` to milliseconds; at most 90 days. Throws AccountFault for
 * other texts.
 */
export function readOverlap(text: string): number {
  const [, count = '', unit = 'h'] = /^(\d{1,5})([mhd])$|^0$/.exec(text) ?? ['', 'x'];
  const hours = Number(count) * { m: 1 / 60, h: 1, d: 24 }[unit as 'm' | 'h' | 'd'];
  if (hours <= MAX_OVERLAP_HOURS) return hours * HOUR_MS;
  throw new AccountFault('Expected an overlap such as 24h, 30m, 7d or 0, at most 90d');
}

/**
 * Creates a key with the same permissions as the key with this identifier, which then expires after `overlapMs`. The
 * new key's lifetime is the old key's original lifetime. Throws AccountFault if the old key was revoked or has expired,
 * and CheckError not_found if it does not exist or belongs to another account than `accountId`.
 */
export async function rollKey(
  database: Database,
  id: string,
  overlapMs: number,
  accountId?: string,
): Promise<{ readonly created: CreatedKey; readonly former: ApiKey }> {
  const now = new Date();
  const { id: newId, key } = await database.transaction(async (queries) => {
    const row = await queries<KeyRow>('api_keys').where(keyWhere(id, accountId)).forUpdate().first();
    const endsAt = row?.expires_at ?? Infinity;
    if (!row) throw noSuchKey(id);
    if (row.revoked_at !== null || endsAt <= now.getTime())
      throw new AccountFault(`The key '${id}' has expired or was revoked. Create a new key`);
    const wholeEnd = row.end_before_roll === null ? endsAt : row.end_before_roll || Infinity;
    const text = drawKey(isSandbox({ scopes: row.scopes.split(',') }));
    const former = {
      expires_at: Math.min(endsAt, now.getTime() + overlapMs),
      end_before_roll: wholeEnd === Infinity ? 0 : wholeEnd,
    };
    const newEnd = wholeEnd === Infinity ? null : new Date(now.getTime() + wholeEnd - row.created_at);
    await queries<KeyRow>('api_keys').insert({
      ...row,
      id: text.id,
      hash: text.hash,
      created_at: now.getTime(),
      expires_at: newEnd?.getTime() ?? null,
      end_before_roll: null,
      last_used_at: null,
      told_days: passedMark(newEnd, now),
    });
    await queries<KeyRow>('api_keys')
      .where({ id })
      .update({ ...former, told_days: passedMark(new Date(former.expires_at), now) });
    const change = { what: 'key.rolled', accountId: row.account_id, subject: id } as const;
    const after = { ...factsOf({ ...row, ...former }), followed_by: text.id };
    await audit(queries, database.actor, { ...change, before: factsOf(row), after });
    return text;
  });
  const [created, former] = [await findKey(database, newId), await findKey(database, id)];
  if (!created || !former) throw noSuchKey(id);
  return { created: { ...created, key }, former };
}
