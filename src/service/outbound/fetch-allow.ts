// Non-public addresses that the operator allows Telltale to connect to: hosts, domain suffixes and networks.
// Cloud metadata services are never allowed.
import { createRequire } from 'node:module';
import { isIP } from 'node:net';
import type IpAddr from 'ipaddr.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { isInsideName, isPublicAddress } from './public-address.js';

// ipaddr.js is a CommonJS package, so Node can't import its names.
const ipaddr = createRequire(import.meta.url)('ipaddr.js') as typeof IpAddr;

type Network = [IpAddr.IPv4 | IpAddr.IPv6, number];

/**
 * Address ranges, as ipaddr.js names them, that a company's network may use. Omits link-local, which metadata
 * services use, and IPv6 forms that embed an IPv4 address.
 */
const INSIDE_RANGES: readonly string[] = ['private', 'loopback', 'carrierGradeNat', 'uniqueLocal', 'unicast'];

/**
 * Metadata and platform addresses of cloud providers (Alibaba, Azure, Amazon, Google, Scaleway) outside the
 * link-local range.
 */
const METADATA: readonly Network[] = [
  '100.100.100.200/32',
  '168.63.129.16/32',
  'fd00:ec2::/32',
  'fd20:ce::/32',
  'fd00:42::42/128',
].map((text) => ipaddr.parseCIDR(text));

/** IPv6 addresses that may be allowed: global unicast, unique local, loopback. Others may embed IPv4. */
const IPV6_INSIDE: readonly Network[] = ['2000::/3', 'fc00::/7', '::1/128'].map((text) =>
  ipaddr.parseCIDR(text),
);

/** Rules for the addresses that the operator allows. */
export interface FetchAllow {
  /** Returns whether a host of this name may have any address that `isInsideAddress` accepts. */
  hasName(host: string): boolean;
  /** Returns whether this address is allowed, whatever the host name. */
  hasAddress(address: string): boolean;
  /** True if the rules contain networks. Internal host names are then resolved to check their addresses. */
  readonly hasNetworks: boolean;
}

/**
 * Returns whether an operator may allow `address`. Returns false for metadata, link-local, multicast and
 * reserved addresses in any notation.
 */
export function isInsideAddress(address: string): boolean {
  if (address.includes('%') || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (!INSIDE_RANGES.includes(parsed.range()) || METADATA.some((network) => isWithin(parsed, network)))
    return false;
  return parsed.kind() === 'ipv4' || IPV6_INSIDE.some((network) => isWithin(parsed, network));
}

/** Rules that allow every host and every address that an operator may allow. */
export const ALLOW_INSIDE: FetchAllow = {
  hasName: () => true,
  hasAddress: isInsideAddress,
  hasNetworks: true,
};

/**
 * Creates rules from a list of hosts (`pictures.corp.example`), suffixes (`.corp.example`, for all names
 * below it) and networks (`10.1.0.0/16`, `fd12::/16`, or an address). Requires validated settings.
 */
export function createFetchAllow(entries: readonly string[]): FetchAllow {
  const networks = entries.map(readNetwork).filter((network) => network !== null);
  const names = entries.filter((entry) => readNetwork(entry) === null);
  return {
    hasName(host) {
      const name = host.toLowerCase().replace(/\.$/, '');
      return names.some((entry) => (entry.startsWith('.') ? name.endsWith(entry) : name === entry));
    },
    hasAddress: (address) =>
      isInsideAddress(address) && networks.some((network) => isWithin(ipaddr.parse(address), network)),
    hasNetworks: networks.length > 0,
  };
}

function readNetwork(entry: string): Network | null {
  if (isIP(entry) !== 0) {
    const address = ipaddr.parse(entry);
    return [address, address.kind() === 'ipv4' ? 32 : 128];
  }
  return entry.includes('/') ? ipaddr.parseCIDR(entry) : null;
}

function isWithin(address: IpAddr.IPv4 | IpAddr.IPv6, [base, bits]: Network): boolean {
  return address.kind() === base.kind() && address.match(base, bits);
}

/** Maximum number of characters of a webhook's address. */
export const MAX_URL_LENGTH = 2048;

/**
 * Parses the address of an endpoint, without resolving its host name; each delivery resolves and checks the
 * name. `allow` has rules that allow some non-public addresses. Throws CheckError invalid_url if
 * the address is not https or has a user name, and url_not_public.
 */
export function readEndpointUrl(text: string, allow: FetchAllow | null): URL {
  const isAbsolute = /^https:\/\/[^/]/i.test(text) && text.length <= MAX_URL_LENGTH && URL.canParse(text);
  if (!isAbsolute)
    throw new CheckError(
      'invalid_url',
      `Expected an absolute https address of at most ${MAX_URL_LENGTH} characters`,
    );
  const url = new URL(text);
  if (url.username !== '' || url.password !== '')
    throw new CheckError('invalid_url', 'Expected an address without a user name or password');
  const host = url.hostname.replace(/^\[|\]$/g, '');
  const isInside = isIP(host) === 0 ? isInsideName(host) : !isPublicAddress(host);
  const isAllowed = isIP(host) === 0 ? allow?.hasName(host) || allow?.hasNetworks : allow?.hasAddress(host);
  if (isInside && isAllowed !== true)
    throw new CheckError('url_not_public', 'Expected the address of a public host');
  url.hash = '';
  return url;
}
