// Accounts: the customers of the service. API keys, usage and stored images belong to an account.
import { ulid } from 'ulid';
import { isUniqueViolation } from '../storage/db/faults.js';
import type { Knex } from 'knex';
import type { Database, Queries } from '../storage/db/database.js';
import { audit } from './audit.js';
import type { ChangeName } from './changes.js';
import { cutPage, PAGE_ROWS, type Page } from './page.js';
import { RequestFault } from 'telltale-engine/internal/base/errors.js';

/** Error for a request about accounts or keys that can't be carried out. Its message is shown to the operator. */
export class AccountFault extends RequestFault {
  override readonly name = 'AccountFault';
}

export interface Account {
  /** `acc_` followed by a ULID. */
  readonly id: string;
  readonly name: string;
  /** Name of the plan, which limits the account's keys and members; null before the account has a key. */
  readonly plan: string | null;
  /** Beginning of the object names that scans may read in the operator's bucket: `/` allows all, null none. */
  readonly scanPrefix: string | null;
  readonly createdAt: Date;
}

interface AccountRow {
  id: string;
  name: string;
  plan: string | null;
  scan_prefix: string | null;
  created_at: number;
}

/** Maximum number of characters of the name of an account or a key. */
export const MAX_NAME_LENGTH = 100;
export const MAX_PREFIX_LENGTH = 500;

/** Creates an account. Throws AccountFault if the name is taken or invalid (valid: 1 to 100 printable characters). */
export async function createAccount(
  database: Database,
  name: string,
  plan: string | null = null,
): Promise<Account> {
  if (!isName(name))
    throw new AccountFault(`Expected a name of 1 to ${MAX_NAME_LENGTH} printable characters`);
  const row: AccountRow = { id: `acc_${ulid()}`, name, plan, scan_prefix: null, created_at: Date.now() };
  try {
    await database.transaction(async (queries) => {
      await queries<AccountRow>('accounts').insert(row);
      const change = { accountId: row.id, subject: name, after: { plan } };
      await audit(queries, database.actor, { what: 'account.created', ...change });
    });
    return readRow(row);
  } catch (error) {
    if (isUniqueViolation(error)) throw new AccountFault(`The account '${name}' already exists`);
    throw error;
  }
}

/** Returns the account named `name`; creates it if needed. Two processes may call this concurrently. */
export async function ensureAccount(database: Database, name: string): Promise<Account> {
  return (await findAccount(database, name)) ?? createOrFind(database, name);
}

/** Returns the account named `name`, or null. */
export async function findAccount(database: Database, name: string): Promise<Account | null> {
  const row = await database.run((queries) => queries<AccountRow>('accounts').where({ name }).first());
  return row ? readRow(row) : null;
}

/** Returns the account named `name`. Throws AccountFault if it does not exist. */
export async function requireAccount(database: Database, name: string): Promise<Account> {
  const account = await findAccount(database, name);
  if (!account) throw new AccountFault(`there is no account '${name}'`);
  return account;
}

/** Returns the account with this identifier, or null. */
export async function findAccountById(database: Database, id: string): Promise<Account | null> {
  const row = await database.run((queries) => queries<AccountRow>('accounts').where({ id }).first());
  return row ? readRow(row) : null;
}

/**
 * Sets the plan of an account. The plan applies to all keys and members of the account from the next request on. The
 * caller must check that the plan exists. Throws AccountFault if the account does not exist.
 */
export function setPlan(database: Database, id: string, plan: string): Promise<Account> {
  return change(database, id, 'account.plan_changed', 'plan', plan);
}

/**
 * Lets an account's scans read the objects of the operator's bucket whose names begin with `prefix`. A missing `/` is
 * added at the end. Only `/` allows the whole bucket, and an empty text allows nothing. Throws AccountFault if
 * `prefix` is invalid or the account does not exist.
 */
export async function setScanPrefix(database: Database, id: string, prefix: string): Promise<Account> {
  if (!isPrefix(prefix))
    throw new AccountFault(
      `Expected a prefix of keys, such as acme/ (at most ${MAX_PREFIX_LENGTH} characters), or / for the whole bucket`,
    );
  const closed = prefix.endsWith('/') ? prefix : `${prefix}/`;
  return change(database, id, 'account.prefix_changed', 'scan_prefix', prefix === '' ? null : closed);
}

