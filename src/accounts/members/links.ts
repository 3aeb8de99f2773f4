// One-time links: an invitation, which asks for a password, or a link that signs in without one.
import { ulid } from 'ulid';
import { AccountFault } from '../accounts.js';
import { audit } from '../audit.js';
import type { Actor, Database, Queries } from '../../storage/db/database.js';
import { deleteInPieces } from '../../storage/db/pieces.js';
import { findMembers, hasRole, putMember, readEmail, ROLES, type Member, type Role } from './members.js';
import { hashPassword } from './passwords.js';
import { hashToken, newToken } from './sessions.js';

/** Time for which an invitation is valid. */
const INVITATION_MS = 7 * 86_400_000;
/** Time for which a sign-in link is valid. */
const SIGN_IN_MS = 3_600_000;

/** Maximum number of open invitations of an account. */
export const MAX_INVITATIONS = 100;

/** Effect of a link. Only the service itself creates `sign_in` links, for its operator. */
export type Purpose = 'invitation' | 'sign_in';

/** A link that has not been used. */
export interface Link {
  /** `lnk_` followed by a ULID. */
  readonly id: string;
  readonly purpose: Purpose;
  readonly accountId: string;
  readonly email: string;
  readonly role: Role;
  readonly expiresAt: Date;
}

interface LinkRow {
  id: string;
  token_hash: string;
  purpose: string;
  account_id: string;
  email: string;
  role: string;
  created_at: number;
  expires_at: number;
}

export interface LinkOptions {
  readonly purpose: Purpose;
  readonly accountId: string;
  readonly email: string;
  readonly role: Role;
  /** Role of the person who created the link, who can't give a higher role or change a member who has one. */
  readonly by: Role;
}

/**
 * Creates a one-time link. The returned `token` is stored nowhere else. Throws AccountFault if the e-mail address is
 * invalid, if the role is higher than `by`, or if the account has the maximum number of open invitations.
 */
export async function createLink(
  database: Database,
  options: LinkOptions,
): Promise<Link & { readonly token: string }> {
  const { purpose, accountId, role, by } = options;
  const email = readEmail(options.email);
  const members = (await findMembers(database, email)).map(({ member }) => member);
  const present = members.find((member) => member.accountId === accountId);
  if (!hasRole(by, role) || (present && !hasRole(by, present.role)))
    throw new AccountFault(`The role ${by} can't invite members with the role ${present?.role ?? role}`);
  const token = newToken();
  const now = Date.now();
  const row: LinkRow = {
    id: `lnk_${ulid()}`,
    token_hash: hashToken(token),
    purpose,
    account_id: accountId,
    email,
    role,
    created_at: now,
    expires_at: now + (purpose === 'invitation' ? INVITATION_MS : SIGN_IN_MS),
  };
  await database.transaction(async (queries) => {
    // Deletes older links, so that a person who was invited again with another role can't use the first invitation.
    await queries<LinkRow>('links').where({ account_id: accountId, email, purpose }).delete();
    if (purpose === 'invitation') await limitInvitations(queries, accountId);
    await queries<LinkRow>('links').insert(row);
    const after = { role, purpose, expires_at: new Date(row.expires_at).toISOString() };
    await audit(queries, database.actor, { what: 'member.invited', accountId, subject: email, after });
  });
  return { ...readLink(row), token };
}

/**
 * Throws AccountFault if the account has the maximum number of invitations. Locks the account, so that two concurrent
 * invitations can't both pass.
 */
async function limitInvitations(queries: Queries, accountId: string): Promise<void> {
  await queries('accounts').where({ id: accountId }).forUpdate().select('id');
  const [open] = await queries<LinkRow>('links')
    .where({ account_id: accountId, purpose: 'invitation' })
    .where('expires_at', '>', Date.now())
    .count<{ links: number | string }[]>('* as links');
  if (Number(open?.links ?? 0) < MAX_INVITATIONS) return;
  throw new AccountFault(
    `This account has the maximum of ${MAX_INVITATIONS} open invitations. Withdraw one first`,
  );
}

/** Returns the unused link that belongs to a token; null if the token is unknown, was used or has expired. */
export async function findLink(database: Database, token: string): Promise<Link | null> {
  const row = await database.run((queries) =>
    queries<LinkRow>('links')
      .where({ token_hash: hashToken(token) })
      .where('expires_at', '>', Date.now())
      .first(),
  );
  return row ? readLink(row) : null;
}

