// Actors of requests with their addresses, for rate limits and the audit log.
import { isIP } from 'node:net';
import type { Member } from '../../accounts/members/members.js';
import type { Actor } from '../../storage/db/database.js';
import type { Caller, Context } from './state.js';

/** The parts of a request that reveal its sender. */
type Source = Pick<Context, 'get' | 'req'>;

/** Returns a member of the console as actor. */
export function memberActor(
  ctx: Source,
  { email, accountId }: Pick<Member, 'email' | 'accountId'>,
  proxies: number,
): Actor {
  return { kind: 'member', name: email, accountId, address: addressOf(ctx, proxies) };
}

/** Returns a program with an API key as actor. */
export function keyActor(ctx: Source, { keyId, accountId }: Caller, proxies: number): Actor {
  return { kind: 'key', name: keyId, accountId, address: addressOf(ctx, proxies) };
}

/** Returns an unknown visitor as actor. */
export function visitorActor(ctx: Source, proxies: number): Actor {
  return { kind: 'visitor', name: null, accountId: null, address: addressOf(ctx, proxies) };
}

/**
 * Returns the network address of the caller. Each of the `proxies` adds the address of its client to
 * `X-Forwarded-For`, so only that many entries at the end are reliable.
 */
export function addressOf(ctx: Source, proxies: number): string {
  const [first] = proxies === 0 ? [] : ctx.get('x-forwarded-for').split(',').slice(-proxies);
  // Some proxies add the port: `192.0.2.1:1234`, `[2001:db8::1]:1234`.
  const named = first?.trim().replace(/^\[(.*)\](:\d+)?$|^([^:]+):\d+$/, '$1$3') ?? '';
  return (isIP(named) === 0 ? ctx.req.socket.remoteAddress : named) ?? 'unknown';
}
