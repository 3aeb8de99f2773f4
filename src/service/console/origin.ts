// Where the console is reached, and the defence against requests that other sites make in a member's name (CSRF).
import { isIP } from 'node:net';
import { CheckError } from '../../base/errors.js';
import type { Next } from '../http/state.js';
import type { ConsoleContext } from './state.js';

/** `https://host` or `http://host`, as the browser knows the service: `publicUrl` if it is set, else by the request. */
export function originOf(ctx: ConsoleContext, publicUrl: string | null): string {
  if (publicUrl !== null) return publicUrl;
  const isSecure = ctx.secure || ctx.get('x-forwarded-proto') === 'https';
  return `${isSecure ? 'https' : 'http'}://${ctx.get('host')}`;
}

/**
 * The network address of the caller. Each of the `proxies` in front adds to `X-Forwarded-For` the address that asked
 * it. As many entries from the end are theirs, and the caller may have written those before them.
 */
export function addressOf(ctx: ConsoleContext, proxies: number): string {
  const [first] = proxies === 0 ? [] : ctx.get('x-forwarded-for').split(',').slice(-proxies);
  // Some proxies write the port, too: `192.0.2.1:1234`, `[2001:db8::1]:1234`.
  const named = first?.trim().replace(/^\[(.*)\](:\d+)?$|^([^:]+):\d+$/, '$1$3') ?? '';
  return (isIP(named) === 0 ? ctx.req.socket.remoteAddress : named) ?? 'unknown';
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
