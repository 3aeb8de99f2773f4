// The session cookie, where the console is reached, and the routes' door: who is signed in, with which role, from which page.
import type { Plans } from '../../accounts/plans.js';
import { consumeRequest } from '../../accounts/usage/rate-limit.js';
import type { Database } from '../../storage/db/database.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { countRequest, tooManyRequests } from '../http/middleware/rate-limit.js';
import type { Next } from '../http/state.js';
import { hasRole, type Member, type Role } from '../../accounts/members/members.js';
import { networkOf, rememberNetwork } from '../../accounts/members/networks.js';
import { addressOf, memberActor } from '../http/actor.js';
import { findSession, openSession, type SignInWay } from '../../accounts/members/sessions.js';
import { type ConsoleDeps, memberOf, type ConsoleContext } from './state.js';

const COOKIE = 'telltale_session';

/** The token that the browser brought; empty if it brought none. */
export function readSessionToken(ctx: ConsoleContext): string {
  return ctx.cookies.get(COOKIE) ?? '';
}

/** Signs a member in: always a new token, whatever the browser brought (session fixation). Where from is remembered. */
export async function startSession(
  ctx: ConsoleContext,
  { database, publicUrl, proxies }: Pick<ConsoleDeps, 'database' | 'publicUrl' | 'proxies'>,
  member: Member,
  way: SignInWay,
): Promise<void> {
  await rememberNetwork(database, member.id, networkOf(addressOf(ctx, proxies)));
  const token = await openSession(database.by(memberActor(ctx, member, proxies)), member.id, way);
  setCookie(ctx, publicUrl, { name: COOKIE, value: token, path: '/' });
}

/** Takes the cookie back. */
export function dropCookie(ctx: ConsoleContext, publicUrl: string | null): void {
  setCookie(ctx, publicUrl, { name: COOKIE, value: null, path: '/' });
}

/** A cookie that no script reads and no other site's page sends; null takes it back. */
export function setCookie(
  ctx: ConsoleContext,
  publicUrl: string | null,
  cookie: {
    readonly name: string;
    readonly value: string | null;
    readonly path: string;
    /** Default: until the browser is closed. */
    readonly maxAgeMs?: number;
  },
): void {
  const { name, value, path, maxAgeMs } = cookie;
  const isSecure = originOf(ctx, publicUrl).startsWith('https:');
  // TLS ends before this process: the library would take the connection for an open one.
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
 * Middleware: sets `ctx.state.member`. Errors: unauthorized if nobody is signed in, forbidden if the role does not
 * suffice.
 */
export function requireMember(
  database: Database,
): (role: Role) => (ctx: ConsoleContext, next: Next) => Promise<void> {
  return (role) => async (ctx, next) => {
    const token = readSessionToken(ctx);
    const member = token === '' ? null : await findSession(database, token);
    if (!member) throw new CheckError('unauthorized', 'nobody is signed in here; sign in first');
    if (!hasRole(member.role, role))
      throw new CheckError('forbidden', `this needs the role ${role}; you have the role ${member.role}`);
    ctx.state.member = member;
    await next();
  };
}

/** Middleware: the member's account pays, on its plan. Errors: plan_required, rate_limited. */
export function chargeAccount(
  database: Database,
  plans: Plans,
): (ctx: ConsoleContext, next: Next) => Promise<void> {
  return async (ctx, next) => {
    const { id, accountId, planName, keepsHashes } = memberOf(ctx);
    const plan = planName === null ? undefined : plans.get(planName);
    if (!plan)
      throw new CheckError('plan_required', 'this account has no plan yet; an operator gives it one');
    ctx.state.caller = { accountId, keyId: null, memberId: id, plan, keepsHashes };
    await countRequest(ctx, database, ctx.state.caller);
    await next();
  };
}

/**
 * Middleware of what writes and costs no check. A member may do as much of it as his account's plan allows requests, or
 * as the slowest plan if it has none. Not out of the account's own bucket: a thief of a key would keep it
 * empty, and nobody could revoke the key. Errors: rate_limited.
 */
export function countWrite(
  database: Database,
  plans: Plans,
): (ctx: ConsoleContext, next: Next) => Promise<void> {
  const [slowest] = [...plans.values()].sort((one, other) => one.requestsPerSecond - other.requestsPerSecond);
  return async (ctx, next) => {
    const { id, accountId, planName } = memberOf(ctx);
    const plan = plans.get(planName ?? '') ?? slowest;
    if (plan) {
      const own = { ...plan, name: `console ${id}` };
      const { allowed, retryInMs } = await consumeRequest(database, accountId, own);
      if (!allowed) throw tooManyRequests(plan, retryInMs);
    }
    await next();
  };
}

/** `https://host` or `http://host`, as the browser knows the service: `publicUrl` if it is set, else by the request. */
export function originOf(ctx: Pick<ConsoleContext, 'secure' | 'get'>, publicUrl: string | null): string {
  if (publicUrl !== null) return publicUrl;
  const isSecure = ctx.secure || ctx.get('x-forwarded-proto') === 'https';
  return `${isSecure ? 'https' : 'http'}://${ctx.get('host')}`;
}

/**
 * Middleware: lets a change through only if the browser says that a page of this very origin asks for it. Browsers
 * send `Origin` with every such request and no page can set it. Together with `SameSite=Lax` no other site changes
 * anything. Errors: invalid_request.
 */
export function requireSameOrigin(
  publicUrl: string | null,
): (ctx: ConsoleContext, next: Next) => Promise<void> {
  return async (ctx, next) => {
    const isSafe = ctx.method === 'GET' || ctx.method === 'HEAD';
    if (!isSafe && !isSameHost(ctx.get('origin'), originOf(ctx, publicUrl)))
      throw new CheckError(
        'invalid_request',
        'Expected an Origin header with the address of this service; behind a proxy, TELLTALE_PUBLIC_URL names it',
      );
    // Nothing that a member sees is kept on the way or on the disk.
    ctx.set('Cache-Control', 'no-store');
    await next();
  };
}

/** The scheme is left to the proxy: a page of the same host over plain http is the same person's. */
function isSameHost(received: string, expected: string): boolean {
  return (
    URL.canParse(received) && URL.canParse(expected) && new URL(received).host === new URL(expected).host
  );
}