async function change(
  database: Database,
  id: string,
  what: ChangeName,
  column: 'plan' | 'scan_prefix',
  value: string | null,
): Promise<Account> {
  return database.transaction(async (queries) => {
    const row = await queries<AccountRow>('accounts').where({ id }).forUpdate().first();
    if (!row) throw new AccountFault('there is no such account');
    if (row[column] !== value) {
      const facts = { before: { [column]: row[column] }, after: { [column]: value } };
      await queries<AccountRow>('accounts')
        .where({ id })
        .update({ [column]: value });
      await audit(queries, database.actor, { what, accountId: id, subject: row.name, ...facts });
    }
    return readRow({ ...row, [column]: value });
  });
}

/** Returns all accounts, oldest first. */
export async function listAccounts(database: Database): Promise<Account[]> {
  const rows = await database.run((queries) => queries<AccountRow>('accounts').orderBy('id'));
  return rows.map(readRow);
}

/** Returns whether there is exactly one account. Thresholds fitted to its images then affect no other customer. */
export async function hasOneAccount(database: Database): Promise<boolean> {
  const rows = await database.run((queries) => queries<AccountRow>('accounts').limit(2).select('id'));
  return rows.length === 1;
}

/** Returns one page of the accounts, oldest first, beginning after the account `after`. */
export async function pageAccounts(database: Database, after: string | undefined): Promise<Page<Account>> {
  const rows = await database.run((queries) => {
    const query = queries<AccountRow>('accounts')
      .orderBy('id')
      .limit(PAGE_ROWS + 1);
    return after === undefined ? query : query.where('id', '>', after);
  });
  return cutPage(rows.map(readRow));
}

/** Returns the accounts with these identifiers, oldest first. */
export async function findAccounts(database: Database, ids: readonly string[]): Promise<Account[]> {
  const rows = await database.run((queries) =>
    queries<AccountRow>('accounts')
      .whereIn('id', [...ids])
      .orderBy('id'),
  );
  return rows.map(readRow);
}

/** Returns how many rows each of these accounts has in the table that `select` chooses. */
export async function countOwned(
  database: Database,
  accountIds: readonly string[],
  select: (queries: Queries) => Knex.QueryBuilder,
): Promise<Map<string, number>> {
  const rows = await database.run((queries) =>
    select(queries)
      .whereIn('account_id', [...accountIds])
      .groupBy('account_id')
      .select<{ id: string; rows: number | string }[]>('account_id as id', queries.raw('count(*) as rows')),
  );
  return new Map(rows.map(({ id, rows: count }) => [id, Number(count)]));
}

async function createOrFind(database: Database, name: string): Promise<Account> {
  try {
    return await createAccount(database, name);
  } catch (error) {
    const account = error instanceof AccountFault ? await findAccount(database, name) : null;
    if (account) return account;
    throw error;
  }
}

/** Returns whether `name` is valid as the name of an account or a key. */
export function isName(name: string): boolean {
  return name.trim() === name && name.length > 0 && name.length <= MAX_NAME_LENGTH && !/\p{C}/u.test(name);
}

/** Returns whether `text` is `/` or can begin an object name, which never starts with `/` or `s3:`. */
function isPrefix(text: string): boolean {
  return text === '/' || (text.length <= MAX_PREFIX_LENGTH && !/^\/|^s3:|\p{C}/u.test(text));
}

/** Returns an account as JSON. */
export function presentAccount(account: Account): {
  readonly id: string;
  readonly name: string;
  readonly plan: string | null;
  readonly scan_prefix: string | null;
  readonly created_at: string;
} {
  const { id, name, plan, scanPrefix, createdAt } = account;
  return { id, name, plan, scan_prefix: scanPrefix, created_at: createdAt.toISOString() };
}

function readRow(row: AccountRow): Account {
  return {
    id: row.id,
    name: row.name,
    plan: row.plan,
    scanPrefix: row.scan_prefix,
    createdAt: new Date(row.created_at),
  };
}
