// What the settings of outgoing requests may say.
import { isIP } from 'node:net';

/** A name, or with a dot before it every name below. */
const ALLOWED_NAME = /^\.?([a-z0-9_]([a-z0-9_-]*[a-z0-9_])?\.)*[a-z_]([a-z0-9_-]*[a-z0-9_])?$/;

/** Hosts, suffixes and networks of TELLTALE_FETCH_ALLOW; null if one is none of them. */
export function parseAllowed(text: string): readonly string[] | null {
  const entries = text.split(',').map((entry) => entry.trim().toLowerCase());
  const isSound = (entry: string): boolean => {
    const [address = '', bits = '0', ...more] = entry.split('/');
    const family = isIP(address);
    if (family === 0) return ALLOWED_NAME.test(entry);
    return more.length === 0 && /^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128);
  };
  return entries.every(isSound) && !text.includes('%') ? entries : null;
}

/** The address of TELLTALE_FETCH_PROXY; null if it is none. */
export function parseProxy(text: string): string | null {
  const url = URL.canParse(text) ? new URL(text) : null;
  if (url === null || !/^https?:$/.test(url.protocol) || url.hostname === '') return null;
  return url.pathname === '/' && url.search === '' && url.hash === '' ? url.href : null;
}
