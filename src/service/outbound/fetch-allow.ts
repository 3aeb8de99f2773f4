// Addresses to which Telltale may connect: public ones, and non-public hosts, domain suffixes and networks that the
// operator allows. Cloud metadata services are never allowed.
import { createRequire } from 'node:module';
import { isIP } from 'node:net';
import type IpAddr from 'ipaddr.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';

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
 * the address is not https or has a user name, and url_not_public if the host is not public and not allowed.
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

/** Azure's platform address. It responds inside virtual machines, although it lies in a public range. */
const PLATFORM_ADDRESSES: readonly string[] = ['168.63.129.16'];

/** IPv6 range of all global unicast addresses in use; other ranges are refused. Source: RFC 4291, IANA. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/**
 * Returns whether `address` (an IPv4 or IPv6 address without brackets) is public. Returns false for loopback,
 * private, link-local, metadata, carrier-grade NAT, multicast, documentation and reserved ranges. Also
 * returns false for IPv6 forms that embed an IPv4 address (mapped, translated, NAT64, 6to4, Teredo).
 */
export function isPublicAddress(address: string): boolean {
  // An address with a zone (`fe80::1%eth0`) names a network interface of this machine.
  if (address.includes('%') || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast' || PLATFORM_ADDRESSES.includes(parsed.toString())) return false;
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST);
}

/** Endings of host names that are not public. Source: RFC 6761, 6762, 8375; ICANN's `internal`. */
const INSIDE_NAME =
  /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home|corp|home\.arpa|test|invalid|onion)\.?$/i;

/** Returns whether `host` can't be a public server, because of its ending or because it has no dot. */
export function isInsideName(host: string): boolean {
  return INSIDE_NAME.test(host) || !host.replace(/\.$/, '').includes('.');
}
