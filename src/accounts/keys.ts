// API keys: their format, which of their data is stored, and which account they belong to.
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import type { Database, Queries } from '../storage/db/database.js';
import { isUniqueViolation } from '../storage/db/faults.js';
import { audit } from './audit.js';
import type { Facts } from './changes.js';
import { passedMark } from './key-expiry.js';
import { drawKey } from './key-text.js';
import { countOwned, ensureAccount, findAccount, isName, AccountFault } from './accounts.js';
import { cutPage, PAGE_ROWS, type Page } from './page.js';
import { requireSmallerPlan, type Plans } from './plans.js';

/** Permissions that the creator of a key can choose. */
export const SCOPES = ['check', 'usage', 'scan'] as const;
/** The only permission of a sandbox key: checks and batches return fixed results and cost nothing. */
const SANDBOX = 'sandbox';
export type Scope = (typeof SCOPES)[number] | typeof SANDBOX;

/** The stored properties of a key. The key itself is not stored, only its hash. */
export interface ApiKey {
  /** The 8 characters after `tt_live_`, or after `tt_test_` in a sandbox key. */
  readonly id: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly name: string;
  /** Name of the account's plan. The operator may have removed the plan from the plans file. */
  readonly plan: string;
  /** Name of a smaller plan whose limits also apply to this key; null: only the account's limits apply. */
  readonly narrowedTo: string | null;
  readonly scopes: readonly Scope[];
  readonly createdAt: Date;
  readonly expiresAt: Date | null;
  /** True if hashes of the account's images are stored. */
  readonly keepsHashes: boolean;
  readonly lastUsedAt: Date | null;
  readonly revokedAt: Date | null;
}

/** A key that has just been created, with its full text. The text is stored nowhere else. */
export interface CreatedKey extends ApiKey {
  /** `tt_live_` or `tt_test_`, then the identifier, `_` and the secret. */
  readonly key: string;
}

export interface KeyOptions {
  /** Name of the account; it is created if it does not exist. */
  readonly account: string;
  /**
   * If the account has no plan, this becomes its plan; otherwise this plan's limits also apply to the key. Default:
   * the account's plan.
   */
  readonly plan?: string;
  readonly name?: string;
  readonly scopes?: readonly (typeof SCOPES)[number][];
  /** True if it is a sandbox key, which has no other permission. Default: false. */
  readonly sandbox?: boolean;
  readonly expiresAt?: Date;
}

export interface KeyRow {
  id: string;
  account_id: string;
  name: string;
  /** Plan of the account. Written only for the previous version of Telltale, which reads it. */
  plan: string;
  narrowed_to: string | null;
  scopes: string;
  hash: string;
  created_at: number;
  expires_at: number | null;
  /** The value of `expires_at` before the key was first rolled; 0 if it had none; null if it was never rolled. */
  end_before_roll: number | null;
  last_used_at: number | null;
  revoked_at: number | null;
  /** Number of days before the expiry for which the account was last warned; null: no warning so far. */
  told_days: number | null;
}

/**
 * Creates a key. Throws AccountFault if the name or the scopes are invalid, if neither the account nor `options` has a
 * plan, or if the plan is missing in `plans` or exceeds the account's plan. Without `plans` any plan is valid.
 */
export async function createKey(database: Database, options: KeyOptions, plans?: Plans): Promise<CreatedKey> {
  const name = options.name ?? 'default';
  if (!isName(name)) throw new AccountFault('Expected 1 to 100 printable characters for the name of the key');
  const { sandbox = false } = options;
  if (sandbox && options.scopes !== undefined)
    throw new AccountFault(
      `A sandbox key has only the scope ${SANDBOX}. Remove ${options.scopes.join(', ')}`,
    );
  if (options.scopes?.length === 0)
    throw new AccountFault(`Expected at least one of ${SCOPES.join(', ')}`, 'scopes');
  const known = await findAccount(database, options.account);
  if (plans && options.plan !== undefined) requireSmallerPlan(plans, options.plan, known);
  if (!known?.plan && options.plan === undefined)
    throw new AccountFault(`The account '${options.account}' has no plan yet. Name a plan for its first key`);
  const account = known ?? (await ensureAccount(database, options.account));
  const plan = account.plan ?? options.plan ?? '';
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
      // An account gets its plan from its first key.
      const isFirst = await queries('accounts').where({ id: account.id }).whereNull('plan').update({ plan });
      const change = { subject: account.name, before: { plan: null }, after: { plan } };
      if (isFirst > 0) await audit(queries, by, { what: 'account.plan_changed', ...of, ...change });
    });
  } catch (error) {
    // The identifier has only 40 bits. In the rare case that it is taken, another one is drawn.
    if (isUniqueViolation(error)) return createKey(database, options, plans);
    throw error;
  }
  const accountColumns = { account_name: account.name, account_plan: plan, hashes_since: null };
  return { ...readRow({ ...row, ...accountColumns }), key };
}