/** Returns the open invitations of an account, newest first. */
export async function listInvitations(database: Database, accountId: string): Promise<Link[]> {
  const rows = await database.run((queries) =>
    queries<LinkRow>('links')
      .where({ account_id: accountId, purpose: 'invitation' })
      .where('expires_at', '>', Date.now())
      .orderBy('id', 'desc')
      .limit(MAX_INVITATIONS)
      .select(),
  );
  return rows.map(readLink);
}

/** Deletes an open invitation. Throws AccountFault if the account does not have this invitation. */
export async function withdrawInvitation(database: Database, accountId: string, id: string): Promise<void> {
  await database.transaction(async (queries) => {
    const link = queries<LinkRow>('links').where({ id, account_id: accountId, purpose: 'invitation' });
    const removed = await link.clone().forUpdate().first();
    if (!removed || (await link.clone().delete()) === 0)
      throw new AccountFault('this account has no such invitation');
    const change = { accountId, subject: removed.email, before: { role: removed.role } };
    await audit(queries, database.actor, { what: 'member.invitation_withdrawn', ...change });
  });
}

/**
 * Uses up a link and returns its member, who is created if needed. An invitation sets `password` and ends all earlier
 * sessions. Returns null if the link is no longer valid. Throws AccountFault if the password is invalid.
 */
export async function followLink(
  database: Database,
  token: string,
  password: string | null,
): Promise<Member | null> {
  const link = await findLink(database, token);
  if (!link) return null;
  const isInvitation = link.purpose === 'invitation';
  if (isInvitation && password === null)
    throw new AccountFault('Expected a password for accepting the invitation');
  const passwordHash = isInvitation && password !== null ? await hashPassword(password) : null;
  return database.transaction(async (queries) => {
    // If two requests use the link at the same time, only the one that deletes it succeeds.
    const deletedRows = await queries<LinkRow>('links').where({ id: link.id }).delete();
    if (deletedRows === 0) return null;
    return passwordHash === null
      ? putMember(queries, database.actor, { ...link, passwordHash: undefined })
      : putInvitedMember(queries, database.actor, link, passwordHash);
  });
}

/**
 * Accepts the account's open invitation for an e-mail address that an identity provider has verified. Returns null if
 * there is no invitation. Removes a password that somebody had set for the address.
 */
export async function acceptInvitation(
  queries: Queries,
  visitor: Actor,
  accountId: string,
  email: string,
): Promise<Member | null> {
  const row = await queries<LinkRow>('links')
    .where({ account_id: accountId, email, purpose: 'invitation' })
    .where('expires_at', '>', Date.now())
    .first();
  // If two requests use the invitation at the same time, only the one that deletes it succeeds.
  if (!row || (await queries<LinkRow>('links').where({ id: row.id }).delete()) === 0) return null;
  return putInvitedMember(queries, visitor, readLink(row), null);
}

/** Creates or changes the invited member and ends all of the member's earlier sessions. */
async function putInvitedMember(
  queries: Queries,
  visitor: Actor,
  link: Link,
  passwordHash: string | null,
): Promise<Member> {
  const member = await putMember(queries, visitor, { ...link, passwordHash });
  await queries('sessions').where({ member_id: member.id }).delete();
  return member;
}

/** Deletes expired links. */
export async function sweepLinks(database: Database): Promise<void> {
  await deleteInPieces(database, 'links', (rows) => rows.where('expires_at', '<=', Date.now()));
}

/** Returns an invitation as JSON. */
export function presentInvitation({ id, email, role, expiresAt }: Link): {
  readonly id: string;
  readonly email: string;
  readonly role: Role;
  readonly expires_at: string;
} {
  return { id, email, role, expires_at: expiresAt.toISOString() };
}

function readLink(row: LinkRow): Link {
  return {
    id: row.id,
    purpose: row.purpose === 'sign_in' ? 'sign_in' : 'invitation',
    accountId: row.account_id,
    email: row.email,
    role: ROLES.find((name) => name === row.role) ?? 'member',
    expiresAt: new Date(row.expires_at),
  };
}
