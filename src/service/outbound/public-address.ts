// Recognises public unicast addresses. Images are fetched only from these, unless the operator allows others.
import { createRequire } from 'node:module';
import type IpAddr from 'ipaddr.js';

// ipaddr.js is a CommonJS package, so Node can't import its names.
const ipaddr = createRequire(import.meta.url)('ipaddr.js') as typeof IpAddr;

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
