// Which addresses of the internet may be fetched from: public unicast ones, and nothing that leads elsewhere.
import { createRequire } from 'node:module';
import type IpAddr from 'ipaddr.js';

// The package is CommonJS whose names Node's import can't tell.
const ipaddr = createRequire(import.meta.url)('ipaddr.js') as typeof IpAddr;

/** Azure's platform address, which answers from inside a virtual machine alone; it lies in a public range. */
const PLATFORM_ADDRESSES: readonly string[] = ['168.63.129.16'];

/** IPv6 that is given out as global unicast today (RFC 4291, IANA): any address outside is refused unseen. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3');

/**
 * Whether `address` (an IPv4 or IPv6 literal, without brackets) is a public one. Loopback, private, link-local,
 * metadata, carrier-grade NAT, multicast, documentation and reserved ranges are not. Nor is any IPv6 form that carries
 * an IPv4 address (mapped, translated, NAT64, 6to4, Teredo), whatever it carries.
 */
export function isPublicAddress(address: string): boolean {
  // A zone names an interface of this machine.
  if (address.includes('%') || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast' || PLATFORM_ADDRESSES.includes(parsed.toString())) return false;
  return parsed.kind() === 'ipv4' || parsed.match(GLOBAL_UNICAST);
}

/** Last labels of names that mean the machine or the network it stands in (RFC 6761, 6762, 8375; ICANN's `internal`). */
const INSIDE_NAME =
  /(^|\.)(localhost|local|localdomain|internal|intranet|lan|home|corp|home\.arpa|test|invalid|onion)\.?$/i;

/** Whether `host` is a name that no public server has: one of the above, or a single label. */
export function isInsideName(host: string): boolean {
  return INSIDE_NAME.test(host) || !host.replace(/\.$/, '').includes('.');
}
