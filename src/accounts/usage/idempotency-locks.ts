// Idempotency keys: make sure that a repeated request runs only once and gets the response of the first one.
import { HOUR_MS } from 'telltale-engine/internal/base/numbers.js';
import type { Database, Queries } from '../../storage/db/database.js';
import { deleteInPieces } from '../../storage/db/pieces.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';

/** Time for which a stored response is repeated. */
const REPEAT_MS = 24 * 3_600_000;

/** The lock of an idempotency key, which one request holds. */
export interface KeyLock {
  readonly accountId: string;
  readonly key: string;
  /**
   * Hash of the request's content. Requests with equal content have the same hash, even if written
   * differently.
   */
  readonly fingerprint: string;
  /** Random text that distinguishes this request from others with the same key. */
  readonly owner: string;
}

/** The result of an attempt to lock a key. */
type LockOutcome =
  /** This request is the first and holds the lock, which ends with `recordChecks` or `unlockKey`. */
  | { readonly kind: 'locked' }
  /** The first request has finished; `body` is its response, byte for byte. */
  | { readonly kind: 'answered'; readonly body: string }
  /** The first request is still running. */
  | { readonly kind: 'running' };

interface Row {
  account_id: string;
  key: string;
  fingerprint: string;
  owner: string;
  answer: string | null;
  expires_at: number;
}

/**
 * Locks the key for `leaseMs` if it is free or has expired. `renewKey` extends the lock while the request runs. If the
 * process dies, the key becomes free after `leaseMs`. Errors: idempotency_mismatch, unavailable.
 */
export async function lockKey(database: Database, lock: KeyLock, leaseMs: number): Promise<LockOutcome> {
  const now = Date.now();
  const row: Row = {
    account_id: lock.accountId,
    key: lock.key,
    fingerprint: lock.fingerprint,
    owner: lock.owner,
    answer: null,
    expires_at: now + leaseMs,
  };
  const takenKey = await database.run((queries) =>
    queries<Row>('idempotency_keys')
      .insert(row)
      .onConflict(['account_id', 'key'])
      .merge(['fingerprint', 'owner', 'answer', 'expires_at'])
      .where('idempotency_keys.expires_at', '<=', now)
      .returning('owner'),
  );
  if (takenKey.length > 0) return { kind: 'locked' };
  const first = await database.run((queries) =>
    queries<Row>('idempotency_keys').where({ account_id: lock.accountId, key: lock.key }).first(),
  );
  // The other request released the key between the two statements. The caller's next attempt locks it.
  if (!first) return { kind: 'running' };
  if (first.fingerprint !== lock.fingerprint) {
    throw new CheckError(
      'idempotency_mismatch',
      'This Idempotency-Key was used within 24 hours for another request. Use a new key for a new request',
    );
  }
  return first.answer === null ? { kind: 'running' } : { kind: 'answered', body: first.answer };
}

/** Extends a lock by `leaseMs` from now, unless another request has taken it over. */
export async function renewKey(database: Database, lock: KeyLock, leaseMs: number): Promise<void> {
  await database.run((queries) =>
    queries<Row>('idempotency_keys')
      .where({ account_id: lock.accountId, key: lock.key, owner: lock.owner })
      .whereNull('answer')
      .update({ expires_at: Date.now() + leaseMs }),
  );
}

/** Returns whether a request of the account has used this idempotency key. */
export async function isKeyInUse(
  database: Database,
  { accountId, key }: Pick<KeyLock, 'accountId' | 'key'>,
): Promise<boolean> {
  const row = await database.run((queries) =>
    queries<Row>('idempotency_keys')
      .where({ account_id: accountId, key })
      .where('expires_at', '>', Date.now())
      .first('key'),
  );
  return row !== undefined;
}

/**
 * Stores the response for repeated requests, in the transaction that charges its checks. Throws deadline_exceeded if
 * another request has taken over the key.
 */
export async function storeAnswer(queries: Queries, lock: KeyLock, body: string, now: Date): Promise<void> {
  const count = await queries<Row>('idempotency_keys')
    .where({ account_id: lock.accountId, key: lock.key, owner: lock.owner })
    .whereNull('answer')
    .update({ answer: body, expires_at: now.getTime() + REPEAT_MS });
  if (count !== 1)
    throw new CheckError(
      'deadline_exceeded',
      'The request took so long that another request took over its Idempotency-Key',
    );
  await listAnsweredChecks(queries, lock, body);
}

/** Matches the identifiers of checks in a response. */
const CHECKS = /"(chk_[0-9A-Z]{26})"/g;

