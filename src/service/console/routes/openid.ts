// Console routes for sign-in at the organisation's OpenID provider, and for choosing between accounts.
import type { Static } from '@sinclair/typebox';
import { AccountFault } from '../../../accounts/accounts.js';
import {
  enterAccount,
  keepArrival,
  listEntrances,
  ARRIVAL_MS,
  endArrival,
  findArrival,
} from '../../../accounts/members/arrivals.js';
import { readEmail } from '../../../accounts/members/members.js';
import { type ConsoleContext, type Handler, setCookie, startSession } from '../session.js';
import type { Services } from '../../services.js';
import { OpenIdFault, type SignInAttempt, type OpenId } from '../openid.js';
import type { Database } from '../../../storage/db/database.js';
import { recordFailure } from '../../../accounts/members/sign-in.js';
import { addressOf, visitorActor } from '../../http/actor.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import type { ChoiceBody } from '../schemas.js';

const COOKIE = 'telltale_oidc';
/** Path of the cookie. Browsers send the cookie only to routes below this path. */
const COOKIE_PATH = '/console/oidc';
/** Milliseconds after which the response of the provider is too late. */
const ATTEMPT_MS = 10 * 60_000;

/** Handles GET sign-in: returns the ways to sign in other than a password. */
export function getSignInWays({ openId }: Services) {
  return () => Promise.resolve({ openid: openId !== null });
}

/** Handles GET /console/oidc/start: redirects the browser to the provider. */
export function getOpenIdStart(deps: Services, openId: OpenId): Handler {
  return async (ctx) => {
    await redirectOnFault(ctx, async () => {
      const { url, attempt } = await openId.begin();
      const { state, nonce, verifier } = attempt;
      keepAttempt(ctx, deps, [state, nonce, verifier].join('.'));
      return url;
    });
  };
}

/** Returns a database whose audit log names the visitor as the author of changes. */
function asVisitorOf(ctx: ConsoleContext, { database, proxies }: Services): Database {
  return database.by(visitorActor(ctx, proxies));
}

/** Handles GET /console/oidc/callback: signs in the person whose email address the provider verified. */
export function getOpenIdCallback(deps: Services, openId: OpenId): Handler {
  return async (ctx) => {
    await redirectOnFault(ctx, async () => {
      const attempt = readAttempt(ctx.cookies.get(COOKIE) ?? '');
      // Deletes the attempt, so that the provider's response counts only once.
      keepAttempt(ctx, deps, null);
      if (!attempt)
        throw new OpenIdFault('not_begun', 'this browser began no sign-in within the last 10 min');
      return enterOrChoose(ctx, deps, readVerified(await openId.finish(ctx.querystring, attempt)));
    });
  };
}

/**
 * Signs the person in if they are a member of only one account. Otherwise, including for an invited person,
 * lets them choose an account. Returns the next page. Throws OpenIdFault no_member.
 */
async function enterOrChoose(ctx: ConsoleContext, deps: Services, email: string): Promise<string> {
  const { database } = deps;
  const [first, ...otherEntrances] = await listEntrances(database, email);
  if (!first) {
    const attempt = { email, address: addressOf(ctx, deps.proxies), way: 'openid' } as const;
    await recordFailure(database, 'sign_in.failed', attempt, []);
    throw memberNotFound();
  }
  if (!first.isMember || otherEntrances.length > 0) {
    keepChoice(ctx, deps, await keepArrival(database, email));
    return '/choice';
  }
  const member = await enterAccount(asVisitorOf(ctx, deps), first.accountId, email);
  if (!member) throw memberNotFound();
  await startSession(ctx, deps, member, 'openid');
  return '/';
}

/** Reads the verified email address. Throws OpenIdFault no_member if it is not an email address. */
function readVerified(text: string): string {
  try {
    return readEmail(text);
  } catch (error) {
    throw error instanceof AccountFault ? memberNotFound() : error;
  }
}

function memberNotFound(): OpenIdFault {
  return new OpenIdFault('no_member', 'no member and no invitation has the verified address');
}

/** Redirects to the page that `work` returns, or to the sign-in page, which explains an error. */
async function redirectOnFault(ctx: ConsoleContext, work: () => Promise<string>): Promise<void> {
  ctx.set('Cache-Control', 'no-store');
  ctx.set('Referrer-Policy', 'no-referrer');
  try {
    ctx.redirect(await work());
  } catch (error) {
    if (!(error instanceof OpenIdFault)) throw error;
    ctx.state.log.warn({ fault: error.code, detail: error.message }, 'a sign-in by OpenID Connect failed');
    ctx.redirect(`/sign-in?fault=${error.code}`);
  }
  ctx.status = 303;
}

function keepAttempt(ctx: ConsoleContext, { publicUrl }: Services, value: string | null): void {
  setCookie(ctx, publicUrl, { name: COOKIE, value, path: COOKIE_PATH, maxAgeMs: ATTEMPT_MS });
}

function readAttempt(cookie: string): SignInAttempt | null {
  const [state, nonce, verifier] = cookie.split('.');
  return state && nonce && verifier ? { state, nonce, verifier } : null;
}

const CHOICE_COOKIE = 'telltale_choice';
/** Path of the cookie. Browsers send the cookie only to routes below this path. */
const CHOICE_COOKIE_PATH = '/console/api/choice';

/** Sets the cookie with which the browser may choose an account; null deletes the cookie. */
function keepChoice(ctx: ConsoleContext, { publicUrl }: Services, token: string | null): void {
  setCookie(ctx, publicUrl, {
    name: CHOICE_COOKIE,
    value: token,
    path: CHOICE_COOKIE_PATH,
    maxAgeMs: ARRIVAL_MS,
  });
}

/** Handles GET choice: lists the accounts that the person may sign in to. Throws CheckError not_found. */
export function getChoice({ database }: Services) {
  return async (ctx: ConsoleContext) => {
    const { email } = await readArrival(ctx, { database });
    const entrances = await listEntrances(database, email);
    return {
      email,
      accounts: entrances.map(({ accountId, accountName, isMember }) => ({
        id: accountId,
        name: accountName,
        /** False if the person is only invited to the account. */
        is_member: isMember,
      })),
    };
  };
}

/** Handles POST choice: signs in to the chosen account. Works once. Throws CheckError not_found. */
export function postChoice(deps: Services): Handler<Static<typeof ChoiceBody>> {
  const { database } = deps;
  return async (ctx, { account_id: accountId }) => {
    const { email, token } = await readArrival(ctx, deps);
    const member = await enterAccount(asVisitorOf(ctx, deps), accountId, email);
    if (!member) throw new CheckError('not_found', 'You are no longer a member of this account');
    await endArrival(database, token);
    keepChoice(ctx, deps, null);
    await startSession(ctx, deps, member, 'openid');
  };
}

async function readArrival(
  ctx: ConsoleContext,
  { database }: Pick<Services, 'database'>,
): Promise<{ readonly email: string; readonly token: string }> {
  const token = ctx.cookies.get(CHOICE_COOKIE) ?? '';
  const email = await findArrival(database, token);
  if (email === null) throw new CheckError('not_found', 'The choice of accounts has expired. Sign in again');
  return { email, token };
}
