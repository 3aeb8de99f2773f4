// Members: the people of an account, who sign in to the console.
import { ulid } from 'ulid';
import { countOwned, AccountFault } from '../accounts.js';
import { audit } from '../audit.js';
import type { Facts } from '../changes.js';
import { cutPage, PAGE_ROWS, type Page } from '../page.js';
import type { Actor, Database, Queries } from '../../storage/db/database.js';

/** SQL for a member's e-mail address. */
export const MEMBER_ADDRESS = 'coalesce(members.address, members.email)';

/**
 * Roles, from the fewest permissions to the most. `member` makes checks and sees results; `owner` also manages keys
 * and members; `operator` also manages all accounts.
 */
export const ROLES = ['member', 'owner', 'operator'] as const;
export type Role = (typeof ROLES)[number];

export interface Member {
  /** `mem_` followed by a ULID. */
  readonly id: string;
  readonly accountId: string;
  /** In lower case; unique within an account. */
  readonly email: string;
  readonly role: Role;
  /** True if the member set a password with an invitation link. The e-mail address is then not verified. */
  readonly hasPassword: boolean;
  readonly createdAt: Date;
}

export interface MemberRow {
  id: string;
  account_id: string;
  /**
   * E-mail address of a person's first membership. Further memberships have the address, a space and the member's id,
   * because the column is unique.
   */
  email: string;
  /** E-mail address; null in rows written by a version before migration 0009, whose `email` is the address. */
  address: string | null;
  role: string;
  password_hash: string | null;
  created_at: number;
}

const EMAIL = /^[^\s@<>"\p{C}]{1,64}@[^\s@<>"\p{C}]{1,190}$/u;

/** Returns an e-mail address in the form that is stored. Throws AccountFault if it is invalid. */
export function readEmail(text: string): string {
  const email = text.trim().toLowerCase();
  if (EMAIL.test(email)) return email;
  throw new AccountFault('Expected an address of the form name@example.org');
}

/** Returns whether `role` includes the permissions of `needed`. */
export function hasRole(role: Role, needed: Role): boolean {
  return ROLES.indexOf(role) >= ROLES.indexOf(needed);
}

/** Returns the members of an account, or of all accounts; oldest first. */
export async function listMembers(database: Database, accountId?: string): Promise<Member[]> {
  const rows = await database.run((queries) => {
    const query = queries<MemberRow>('members').orderBy('created_at').orderBy('id').select();
    return accountId === undefined ? query : query.where({ account_id: accountId });
  });
  return rows.map(readMember);
}

/** Returns one page of the members of an account, oldest first, beginning after the member `after`. */
export async function pageMembers(
  database: Database,
  accountId: string,
  after: string | undefined,
): Promise<Page<Member>> {
  const rows = await database.run((queries) => {
    const query = queries<MemberRow>('members')
      .where({ account_id: accountId })
      .orderBy('id')
      .limit(PAGE_ROWS + 1);
    return after === undefined ? query : query.where('id', '>', after);
  });
  return cutPage(rows.map(readMember));
}

/** Counts the members of each of these accounts. */
export function countMembers(
  database: Database,
  accountIds: readonly string[],
): Promise<Map<string, number>> {
  return countOwned(database, accountIds, (queries) => queries('members'));
}

/**
 * Returns the memberships of an e-mail address with their password hashes, oldest first. An address has at most one
 * membership in each account.
 */
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
 * Creates a member of an account. If the account already has a member with this e-mail address, changes that member's
 * role instead. `passwordHash` null removes the password; undefined leaves it unchanged.
 */
export async function putMember(
  queries: Queries,
  /** Person whom the audit log names as the actor. */
  visitor: Actor,
  newMember: {
    readonly accountId: string;
    readonly email: string;
    readonly role: Role;
    readonly passwordHash: string | null | undefined;
  },
): Promise<Member> {
  const { accountId, email, role, passwordHash } = newMember;
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
  // Tries the plain address first, which fails if any account has a member with it. The second form fails only if this
  // account has.
  for (const name of [email, `${email} ${id}`]) {
    const [insertedRow] = await queries<MemberRow>('members')
      .insert({ ...row, email: name })
      .onConflict()
      .ignore()
      .returning('*');
    if (!insertedRow) continue;
    await audit(queries, actor, { what: 'member.joined', ...change, after: factsOf(insertedRow) });
    return readMember(insertedRow);
  }
  const present = queries<MemberRow>('members')
    .where({ account_id: accountId })
    .whereRaw(`${MEMBER_ADDRESS} = ?`, [email]);
  const before = await present.clone().forUpdate().first();
  if (!before) throw new AccountFault(`${email} was removed in the meantime`);
  const changes = { role, ...(passwordHash !== undefined && { password_hash: passwordHash }) };
  await present.clone().update(changes);
  const stored = { ...before, ...changes };
  // A link that signs in without a password can change only the role.
  if (passwordHash !== undefined || before.role !== role)
    await audit(queries, actor, {
      what: 'member.changed',
      ...change,
      before: factsOf(before),
      after: factsOf(stored),
    });
  return readMember(stored);
}

/** Returns the properties of a member that the audit log shows. */
function factsOf({ role, password_hash: hash }: MemberRow): Facts {
  return { role, has_password: hash !== null };
}

/**
 * Removes a member and ends the member's sessions. Throws AccountFault if the account has no such member, or if `by` is
 * this member or has a lower role. `by` is the member who removes; by default, the command line.
 */
export async function removeMember(
  database: Database,
  accountId: string,
  id: string,
  by: Pick<Member, 'id' | 'role'> | null = null,
): Promise<void> {
  if (by?.id === id) throw new AccountFault('you can not remove yourself');
  await database.transaction(async (queries) => {
    await queries('sessions').where({ member_id: id }).delete();
    // Deletes unused links of this person, who could otherwise return with one. The member's row is deleted last,
    // because it has the address of the links.
    const email = queries<MemberRow>('members')
      .where({ id, account_id: accountId })
      .select(queries.raw(MEMBER_ADDRESS));
    await queries('links').where({ account_id: accountId }).whereIn('email', email).delete();
    const member = queries<MemberRow>('members').where({ id, account_id: accountId });
    const removed = await member.clone().forUpdate().first();
    if (!removed || (await member.clone().delete()) === 0)
      throw new AccountFault('this account has no such member');
    const { email: subject, role } = readMember(removed);
    if (by && !hasRole(by.role, role))
      throw new AccountFault(`the role ${by.role} can't remove a member with the role ${role}`);
    const change = { accountId, subject, before: factsOf(removed) };
    await audit(queries, database.actor, { what: 'member.removed', ...change });
  });
}

/** Returns a member as JSON. */
export function presentMember({ id, email, role, createdAt }: Member): {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly created_at: string;
} {
  return { id, email, role, created_at: createdAt.toISOString() };
}

/** Converts a row to a member. */
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