/** Replaces the list of checks that the response for a key mentions, so that erasing a check finds it. */
async function listAnsweredChecks(
  queries: Queries,
  { accountId, key }: KeyLock,
  body: string,
): Promise<void> {
  const byKey = { account_id: accountId, key };
  await queries('answered_checks').where(byKey).delete();
  const ids = new Set(Array.from(body.matchAll(CHECKS), ([, id]) => id));
  if (ids.size === 0) return;
  await queries('answered_checks').insert([...ids].map((id) => ({ ...byKey, check_id: id })));
}

/** A check of an account. */
interface AnsweredCheck {
  readonly accountId: string;
  readonly id: string;
}

/** Selects the keys whose stored responses mention a check. */
const keysOf = (queries: Queries, { accountId, id }: AnsweredCheck) =>
  queries<{ account_id: string; key: string; check_id: string }>('answered_checks')
    .where({ account_id: accountId, check_id: id })
    .select('key');

/** Returns whether a stored response of the account mentions a check. */
export async function hasResponse(queries: Queries, check: AnsweredCheck): Promise<boolean> {
  return (await keysOf(queries, check).first()) !== undefined;
}

/** Deletes the stored responses that mention a check. Requests with the same keys then run again. */
export async function deleteResponses(database: Database, check: AnsweredCheck): Promise<void> {
  await deleteInPieces(database, 'idempotency_keys', (rows, queries) =>
    rows.where({ account_id: check.accountId }).whereIn('key', keysOf(queries, check)),
  );
}

/** Kind of a stored response. Free responses for sandbox keys can't use up the space of paid ones. */
export type AnswerKind = 'live' | 'sandbox';

/**
 * Maximum total size, in bytes, of an account's stored responses. Live: a full day of single checks at 100 requests a
 * second. Sandbox: 100,000 responses a day.
 */
export const MAX_STORED_BYTES: Readonly<Record<AnswerKind, number>> = {
  live: 16_000_000_000,
  sandbox: 64_000_000,
};
/** Number of bytes counted for a row and its indexes, in addition to the response. */
const ROW_BYTES = 512;
/** Number of hours for which a stored response is counted: REPEAT_MS, and the hour in which it was stored. */
const COUNTED_HOURS = REPEAT_MS / HOUR_MS + 1;
const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS);

/** Throws CheckError storage_full if the account's stored responses of this kind have reached the limit. */
export async function requireAnswerSpace(
  database: Database,
  accountId: string,
  kind: AnswerKind,
): Promise<void> {
  const row = await database.run((queries) =>
    queries<{ account_id: string; kind: string; hour: number }>('stored_answers')
      .where({ account_id: accountId, kind })
      .where('hour', '>', hourOf(Date.now()) - COUNTED_HOURS)
      .sum<{ total: number | string | null }[]>('bytes as total')
      .first(),
  );
  if (Number(row?.total ?? 0) < MAX_STORED_BYTES[kind]) return;
  throw new CheckError(
    'storage_full',
    `the responses stored for this account's Idempotency-Keys${kind === 'sandbox' ? ' of sandbox keys' : ''} have reached ` +
      `${MAX_STORED_BYTES[kind] / 1_000_000} MB. Send the request without Idempotency-Key, or try again later: each response is stored for 24 hours`,
  );
}

/** Counts a stored response towards the limit of its account. */
export async function countAnswer(
  database: Database,
  accountId: string,
  kind: AnswerKind,
  body: string,
): Promise<void> {
  const row = [accountId, kind, hourOf(Date.now()), Buffer.byteLength(body) + ROW_BYTES];
  await database.run((queries) =>
    queries.raw(
      `insert into stored_answers (account_id, kind, hour, bytes) values (?, ?, ?, ?)
       on conflict (account_id, kind, hour) do update set bytes = stored_answers.bytes + excluded.bytes`,
      row,
    ),
  );
}

/** Releases the lock after a request was refused or failed, so that the request can be sent again. */
export async function unlockKey(database: Database, lock: KeyLock): Promise<void> {
  await database.run((queries) =>
    queries<Row>('idempotency_keys')
      .where({ account_id: lock.accountId, key: lock.key, owner: lock.owner })
      .whereNull('answer')
      .delete(),
  );
}

/** Deletes expired idempotency keys. */
export async function sweepKeys(database: Database, signal?: AbortSignal): Promise<void> {
  const now = Date.now();
  await deleteInPieces(database, 'idempotency_keys', (rows) => rows.where('expires_at', '<=', now), signal);
  const oldest = hourOf(now) - COUNTED_HOURS;
  await database.run((queries) => queries('stored_answers').where('hour', '<=', oldest).delete());
}
