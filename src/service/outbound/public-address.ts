// Public unicast addresses, from which images may be fetched.
import { createRequire } from 'node:module';
import type IpAddr from 'ipaddr.js';

// The package is CommonJS, whose names Node can't import.
const ipaddr = createRequire(import.meta.url)('ipaddr.js') as typeof IpAddr;

/** Azure's platform address, which responds inside virtual machines and lies in a public range. */
const PLATFORM_ADDRESSES: readonly string[] = ['168.63.129.16'];

/** Global unicast IPv6 in use today; other addresses are refused. Source: RFC 4291, IANA. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/**
 * Returns whether `address` (an IPv4 or IPv6 literal without brackets) is public. Loopback, private, link-local,
 * metadata, carrier-grade NAT, multicast, documentation and reserved ranges are not, nor is any IPv6 form that embeds
 * an IPv4 address (mapped, translated, NAT64, 6to4, Teredo).
 */
export function isPublicAddress(address: string): boolean {
  // A zone names an interface of this machine.
  if (address.includes('%') || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast' || PLATFORM_ADDRESSES.includes(parsed.toString())) return false;
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST);
}

/** Last labels of names for the machine or its network. Source: RFC 6761, 6762, 8375; ICANN's `internal`. */
const INSIDE_NAME =
  /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home|corp|home\.arpa|test|invalid|onion)\.?$/i;

/** Returns whether no public server can have the name `host`: one of the above, or a single label. */
export function isInsideName(host: string): boolean {
  return INSIDE_NAME.test(host) || !host.replace(/\.$/, '').includes('.');
}
