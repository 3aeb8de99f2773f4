// Creates accounts, invitations and members for tests.
import assert from 'node:assert/strict';
import { createAccount } from '../../src/accounts/accounts.js';
import { createLink, followLink, type LinkOptions } from '../../src/accounts/members/links.js';
import type { Member } from '../../src/accounts/members/members.js';
import type { Database } from '../../src/storage/db/database.js';

export const PASSWORD = 'correct horse battery staple';

let accounts = 0;

/** Creates an account, by default with the plan `growth`, and returns its identifier. */
export async function newAccount(database: Database, plan: string | null = 'growth'): Promise<string> {
  accounts += 1;
  return (await createAccount(database, `account of members ${accounts}`, plan)).id;
}

/** Creates an invitation to an account, by default as a member and from the operator. */
export function invite(
  database: Database,
  accountId: string,
  email: string,
  options: Partial<LinkOptions> = {},
): ReturnType<typeof createLink> {
  const wanted = { purpose: 'invitation', accountId, email, role: 'member', by: 'operator' } as const;
  return createLink(database, { ...wanted, ...options });
}

/** Creates a member by an invitation, by default in a new account. */
export async function join(
  database: Database,
  email: string,
  options: Partial<LinkOptions> & { readonly password?: string } = {},
): Promise<Member> {
  const { accountId = await newAccount(database), password = PASSWORD, ...others } = options;
  const { token } = await invite(database, accountId, email, others);
  const member = await followLink(database, token, password);
  assert.ok(member);
  return member;
}
