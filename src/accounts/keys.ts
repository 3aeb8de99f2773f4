// API keys: how one looks, what of it is stored, who holds it.
import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Database, Queries } from '../storage/db/database.js';
import { isUniqueViolation } from '../storage/db/faults.js';
import { audit } from './audit.js';
import type { Facts } from './changes.js';
import { passedMark } from './key-expiry.js';
import { countOwned, ensureAccount, isName, AccountFault } from './accounts.js';
import { cutPage, PAGE_ROWS, type Page } from './page.js';

/** What a key may be used for, as its maker chooses. */
export const SCOPES = ['check', 'usage', 'scan'] as const;
/** The one permission of a sandbox key: fixed answers to checks and batches, which cost nothing. No other key has it. */
const SANDBOX = 'sandbox';
/** One permission of a key. */
export type Scope = (typeof SCOPES)[number] | typeof SANDBOX;

/** Where a key's text has its identifier. */
export const AFTER_PREFIX = 'after tt_live_ or tt_test_';

/** The stored facts of a key; the key itself is not stored. */
export interface ApiKey {
  /** The 8 characters after `tt_live_`, or `tt_test_` of a sandbox key. */
  readonly id: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly name: string;
  /** Name of the account's plan; whether it is still offered is for the plans file to say. */
  readonly plan: string;
  /** Name of the plan whose limits hold for this key as well; null: the account's alone. */
  readonly narrowedTo: string | null;
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  /** Whether hashes of the account's images are kept. */
  readonly keepsHashes: boolean;
  /** To the minute. */
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
}

/** A key that was just made, with the only copy of its text. */
export interface CreatedKey extends ApiKey {
  /** `tt_live_` or `tt_test_` + identifier + `_` + secret. */
  readonly key: string;
}

/** How a key is made. */
export interface KeyOptions {
  /** Name of the account; it is made if there is none. */
  readonly account: string;
  /** Of an account without a plan it becomes the plan; in any other it narrows the key. Default: the account's. */
  readonly plan?: string;
  readonly name?: string;
  /** Default: all. */
  readonly scopes?: readonly (typeof SCOPES)[number][];
  /** Whether it is a sandbox key, which has a scope of its own and no other. Default: false. */
  readonly sandbox?: boolean;
  readonly expiresAt?: Date;
}

/** The row behind a key. */
export interface KeyRow {
  id: string;
  account_id: string;
  name: string;
  /** For the version before this rule. */
  plan: string;
  narrowed_to: string | null;
  scopes: string;
  hash: string;
  created_at: number;
  expires_at: number | null;
  /** `expires_at` before the key was first rolled, 0 for a key without end; null: it was never rolled. */
  end_before_roll: number | null;
  last_used_at: number | null;
  revoked_at: number | null;
  /** Days before its end that the account was told last; null: none. */
  told_days: number | null;
}

// 32 letters and digits that can't be mistaken for one another, 5 bits each: the secret has 160 bits.
const ALPHABET = '0123456789abcdefghjkmnpqrstvwxyz';
const KEY = /^tt_(?:live|test)_([0-9a-z]{8})_[0-9a-z]{32}$/;

/**
 * Makes a key. Throws AccountFault for a bad name, and if neither the account nor `options` has a plan; whether the plan
 * exists, and is within the account's, is the caller's to check.
 */
