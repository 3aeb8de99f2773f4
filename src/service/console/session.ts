// Session cookie, the state of a request to the console, and middleware that requires a signed-in member, a role and
// the console's own origin.
import { consumeRequest } from '../../accounts/usage/rate-limit.js';
import { CheckError, invalidRequest } from 'telltale-engine/internal/base/errors.js';
import { countRequest, tooManyRequests } from '../http/middleware/rate-limit.js';
import type { Middleware, Handler as RouteHandler } from '../http/route.js';
import { hasRole, type Member, type Role } from '../../accounts/members/members.js';
import { networkOf, rememberNetwork } from '../../accounts/members/arrivals.js';
import { addressOf, memberActor } from '../http/actor.js';
import { findSession, openSession, type SignInWay, type SignedIn } from '../../accounts/members/sessions.js';
import type { Services } from '../services.js';
import type { RouterContext } from '@koa/router';
import type { RequestState } from '../http/state.js';
import type { Database } from '../../storage/db/database.js';

const COOKIE = 'telltale_session';

/** Returns the browser's session token, or an empty string. */
export function readSessionToken(ctx: ConsoleContext): string {
  return ctx.cookies.get(COOKIE) ?? '';
}

/** Signs a member in and records the network. Always uses a new token, which prevents session fixation. */
export async function startSession(
  ctx: ConsoleContext,
  { database, publicUrl, proxies }: Pick<Services, 'database' | 'publicUrl' | 'proxies'>,
  member: Member,
  signInWay: SignInWay,
): Promise<void> {
  await rememberNetwork(database, member.id, networkOf(addressOf(ctx, proxies)));
  const token = await openSession(database.by(memberActor(ctx, member, proxies)), member.id, signInWay);
  setCookie(ctx, publicUrl, { name: COOKIE, value: token, path: '/' });
}

/** Deletes the session cookie. */
export function dropCookie(ctx: ConsoleContext, publicUrl: string | null): void {
  setCookie(ctx, publicUrl, { name: COOKIE, value: null, path: '/' });
}

/** Sets a cookie that is HttpOnly and SameSite. A null value deletes the cookie. */
export function setCookie(
  ctx: ConsoleContext,
  publicUrl: string | null,
  cookie: {
    readonly name: string;
    readonly value: string | null;
    readonly path: string;
    /** Lifetime in milliseconds; default: until the browser is closed. */
    readonly maxAgeMs?: number;
  },
): void {
  const { name, value, path, maxAgeMs } = cookie;
  const isSecure = originOf(ctx, publicUrl).startsWith('https:');
  // Set because TLS may end at a proxy. Otherwise the library treats the connection as insecure.
  ctx.cookies.secure = isSecure;
  ctx.cookies.set(name, value, {
    httpOnly: true,
    sameSite: 'lax',
    secure: isSecure,
    path,
    ...(maxAgeMs !== undefined && { maxAge: maxAgeMs }),
  });
}

/**
 * Creates middleware that sets `ctx.state.member`. Throws CheckError unauthorized without a session,
 * forbidden if the member's role is insufficient.
 */
export function requireRole(role: Role, { database }: Services): Middleware<ConsoleContext> {
  return async (ctx, next) => {
    const token = readSessionToken(ctx);
    const member = token === '' ? null : await findSession(database, token);
    if (!member) throw new CheckError('unauthorized', 'you are not signed in; sign in first');
    if (!hasRole(member.role, role))
      throw new CheckError('forbidden', `this needs the role ${role}; you have the role ${member.role}`);
    ctx.state.member = member;
    await next();
  };
}

/** Creates middleware that charges the member's account. Throws CheckError plan_required, rate_limited. */
export function chargeAccount({ database, plans }: Services): Middleware<ConsoleContext> {
  return async (ctx, next) => {
    const { id, accountId, planName, keepsHashes } = memberOf(ctx);
    const plan = planName === null ? undefined : plans.get(planName);
    if (!plan)
      throw new CheckError('plan_required', 'This account has no plan yet. Ask the operator for a plan');
    ctx.state.caller = { accountId, keyId: null, memberId: id, plan, keepsHashes };
    await countRequest(ctx, database, ctx.state.caller);
    await next();
  };
}

/**
 * Creates middleware that limits a member's changes to the request rate of the account's plan, or of the
 * slowest plan if the account has none. This limit is separate from the limit of API keys, because the thief
 * of a key could otherwise prevent its revocation. Throws CheckError rate_limited.
 */
export function limitChanges({ database, plans }: Services): Middleware<ConsoleContext> {
  const [slowest] = [...plans.values()].sort((one, other) => one.requestsPerSecond - other.requestsPerSecond);
  return async (ctx, next) => {
    const { id, accountId, planName } = memberOf(ctx);
    const plan = plans.get(planName ?? '') ?? slowest;
    if (plan) {
      const consolePlan = { ...plan, name: `console ${id}` };
      const { allowed, retryInMs } = await consumeRequest(database, accountId, consolePlan);
      if (!allowed) throw tooManyRequests(plan, retryInMs);
    }
    await next();
  };
}

/**
 * Returns the service's origin (`https://host`) as browsers know it: `publicUrl`, or the request's origin.
 */
export function originOf(ctx: Pick<ConsoleContext, 'secure' | 'get'>, publicUrl: string | null): string {
  if (publicUrl !== null) return publicUrl;
  const isSecure = ctx.secure || ctx.get('x-forwarded-proto') === 'https';
  return `${isSecure ? 'https' : 'http'}://${ctx.get('host')}`;
}

/**
 * Creates middleware that accepts changes only from the console's own pages. Browsers send `Origin` with each
 * change, and no page can forge it. Together with `SameSite=Lax`, no other site can change anything. Throws
 * CheckError invalid_request.
 */
export function requireSameOrigin(publicUrl: string | null): Middleware<ConsoleContext> {
  return async (ctx, next) => {
    const isSafe = ctx.method === 'GET' || ctx.method === 'HEAD';
    if (!isSafe && !isSameHost(ctx.get('origin'), originOf(ctx, publicUrl)))
      throw invalidRequest(
        'Expected an Origin header with the address of this service; behind a proxy, TELLTALE_PUBLIC_URL names it',
      );
    // Proxies and browsers must not store the data that a member sees.
    ctx.set('Cache-Control', 'no-store');
    await next();
  };
}

/** Compares only hosts. A proxy may change the scheme, and a host has the same owner on http and https. */
function isSameHost(received: string, expected: string): boolean {
  return (
    URL.canParse(received) && URL.canParse(expected) && new URL(received).host === new URL(expected).host
  );
}

/** Koa's `ctx.state` with the signed-in member. */
export interface ConsoleState extends RequestState {
  member?: SignedIn;
}

/** Koa's context with the console's state and path parameters. */
export type ConsoleContext = RouterContext<ConsoleState>;

/** Returns the signed-in member. Requires the middleware `requireMember` before the route. */
export function memberOf(ctx: ConsoleContext): SignedIn {
  if (!ctx.state.member) throw new Error('this route is not behind requireMember');
  return ctx.state.member;
}

/** Returns a database whose audit log names the signed-in member as the author of changes. */
export function asMember(ctx: ConsoleContext, { database, proxies }: Services): Database {
  return database.by(memberActor(ctx, memberOf(ctx), proxies));
}

/** Handles a request whose input was validated. */
export type Handler<Input = unknown> = RouteHandler<Input, ConsoleContext>;
