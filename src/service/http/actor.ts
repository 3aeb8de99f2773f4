// Determines who sent a request (the actor) and from which address, for rate limits and the audit log.
import { isIP } from 'node:net';
import type { Member } from '../../accounts/members/members.js';
import type { Actor } from '../../storage/db/database.js';
import type { Caller, Context } from './state.js';

/** Parts of a request that show its sender's address. */
type Source = Pick<Context, 'get' | 'req'>;

/** Returns the actor for a request of a member in the console. */
export function memberActor(
  ctx: Source,
  { email, accountId }: Pick<Member, 'email' | 'accountId'>,
  proxies: number,
): Actor {
  return { kind: 'member', name: email, accountId, address: addressOf(ctx, proxies) };
}

/** Returns the actor for a request with an API key. */
export function keyActor(ctx: Source, { keyId, accountId }: Caller, proxies: number): Actor {
  return { kind: 'key', name: keyId, accountId, address: addressOf(ctx, proxies) };
}

/** Returns the actor for a request of an unknown visitor. */
export function visitorActor(ctx: Source, proxies: number): Actor {
  return { kind: 'visitor', name: null, accountId: null, address: addressOf(ctx, proxies) };
}

/**
 * Returns the caller's network address. Each of the `proxies` appends its client's address to
 * `X-Forwarded-For`, so only that many entries at the end are reliable.
 */
export function addressOf(ctx: Source, proxies: number): string {
  const [first] = proxies === 0 ? [] : ctx.get('x-forwarded-for').split(',').slice(-proxies);
  // Some proxies add the port: `192.0.2.1:1234`, `[2001:db8::1]:1234`.
  const address = first?.trim().replace(/^\[(.*)\](:\d+)?$|^([^:]+):\d+$/, '$1$3') ?? '';
  return (isIP(address) === 0 ? ctx.req.socket.remoteAddress : address) ?? 'unknown';
}
