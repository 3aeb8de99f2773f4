// Resolves a host name to addresses that Telltale may connect to.
import { Resolver } from 'node:dns/promises';
import { readFile } from 'node:fs/promises';
import { isIP } from 'node:net';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { isInsideAddress, type FetchAllow } from './fetch-allow.js';
import { isInsideName, isPublicAddress } from './public-address.js';

/** Function that returns every IPv4 and IPv6 address of a name. Rejects if the name has no address. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/**
 * Creates a resolver that queries name servers directly. The system's resolver runs in Node's thread pool,
 * where four slow names would block file access, and it adds search domains. It also reads /etc/hosts, which
 * only `resolvePublicHost` does here, for hosts that the operator allows.
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

/** Returns the addresses of a name in /etc/hosts, or an empty list for an unknown name. */
export async function readHostsFile(host: string, path = HOSTS_FILE): Promise<readonly string[]> {
  const name = host.toLowerCase().replace(/\.$/, '');
  const text = await readFile(path, 'utf8').catch(() => '');
  return text.split('\n').flatMap((line) => {
    const [address = '', ...names] = line.replace(/#.*/, '').trim().split(/\s+/);
    return isIP(address) !== 0 && names.some((hostName) => hostName.toLowerCase() === name) ? [address] : [];
  });
}

/**
 * Returns the addresses of `host` (a name, or an IP address without brackets) if all are public or allowed.
 * The caller must connect to these addresses, because a second look-up could return others. Throws CheckError
 * url_not_public if any address is refused, and url_fetch_failed for an unknown name.
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
  // The message omits the address, because callers must not learn addresses inside the operator's network.
  return new CheckError(
    'url_not_public',
    'The address, or an address that it redirects to, is not a public internet address',
  );
}
