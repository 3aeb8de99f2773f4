// Console routes of the session: sign-in by password or link, the signed-in member, sign-out.
import type { Static } from '@sinclair/typebox';
import { findAccountById, findAccounts, AccountFault } from '../../../accounts/accounts.js';
import { CheckError, invalidRequest } from 'telltale-engine/internal/base/errors.js';
import { withHeaders } from '../../http/errors/answer-errors.js';
import { findLink, followLink, type Link } from '../../../accounts/members/links.js';
import { readEmail } from '../../../accounts/members/members.js';
import { closeSession, closeSessions, findSession } from '../../../accounts/members/sessions.js';
import { signIn } from '../../../accounts/members/sign-in.js';
import { addressOf, visitorActor } from '../../http/actor.js';
import {
  dropCookie,
  readSessionToken,
  startSession,
  memberOf,
  type ConsoleContext,
  type Handler,
} from '../session.js';
import { presentProfiles } from '../present.js';
import type { Services } from '../../services.js';
import type { Credentials, LinkToken, LinkVisit } from '../schemas.js';

/** Handles GET me: returns the signed-in member, or status 204 without a session. */
export function getMe(deps: Services) {
  const { database, calibration, profile, historyDays, historyNames, storeDays, auditDays } = deps;
  const { version, plans, scans } = deps;
  return async (ctx: ConsoleContext) => {
    const signedIn = await findSession(database, readSessionToken(ctx));
    if (!signedIn) return;
    const bands = calibration.current;
    const plan = plans.get(signedIn.planName ?? '');
    const { id, email, role, accountId, accountName, planName, keepsHashes } = signedIn;
    return {
      member: { id, email, role },
      account: {
        id: accountId,
        name: accountName,
        plan: planName,
        /** True if the account's checks find earlier checks of the same image. */
        keeps_hashes: keepsHashes,
      },
      service: {
        version,
        model: bands.model,
        bands_version: bands.version,
        profile,
        profiles: presentProfiles(bands),
        history_days: historyDays,
        store_days: storeDays,
        audit_days: auditDays,
        /** True if the history stores file names. */
        history_names: historyNames,
      },
      /** Scan limits of the account's plan, or null without PostgreSQL, which scans require. */
      scans: scans && {
        items: plan?.scanItems ?? 0,
        at_once: plan?.scansAtOnce ?? 0,
      },
    };
  };
}

/**
 * Handles POST session: signs in with a password. If the password is right for several accounts, the response
 * lists them. Throws CheckError unauthorized, rate_limited.
 */
export function postSession(deps: Services) {
  return async (
    ctx: ConsoleContext,
    { email, password, account_id: accountId }: Static<typeof Credentials>,
  ) => {
    const address = addressOf(ctx, deps.proxies);
    const credentials = { email: readEmailLoosely(email), password, address, accountId };
    const outcome = await signIn(deps.database, credentials);
    switch (outcome.kind) {
      case 'signed_in':
        await startSession(ctx, deps, outcome.member, 'password');
        return;
      case 'several': {
        const accounts = await findAccounts(
          deps.database,
          outcome.members.map((member) => member.accountId),
        );
        return { accounts: accounts.map(({ id, name }) => ({ id, name })) };
      }
      case 'refused':
        throw new CheckError('unauthorized', 'the address or the password is wrong');
      case 'too_many_tries': {
        const minutes = Math.ceil(outcome.retryInMs / 60_000);
        throw withHeaders(
          new CheckError('rate_limited', `Too many failed attempts. Try again in ${minutes} min`),
          {
            'Retry-After': String(Math.max(1, Math.ceil(outcome.retryInMs / 1000))),
          },
        );
      }
    }
  };
}

/** Returns an empty text for an invalid address, so that invalid and unknown addresses are refused alike. */
function readEmailLoosely(text: string): string {
  try {
    return readEmail(text);
  } catch (error) {
    if (error instanceof AccountFault) return '';
    throw error;
  }
}

/** Handles DELETE session: signs out this browser. */
export function deleteSession(deps: Services): Handler {
  return async (ctx) => {
    await closeSession(deps.database, readSessionToken(ctx));
    dropCookie(ctx, deps.publicUrl);
  };
}

/** Handles DELETE sessions: signs out all browsers of the member. */
export function deleteSessions(deps: Services): Handler {
  return async (ctx) => {
    await closeSessions(deps.database, memberOf(ctx).id);
    dropCookie(ctx, deps.publicUrl);
  };
}

/** Handles POST links/look: returns what a link is for, without using it. Throws CheckError not_found. */
export function postLinkPreview(deps: Services) {
  return async (_: ConsoleContext, { token }: Static<typeof LinkToken>) => {
    const link = await findLink(deps.database, token);
    const account = link && (await findAccountById(deps.database, link.accountId));
    if (!link || !account) throw linkNotFound();
    return {
      purpose: link.purpose,
      email: link.email,
      account: account.name,
      /** True if following the link requires sign-in at the organisation's provider instead of a password. */
      openid: isForProvider(deps, link),
    };
  };
}

/** Handles POST links/follow: signs in with a link, once. Throws CheckError not_found, invalid_request. */
export function postLinkVisit(deps: Services): Handler<Static<typeof LinkVisit>> {
  return async (ctx, { token, password }) => {
    const link = await findLink(deps.database, token);
    if (link && isForProvider(deps, link))
      throw invalidRequest('Accept this invitation by signing in with your organisation');
    const database = deps.database.by(visitorActor(ctx, deps.proxies));
    const member = await followLink(database, token, password ?? null);
    if (!member) throw linkNotFound();
    await startSession(ctx, deps, member, 'link');
  };
}

/** Returns whether a link requires the provider: if there is one, only it verifies who owns an address. */
function isForProvider({ openId }: Services, { purpose }: Link): boolean {
  return openId !== null && purpose === 'invitation';
}

function linkNotFound(): CheckError {
  return new CheckError(
    'not_found',
    'This link was already used, was withdrawn, or has expired. Ask for a new link',
  );
}
