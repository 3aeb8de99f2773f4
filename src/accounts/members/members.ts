// Members: the people of an account, who sign in to the console.
import { ulid } from 'ulid';
import { countOwned, AccountFault } from '../accounts.js';
import { audit } from '../audit.js';
import type { Facts } from '../changes.js';
import { cutPage, PAGE_ROWS, type Page } from '../page.js';
import type { Actor, Database, Queries } from '../../storage/db/database.js';

/** The e-mail address of a row of `members`, in SQL. */
export const MEMBER_ADDRESS = 'coalesce(members.address, members.email)';

/** What a member may do, each including the one before: try and see; keys and members; all accounts. */
export const ROLES = ['member', 'owner', 'operator'] as const;
/** A member's role. */
export type Role = (typeof ROLES)[number];

/** One person. */
export interface Member {
  /** `mem_` and a ULID. */
  readonly id: string;
  readonly accountId: string;
  /** In lower case; once in an account. */
  readonly email: string;
  readonly role: Role;
  /** Whether the password came by a link: then nobody has verified whose address it is. */
  readonly hasPassword: boolean;
  readonly createdAt: Date;
}

/** The row behind a member. */
export interface MemberRow {
  id: string;
  account_id: string;
  /** The address if it is the first membership with it, else with the member's id behind it; unique. */
  email: string;
  /** Null in rows of a version before 0009: `email` is the address. */
  address: string | null;
  role: string;
  password_hash: string | null;
  created_at: number;
}

const EMAIL = /^[^\s@<>"\p{C}]{1,64}@[^\s@<>"\p{C}]{1,190}$/u;

/** An address in the one form that is stored. Throws AccountFault if it is none. */
export function readEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (EMAIL.test(email)) return email;
  throw new AccountFault('Expected an address of the form name@example.org');
}

/** Whether `role` includes what `needed` may do. */
export function hasRole(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** The members of an account, or of all; oldest first. */
export async function listMembers(database: Database, accountId?: string): Promise<Member[]> {
  const rows = await database.run((queries) => {
    const found = queries<MemberRow>('members').orderBy('created_at').orderBy('id').select();
    return accountId === undefined ? found : found.where({ account_id: accountId });
  });
  return rows.map(readMember);
}

/** A page of the members of an account, oldest first: those younger than the member `after`. */
export async function pageMembers(
  database: Database,
  accountId: string,
  after: string | undefined,
): Promise<Page<Member>> {
  const rows = await database.run((queries) => {
    const found = queries<MemberRow>('members')
      .where({ account_id: accountId })
      .orderBy('id')
      .limit(PAGE_ROWS + 1);
    return after === undefined ? found : found.where('id', '>', after);
  });
  return cutPage(rows.map(readMember));
}

/** The member of an account with this identifier, or null. */
export async function findMember(database: Database, accountId: string, id: string): Promise<Member | null> {
  const row = await database.run((queries) =>
    queries<MemberRow>('members').where({ id, account_id: accountId }).first(),
  );
  return row ? readMember(row) : null;
}

/** How many members each of these accounts has. */
export function countMembers(
  database: Database,
  accountIds: readonly string[],
): Promise<Map<string, number>> {
  return countOwned(database, accountIds, (queries) => queries('members'));
}

/** The memberships of an address, one an account at most, and the hash of each password; oldest first. */
export async function findMembers(
  database: Database,
  email: string,
): Promise<{ readonly member: Member; readonly passwordHash: string | null }[]> {
  const rows = await database.run((queries) =>
    queries<MemberRow>('members')
      .whereRaw(`${MEMBER_ADDRESS} = ?`, [email])
      .orderBy('created_at')
      .orderBy('id')
      .select(),
  );
  return rows.map((row) => ({ member: readMember(row), passwordHash: row.password_hash }));
}

/**
 * Makes a member of an account, or, if the account has the address already, gives it the role. `passwordHash` null: it
 * has no password from now on; undefined leaves it as it is.
 */
export async function putMember(
  queries: Queries,
  /** Who comes in. */
  visitor: Actor,
  wanted: {
    readonly accountId: string;
    readonly email: string;
    readonly role: Role;
    readonly passwordHash: string | null | undefined;
  },
): Promise<Member> {
  const { accountId, email, role, passwordHash } = wanted;
  const id = `mem_${ulid()}`;
  const row: Omit<MemberRow, 'email'> = {
    id,
    account_id: accountId,
    address: email,
    role,
    password_hash: passwordHash ?? null,
    created_at: Date.now(),
  };
  const change = { accountId, subject: email };
  const actor = { ...visitor, kind: 'member', name: email, accountId } as const;
  // The first fails if any account has the address, the second if this one has it.
  for (const name of [email, `${email} ${id}`]) {
    const [made] = await queries<MemberRow>('members')
      .insert({ ...row, email: name })
      .onConflict()
      .ignore()
      .returning('*');
    if (!made) continue;
    await audit(queries, actor, { what: 'member.joined', ...change, after: factsOf(made) });
    return readMember(made);
  }
  const present = queries<MemberRow>('members')
    .where({ account_id: accountId })
    .whereRaw(`${MEMBER_ADDRESS} = ?`, [email]);
  const before = await present.clone().forUpdate().first();
  if (!before) throw new AccountFault(`${email} was removed meanwhile`);
  const changes = { role, ...(passwordHash !== undefined && { password_hash: passwordHash }) };
  await present.clone().update(changes);
  const stored = { ...before, ...changes };
  // A link that signs in at once changes nothing but, maybe, the role.
  if (passwordHash !== undefined || before.role !== role)
    await audit(queries, actor, {
      what: 'member.changed',
      ...change,
      before: factsOf(before),
      after: factsOf(stored),
    });
  return readMember(stored);
}

/** What the audit log says of a member. */
function factsOf({ role, password_hash: hash }: MemberRow): Facts {
  return { role, has_password: hash !== null };
}

/** Removes a member, who is signed out everywhere. Throws AccountFault if the account has no such member. */
export async function removeMember(database: Database, accountId: string, id: string): Promise<void> {
  await database.transaction(async (queries) => {
    await queries('sessions').where({ member_id: id }).delete();
    // Nor does he come back by a link that was never followed; before the member goes, whose row has the address.
    const email = queries<MemberRow>('members')
      .where({ id, account_id: accountId })
      .select(queries.raw(MEMBER_ADDRESS));
    await queries('links').where({ account_id: accountId }).whereIn('email', email).delete();
    const member = queries<MemberRow>('members').where({ id, account_id: accountId });
    const removed = await member.clone().forUpdate().first();
    if (!removed || (await member.clone().delete()) === 0)
      throw new AccountFault('this account has no such member');
    const change = { accountId, subject: readMember(removed).email, before: factsOf(removed) };
    await audit(queries, database.actor, { what: 'member.removed', ...change });
  });
}

/** A row as a member. */
export function readMember(row: MemberRow): Member {
  const role = ROLES.find((name) => name === row.role) ?? 'member';
  return {
    id: row.id,
    accountId: row.account_id,
    email: row.address ?? row.email,
    role,
    hasPassword: row.password_hash !== null,
    createdAt: new Date(row.created_at),
  };
}
