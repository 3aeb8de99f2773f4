// Members: the people of an account, who sign in to the console.
import { ulid } from 'ulid';
import { AccountFault } from '../accounts/faults.js';
import type { Database, Queries } from '../db/database.js';

/** What a member may do, each including the one before: try and see; keys and members; all accounts. */
export const ROLES = ['member', 'owner', 'operator'] as const;
/** One of them. */
export type Role = (typeof ROLES)[number];

/** One person. */
export interface Member {
  /** `mem_` and a ULID. */
  readonly id: string;
  readonly accountId: string;
  /** In lower case; unique over all accounts. */
  readonly email: string;
  readonly role: Role;
  readonly createdAt: Date;
}

/** The row behind a member. */
export interface MemberRow {
  id: string;
  account_id: string;
  email: string;
  role: string;
  password_hash: string | null;
  created_at: number;
}

const EMAIL = /^[^\s@<>"\p{C}]{1,64}@[^\s@<>"\p{C}]{1,190}$/u;

/** An address in the one form that is stored. Throws AccountFault where it is none. */
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

/** The member with this address, and the hash of the password; null where there is none. */
export async function findMember(
  database: Database,
  email: string,
): Promise<{ readonly member: Member; readonly passwordHash: string | null } | null> {
  const row = await database.run((queries) => queries<MemberRow>('members').where({ email }).first());
  return row ? { member: readMember(row), passwordHash: row.password_hash } : null;
}

/**
 * Makes a member of an account, or, where the address is one's already, gives it the role. `passwordHash` null leaves the
 * password as it is. Throws AccountFault where the address belongs to another account.
 */
export async function putMember(
  queries: Queries,
  wanted: {
    readonly accountId: string;
    readonly email: string;
    readonly role: Role;
    readonly passwordHash: string | null;
  },
): Promise<Member> {
  const { accountId, email, role, passwordHash } = wanted;
  const row: MemberRow = {
    id: `mem_${ulid()}`,
    account_id: accountId,
    email,
    role,
    password_hash: passwordHash,
    created_at: Date.now(),
  };
  const [stored] = await queries<MemberRow>('members')
    .insert(row)
    .onConflict('email')
    .merge(passwordHash === null ? ['role'] : ['role', 'password_hash'])
    .where('members.account_id', accountId)
    .returning('*');
  if (!stored) throw new AccountFault(`${email} is a member of another account`);
  return readMember(stored);
}

/** Removes a member, who is signed out everywhere. Throws AccountFault where the account has no such member. */
export async function removeMember(database: Database, accountId: string, id: string): Promise<void> {
  await database.transaction(async (queries) => {
    await queries('sessions').where({ member_id: id }).delete();
    // Nor does he come back by a link that was never followed; before the member goes, whose row has the address.
    const email = queries<MemberRow>('members').where({ id, account_id: accountId }).select('email');
    await queries('links').where({ account_id: accountId }).whereIn('email', email).delete();
    const removed = await queries<MemberRow>('members').where({ id, account_id: accountId }).delete();
    if (removed === 0) throw new AccountFault('this account has no such member');
  });
}

/** A row as a member. */
export function readMember(row: MemberRow): Member {
  const role = ROLES.find((name) => name === row.role) ?? 'member';
  return {
    id: row.id,
    accountId: row.account_id,
    email: row.email,
    role,
    createdAt: new Date(row.created_at),
  };
}