/** Returns the error for an identifier that no key has, or no key of the account. */
export function noSuchKey(id: string): CheckError {
  const message = `There is no key '${id}'. The identifier is the 8 characters after tt_live_ or tt_test_`;
  return new CheckError('not_found', message);
}

/** Returns the keys of all accounts, or of the account named `account`; oldest first. */
export async function listKeys(database: Database, account?: string): Promise<ApiKey[]> {
  const rows = await database.run((queries) => {
    const query = selectKeys(queries).orderBy('api_keys.created_at');
    return account === undefined ? query : query.where('accounts.name', account);
  });
  return rows.map(readRow);
}

/** Returns one page of the keys of all accounts, or of one, newest first, beginning after the key `before`. */
export async function pageKeys(
  database: Database,
  accountId: string | null,
  before: string | undefined,
): Promise<Page<ApiKey>> {
  const rows = await database.run((queries) => {
    const query = selectKeys(queries)
      .orderBy([
        { column: 'api_keys.created_at', order: 'desc' },
        { column: 'api_keys.id', order: 'desc' },
      ])
      .limit(PAGE_ROWS + 1);
    if (accountId !== null) void query.where('api_keys.account_id', accountId);
    if (before !== undefined)
      void query.whereRaw(
        '(api_keys.created_at, api_keys.id) < (select created_at, id from api_keys where id = ?)',
        [before],
      );
    return query;
  });
  return cutPage(rows.map(readRow));
}

/** Counts the keys of each of these accounts that are not revoked. */
export function countKeys(database: Database, accountIds: readonly string[]): Promise<Map<string, number>> {
  return countOwned(database, accountIds, (queries) => queries('api_keys').whereNull('revoked_at'));
}

/**
 * Revokes a key permanently; revoking it again changes nothing. Throws CheckError not_found if the key does not exist
 * or belongs to another account than `accountId`.
 */
export async function revokeKey(database: Database, id: string, accountId?: string): Promise<ApiKey> {
  await database.transaction(async (queries) => {
    const [revoked] = await queries<KeyRow>('api_keys')
      .where(keyWhere(id, accountId))
      .whereNull('revoked_at')
      .update({ revoked_at: Date.now() })
      .returning('*');
    if (!revoked) return;
    const change = { what: 'key.revoked', accountId: revoked.account_id, subject: id } as const;
    await audit(queries, database.actor, { ...change, before: factsOf(revoked) });
  });
  const key = await findKey(database, id);
  if (!key || key.accountId !== (accountId ?? key.accountId)) throw noSuchKey(id);
  return key;
}

/** Returns the condition for the key with this identifier, in the account or in any account. */
export function keyWhere(id: string, accountId?: string): Partial<KeyRow> {
  return { id, ...(accountId !== undefined && { account_id: accountId }) };
}

/** A stored key with its hash. */
export interface StoredKey extends ApiKey {
  readonly hash: Buffer;
}

/** Returns the stored key with this identifier, even if it is revoked or expired; null if the identifier is unknown. */
export async function findKey(database: Database, id: string): Promise<StoredKey | null> {
  const row = await database.run((queries) => selectKeys(queries).where('api_keys.id', id).first());
  return row ? { ...readRow(row), hash: Buffer.from(row.hash, 'hex') } : null;
}

export function isSandbox({ scopes }: { readonly scopes: readonly string[] }): boolean {
  return scopes.includes(SANDBOX);
}

/** Minimum time between two updates of the time of last use, so that not every request writes to the database. */
const USE_STEP_MS = 60_000;

/** Stores `now` as the time of last use if the stored time is older than a minute. */
export async function recordKeyUse(database: Database, key: ApiKey, now: Date): Promise<void> {
  if (key.lastUsedAt && now.getTime() - key.lastUsedAt.getTime() < USE_STEP_MS) return;
  await database.run((queries) =>
    queries<KeyRow>('api_keys').where({ id: key.id }).update({ last_used_at: now.getTime() }),
  );
}

/** A key as JSON. */
export interface PresentedKey {
  readonly id: string;
  readonly account: string;
  readonly name: string;
  readonly plan: string;
  readonly scopes: readonly Scope[];
  readonly created_at: string;
  readonly last_used_at: string | null;
  readonly expires_at: string | null;
  readonly revoked_at: string | null;
}

/** Returns a key as JSON, without its secret text. */
export function presentKey(key: ApiKey): PresentedKey {
  return {
    id: key.id,
    account: key.accountName,
    name: key.name,
    plan: key.narrowedTo ?? key.plan,
    scopes: key.scopes,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  };
}

export function factsOf({ name, narrowed_to, scopes, expires_at }: KeyRow): Facts {
  return {
    name,
    narrowed_to,
    scopes: scopes.split(','),
    expires_at: expires_at === null ? null : new Date(expires_at).toISOString(),
  };
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
