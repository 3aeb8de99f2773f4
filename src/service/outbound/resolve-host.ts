// Turns a host name into the addresses that may be dialled.
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { isInsideAddress, type FetchAllow } from './fetch-allow.js';
import { isInsideName, isPublicAddress } from './public-address.js';

/** Gives every IPv4 and IPv6 address of a name; rejects if it has none. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/**
 * Asks the name servers itself. The system's resolver would run in the thread pool that files share, where four slow
 * names stop everything. It would also add search domains. Names of /etc/hosts are looked up
 * for hosts that the operator allows alone.
 */
export function createResolver(): Resolve {
  return async (host) => {
    const resolver = new Resolver({ timeout: 2000, tries: 2 });
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
    const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
    if (addresses.length === 0) throw answers.find((answer) => answer.status === 'rejected')?.reason;
    return addresses;
  };
}

const HOSTS_FILE = '/etc/hosts';

/** The addresses that this machine's file of hosts has for a name; none if it has no such name. */
export async function readHostsFile(host: string, path = HOSTS_FILE): Promise<readonly string[]> {
  const name = host.toLowerCase().replace(/\.$/, '');
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    return isIP(address) !== 0 && names.some((other) => other.toLowerCase() === name) ? [address] : [];
  });
}

/**
 * The addresses of `host` that are public, or that `allow` names (a name, or a literal without brackets). They are to
 * be dialled as they stand: a second look-up could give others. Errors: url_not_public, if even one of the answers
 * is not public; url_fetch_failed, if there is no such name.
 */
export async function resolvePublicHost(
  host: string,
  resolve: Resolve,
  isPublic: (address: string) => boolean = isPublicAddress,
  allow: FetchAllow | null = null,
): Promise<readonly string[]> {
  const isNamed = allow?.hasName(host) ?? false;
  const isAllowed = (address: string): boolean =>
    isPublic(address) || (isNamed ? isInsideAddress(address) : (allow?.hasAddress(address) ?? false));
  if (isIP(host) !== 0) return requirePublic([host], isAllowed);
  const isInside = isInsideName(host);
  if (isInside && !isNamed && allow?.hasNetworks !== true) throw notPublic();
  let addresses = isInside || isNamed ? await readHostsFile(host) : [];
  try {
    if (addresses.length === 0) addresses = await resolve(host);
  } catch (cause) {
    throw new CheckError('url_fetch_failed', 'the host name of the address could not be resolved', { cause });
  }
  return requirePublic(addresses, isAllowed);
}

function requirePublic(
  addresses: readonly string[],
  isAllowed: (address: string) => boolean,
): readonly string[] {
  if (addresses.every(isAllowed)) return addresses;
  throw notPublic();
}

function notPublic(): CheckError {
  // It doesn't say which address: names are looked up from inside the operator's network.
  return new CheckError(
    'url_not_public',
    'the address, or one it leads to, is not a public internet address',
  );
}
