// Who acts, and from which address: for limits on tries, and for the audit log.
import { isIP } from 'node:net';
import type { Member } from '../../accounts/members/members.js';
import type { Actor } from '../../storage/db/database.js';
import type { Caller, Context } from './state.js';

/** A request, as far as it says where it comes from. */
type Source = Pick<Context, 'get' | 'req'>;

/** A member who acts in the console. */
export function memberActor(
  ctx: Source,
  { email, accountId }: Pick<Member, 'email' | 'accountId'>,
  proxies: number,
): Actor {
  return { kind: 'member', name: email, accountId, address: addressOf(ctx, proxies) };
}

/** A program that calls /v1. */
export function keyActor(ctx: Source, { keyId, accountId }: Caller, proxies: number): Actor {
  return { kind: 'key', name: keyId, accountId, address: addressOf(ctx, proxies) };
}

/** Somebody who is not known yet. */
export function visitorActor(ctx: Source, proxies: number): Actor {
  return { kind: 'visitor', name: null, accountId: null, address: addressOf(ctx, proxies) };
}

/**
 * The network address of the caller. Each of the `proxies` in front adds to `X-Forwarded-For` the address that asked
 * it. As many entries from the end are theirs, and the caller may have written those before them.
 */
export function addressOf(ctx: Source, proxies: number): string {
  const [first] = proxies === 0 ? [] : ctx.get('x-forwarded-for').split(',').slice(-proxies);
  // Some proxies write the port, too: `192.0.2.1:1234`, `[2001:db8::1]:1234`.
  const named = first?.trim().replace(/^\[(.*)\](:\d+)?$|^([^:]+):\d+$/, '$1$3') ?? '';
  return (isIP(named) === 0 ? ctx.req.socket.remoteAddress : named) ?? 'unknown';
}