export async function createKey(database: Database, options: KeyOptions): Promise<CreatedKey> {
  const name = options.name ?? 'default';
  if (!isName(name)) throw new AccountFault('the name of a key has 1 to 100 printable characters');
  const { sandbox = false } = options;
  if (sandbox && options.scopes !== undefined)
    throw new AccountFault(
      `a sandbox key has the scope ${SANDBOX} alone: leave out ${options.scopes.join(', ')}`,
    );
  const account = await ensureAccount(database, options.account);
  const plan = account.plan ?? options.plan;
  if (plan === undefined)
    throw new AccountFault(`the account '${account.name}' has no plan yet: its first key brings one`);
  const { id, key, hash } = drawKey(sandbox);
  const row: KeyRow = {
    id,
    account_id: account.id,
    name,
    plan: options.plan ?? plan,
    narrowed_to: options.plan === undefined || options.plan === plan ? null : options.plan,
    scopes: sandbox ? SANDBOX : (options.scopes ?? SCOPES).join(','),
    hash,
    created_at: Date.now(),
    expires_at: options.expiresAt?.getTime() ?? null,
    end_before_roll: null,
    last_used_at: null,
    revoked_at: null,
    told_days: passedMark(options.expiresAt ?? null, new Date()),
  };
  try {
    await database.transaction(async (queries) => {
      await queries<KeyRow>('api_keys').insert(row);
      const by = database.actor;
      const of = { accountId: account.id };
      await audit(queries, by, { what: 'key.created', ...of, subject: id, after: factsOf(row) });
      // An account's first key brings its plan along.
      const isFirst = await queries('accounts').where({ id: account.id }).whereNull('plan').update({ plan });
      const change = { subject: account.name, before: { plan: null }, after: { plan } };
      if (isFirst > 0) await audit(queries, by, { what: 'account.plan_changed', ...of, ...change });
    });
  } catch (error) {
    // 40 bits of identifier: a clash is rare, and the next draw is another.
    if (isUniqueViolation(error)) return createKey(database, options);
    throw error;
  }
  const shown = { account_name: account.name, account_plan: plan, hashes_since: null };
  return { ...readRow({ ...row, ...shown }), key };
}

/** Of a key that is none. */
export const noSuchKey = (id: string): string =>
  `there is no key '${id}'; the identifier is the 8 characters ${AFTER_PREFIX}`;

/** A new key's text, and what of it is stored. */
export function drawKey(isSandbox: boolean): Pick<KeyRow, 'id' | 'hash'> & { readonly key: string } {
  const id = drawCharacters(8);
  const key = `tt_${isSandbox ? 'test' : 'live'}_${id}_${drawCharacters(32)}`;
  return { id, key, hash: hashKey(key).toString('hex') };
}

/** The keys of all accounts, or of the one named `account`; oldest first. */
export async function listKeys(database: Database, account?: string): Promise<ApiKey[]> {
  const rows = await database.run((queries) => {
    const found = selectKeys(queries).orderBy('api_keys.created_at');
    return account === undefined ? found : found.where('accounts.name', account);
  });
  return rows.map(readRow);
}

/** A page of the keys of all accounts, or of one; newest first, those older than the key `before`. */
export async function pageKeys(
  database: Database,
  accountId: string | null,
  before: string | undefined,
): Promise<Page<ApiKey>> {
  const rows = await database.run((queries) => {
    const found = selectKeys(queries)
      .orderBy([
        { column: 'api_keys.created_at', order: 'desc' },
        { column: 'api_keys.id', order: 'desc' },
      ])
      .limit(PAGE_ROWS + 1);
    if (accountId !== null) void found.where('api_keys.account_id', accountId);
    if (before !== undefined)
      void found.whereRaw(
        '(api_keys.created_at, api_keys.id) < (select created_at, id from api_keys where id = ?)',
        [before],
      );
    return found;
  });
  return cutPage(rows.map(readRow));
}

/** How many keys that are not revoked each of these accounts has. */
export function countKeys(database: Database, accountIds: readonly string[]): Promise<Map<string, number>> {
  return countOwned(database, accountIds, (queries) => queries('api_keys').whereNull('revoked_at'));
}

/**
 * Revokes the key with this identifier for good; a second time changes nothing. Throws AccountFault if there is none.
 */
export async function revokeKey(database: Database, id: string): Promise<ApiKey> {
  await database.transaction(async (queries) => {
    const [revoked] = await queries<KeyRow>('api_keys')
      .where({ id })
      .whereNull('revoked_at')
      .update({ revoked_at: Date.now() })
      .returning('*');
    if (!revoked) return;
    const change = { what: 'key.revoked', accountId: revoked.account_id, subject: id } as const;
    await audit(queries, database.actor, { ...change, before: factsOf(revoked) });
  });
  const row = await database.run((queries) => selectKeys(queries).where('api_keys.id', id).first());
  if (!row) throw new AccountFault(noSuchKey(id));
  return readRow(row);
}

