// Console routes of the account's members and invitations.
import type { Static } from '@sinclair/typebox';
import { findAccountById } from '../../../accounts/accounts.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import {
  createLink,
  listInvitations,
  presentInvitation,
  withdrawInvitation,
} from '../../../accounts/members/links.js';
import { pageMembers, presentMember, removeMember } from '../../../accounts/members/members.js';
import { originOf, asMember, memberOf, type ConsoleContext, type Handler } from '../session.js';
import type { Services } from '../../services.js';
import { paramOf } from '../../http/state.js';
import type { InvitationBody, PageQuery } from '../schemas.js';

/** Handles GET members: lists the account's members and invitations. Throws CheckError invalid_request. */
export function getMembers({ database, openId }: Services) {
  return async (ctx: ConsoleContext, { after }: Static<typeof PageQuery>) => {
    const { accountId } = memberOf(ctx);
    const [{ rows: members, next }, invitations] = await Promise.all([
      pageMembers(database, accountId, after),
      listInvitations(database, accountId),
    ]);
    return {
      members: members.map((member) => ({
        ...presentMember(member),
        /**
         * True if the member has a password although there is a sign-in provider, so that the provider has
         * not verified the email address.
         */
        is_unverified: openId !== null && member.hasPassword,
      })),
      invitations: invitations.map(presentInvitation),
      next,
    };
  };
}

/**
 * Handles DELETE members/ID: removes a member. Nobody can remove themselves or a member with a higher role. Throws
 * CheckError invalid_request.
 */
export function deleteMember(deps: Services): Handler {
  return async (ctx) => {
    const by = memberOf(ctx);
    await removeMember(asMember(ctx, deps), by.accountId, paramOf(ctx, 'id'), by);
  };
}

/**
 * Handles POST invitations: creates an invitation link and shows it once. Sends no mail. Throws CheckError
 * invalid_request, forbidden.
 */
export function postInvitation(deps: Services) {
  return async (
    ctx: ConsoleContext,
    { email, role, account_id: requestedAccountId }: Static<typeof InvitationBody>,
  ) => {
    const { accountId, role: by } = memberOf(ctx);
    if (requestedAccountId !== undefined && requestedAccountId !== accountId && by !== 'operator')
      throw new CheckError('forbidden', 'this needs the role operator');
    const account = await findAccountById(deps.database, requestedAccountId ?? accountId);
    if (!account) throw new CheckError('not_found', 'there is no such account');
    const { token, ...link } = await createLink(asMember(ctx, deps), {
      purpose: 'invitation',
      accountId: account.id,
      email,
      role,
      by,
    });
    return {
      ...presentInvitation(link),
      url: `${originOf(ctx, deps.publicUrl)}/invitation#${token}`,
    };
  };
}

/** Handles DELETE invitations/ID: withdraws an invitation. Throws CheckError invalid_request. */
export function deleteInvitation(deps: Services): Handler {
  return async (ctx) => {
    const { accountId } = memberOf(ctx);
    await withdrawInvitation(asMember(ctx, deps), accountId, paramOf(ctx, 'id'));
  };
}
