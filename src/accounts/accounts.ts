// Accounts: the customers that keys, usage and kept images belong to.
import { ulid } from 'ulid';
import { isUniqueViolation } from '../storage/db/faults.js';
import type { Knex } from 'knex';
import type { Database, Queries } from '../storage/db/database.js';
import { audit } from './audit.js';
import type { ChangeName } from './changes.js';
import { cutPage, PAGE_ROWS, type Page } from './page.js';
import { AskerFault } from 'telltale-engine/internal/base/errors.js';

/** A request about accounts or keys that can't be done; its message is written for the operator. */
export class AccountFault extends AskerFault {
  override readonly name = 'AccountFault';
}

/** One customer. */
export interface Account {
  /** `acc_` and a ULID. */
  readonly id: string;
  readonly name: string;
  /** Name of the plan, for its keys and its members; null before the first key. */
  readonly plan: string | null;
  /** What of the operator's bucket its scans may read: all keys that begin so, every key for `/`; null for none. */
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

const MAX_NAME_LENGTH = 100;
const MAX_PREFIX_LENGTH = 500;

/** Makes an account. Throws AccountFault if the name is taken or is no name (1 to 100 printable characters). */
export async function createAccount(
  database: Database,
  name: string,
  plan: string | null = null,
): Promise<Account> {
  if (!isName(name)) throw new AccountFault(`a name has 1 to ${MAX_NAME_LENGTH} printable characters`);
  const row: AccountRow = { id: `acc_${ulid()}`, name, plan, scan_prefix: null, created_at: Date.now() };
  try {
    await database.transaction(async (queries) => {
      await queries<AccountRow>('accounts').insert(row);
      const change = { accountId: row.id, subject: name, after: { plan } };
      await audit(queries, database.actor, { what: 'account.created', ...change });
    });
    return readRow(row);
  } catch (error) {
    if (isUniqueViolation(error)) throw new AccountFault(`there is an account '${name}' already`);
    throw error;
  }
}

/** The account named `name`, made if there is none; safe if two processes do it at once. */
export async function ensureAccount(database: Database, name: string): Promise<Account> {
  return (await findAccount(database, name)) ?? createOrFind(database, name);
}

/** The account named `name`, or null. */
export async function findAccount(database: Database, name: string): Promise<Account | null> {
  const row = await database.run((queries) => queries<AccountRow>('accounts').where({ name }).first());
  return row ? readRow(row) : null;
}

/** The account of that name. Throws AccountFault if there is none. */
export async function requireAccount(database: Database, name: string): Promise<Account> {
  const account = await findAccount(database, name);
  if (!account) throw new AccountFault(`there is no account '${name}'`);
  return account;
}

/** The account with this identifier, or null. */
export async function findAccountById(database: Database, id: string): Promise<Account | null> {
  const row = await database.run((queries) => queries<AccountRow>('accounts').where({ id }).first());
  return row ? readRow(row) : null;
}

/**
 * Gives an account a plan: it is that of all its keys and members, from the next request on. The plan's existence is the
 * caller's to check. Throws AccountFault if there is no such account.
 */
export function setPlan(database: Database, id: string, plan: string): Promise<Account> {
  return change(database, id, 'account.plan_changed', 'plan', plan);
}

/**
 * Gives an account a prefix of the operator's bucket for its scans. It ends with `/`, given or not; `/` alone is the
 * whole bucket, an empty text takes it away. Throws AccountFault if `prefix` is none, or there is no such account.
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

/** Every account, oldest first. */
export async function listAccounts(database: Database): Promise<Account[]> {
  const rows = await database.run((queries) => queries<AccountRow>('accounts').orderBy('id'));
  return rows.map(readRow);
}

/** Whether there is one account and no other: then what it teaches concerns nobody else. */
export async function hasOneAccount(database: Database): Promise<boolean> {
  const rows = await database.run((queries) => queries<AccountRow>('accounts').limit(2).select('id'));
  return rows.length === 1;
}

/** A page of the accounts, oldest first: those younger than the account `after`. */
export async function pageAccounts(database: Database, after: string | undefined): Promise<Page<Account>> {
  const rows = await database.run((queries) => {
    const found = queries<AccountRow>('accounts')
      .orderBy('id')
      .limit(PAGE_ROWS + 1);
    return after === undefined ? found : found.where('id', '>', after);
  });
  return cutPage(rows.map(readRow));
}

/** The accounts with these identifiers, oldest first. */
export async function findAccounts(database: Database, ids: readonly string[]): Promise<Account[]> {
  const rows = await database.run((queries) =>
    queries<AccountRow>('accounts')
      .whereIn('id', [...ids])
      .orderBy('id'),
  );
  return rows.map(readRow);
}

/** How many rows of a table each of these accounts has; `select` gives the table and what counts of it. */
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

/** Whether `name` may name an account or a key. */
export function isName(name: string): boolean {
  return name.trim() === name && name.length > 0 && name.length <= MAX_NAME_LENGTH && !/\p{C}/u.test(name);
}

/** An address is taken for a mistake: as a prefix it would open nothing. */
function isPrefix(text: string): boolean {
  return text === '/' || (text.length <= MAX_PREFIX_LENGTH && !/^\/|^s3:|\p{C}/u.test(text));
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