/** A stored key with the hash to compare. */
export interface StoredKey extends ApiKey {
  readonly hash: Buffer;
}

/** The identifier in a key's text; null if the text does not look like a key. */
export function readKeyId(key: string): string | null {
  return KEY.exec(key)?.[1] ?? null;
}

/** The stored key with this identifier, or null; revoked and expired ones too. */
export async function findKey(database: Database, id: string): Promise<StoredKey | null> {
  const row = await database.run((queries) => selectKeys(queries).where('api_keys.id', id).first());
  return row ? { ...readRow(row), hash: Buffer.from(row.hash, 'hex') } : null;
}

/** Whether it is a sandbox key. */
export function isSandbox({ scopes }: { readonly scopes: readonly string[] }): boolean {
  return scopes.includes(SANDBOX);
}

/** How exact the time of the last use is: a busy key is not written at each request. */
const USE_STEP_MS = 60_000;

/** Notes that a key was used at `now`, where the last note is older than a minute. */
export async function noteKeyUse(database: Database, key: ApiKey, now: Date): Promise<void> {
  if (key.lastUsedAt && now.getTime() - key.lastUsedAt.getTime() < USE_STEP_MS) return;
  await database.run((queries) =>
    queries<KeyRow>('api_keys').where({ id: key.id }).update({ last_used_at: now.getTime() }),
  );
}

const NO_HASH = Buffer.alloc(32);

/** Whether `key` is the text of `stored` and may be used at `now`. Compares in constant time, for an unknown key too. */
export function isUsable(key: string, stored: StoredKey | null, now: Date): boolean {
  const isSame = timingSafeEqual(hashKey(key), stored?.hash ?? NO_HASH);
  return (
    isSame &&
    stored !== null &&
    stored.revokedAt === null &&
    (stored.expiresAt === null || stored.expiresAt > now)
  );
}

/** What the audit log says of a key. */
export function factsOf({ name, narrowed_to, scopes, expires_at }: KeyRow): Facts {
  return {
    name,
    narrowed_to,
    scopes: scopes.split(','),
    expires_at: expires_at === null ? null : new Date(expires_at).toISOString(),
  };
}

function hashKey(key: string): Buffer {
  return createHash('sha256').update(key).digest();
}

function drawCharacters(count: number): string {
  return Array.from(randomBytes(count), (byte) => ALPHABET[byte & 31]).join('');
}

type FoundRow = KeyRow & { account_name: string; account_plan: string | null; hashes_since: number | null };

function selectKeys(queries: Queries) {
  return queries('api_keys')
    .join('accounts', 'accounts.id', 'api_keys.account_id')
    .leftJoin('seen_accounts', 'seen_accounts.account_id', 'api_keys.account_id')
    .select<FoundRow[]>(
      'api_keys.*',
      'accounts.name as account_name',
      'accounts.plan as account_plan',
      'seen_accounts.since as hashes_since',
    );
}

function readRow(row: FoundRow): ApiKey {
  return {
    id: row.id,
    accountId: row.account_id,
    accountName: row.account_name,
    name: row.name,
    plan: row.account_plan ?? row.plan,
    narrowedTo: row.narrowed_to,
    scopes: row.scopes
      .split(',')
      .filter((scope): scope is Scope => scope === SANDBOX || (SCOPES as readonly string[]).includes(scope)),
    createdAt: new Date(row.created_at),
    expiresAt: row.expires_at === null ? null : new Date(row.expires_at),
    keepsHashes: row.hashes_since !== null,
    lastUsedAt: row.last_used_at === null ? null : new Date(row.last_used_at),
    revokedAt: row.revoked_at === null ? null : new Date(row.revoked_at),
  };
}
