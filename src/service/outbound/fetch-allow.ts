// Addresses that may be reached in addition to public ones: hosts, suffixes and networks that the operator names, but
// never metadata services.
import { createRequire } from 'node:module';
import { isIP } from 'node:net';
import type IpAddr from 'ipaddr.js';

// The package is CommonJS, whose names Node can't import.
const ipaddr = createRequire(import.meta.url)('ipaddr.js') as typeof IpAddr;

type Network = [IpAddr.IPv4 | IpAddr.IPv6, number];

/**
 * Address ranges that a company's network may use, without link-local, where metadata services respond, and without
 * forms that embed IPv4.
 */
const INSIDE_RANGES: readonly string[] = ['private', 'loopback', 'carrierGradeNat', 'uniqueLocal', 'unicast'];

/**
 * Metadata and platform addresses outside the link-local range: Alibaba's, Azure's, Amazon's, Google's, Scaleway's.
 */
const METADATA: readonly Network[] = [
  '100.100.100.200/32',
  '168.63.129.16/32',
  'fd00:ec2::/32',
  'fd20:ce::/32',
  'fd00:42::42/128',
].map((text) => ipaddr.parseCIDR(text));

/** Global unicast, unique local and loopback IPv6; deprecated forms outside embed IPv4 addresses. */
const IPV6_INSIDE: readonly Network[] = ['2000::/3', 'fc00::/7', '::1/128'].map((text) =>
  ipaddr.parseCIDR(text),
);

/** Addresses that the operator allows. */
export interface FetchAllow {
  /** Returns whether any address of a host with this name may be dialled, if `isInsideAddress` allows it. */
  hasName(host: string): boolean;
  /** Returns whether this address may be dialled for any host. */
  hasAddress(address: string): boolean;
  /** True if addresses are named, so that internal names are resolved and judged by their addresses. */
  readonly hasNetworks: boolean;
}

/**
 * Returns whether `address` may be allowed at all: no metadata, link-local, multicast or reserved address, in any
 * form.
 */
export function isInsideAddress(address: string): boolean {
  if (address.includes('%') || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (!INSIDE_RANGES.includes(parsed.range()) || METADATA.some((network) => isWithin(parsed, network)))
    return false;
  return parsed.kind() === 'ipv4' || IPV6_INSIDE.some((network) => isWithin(parsed, network));
}

/** Allows every name and every address that may be allowed at all. */
export const ALLOW_INSIDE: FetchAllow = {
  hasName: () => true,
  hasAddress: isInsideAddress,
  hasNetworks: true,
};

/**
 * Creates the rules from hosts (`pictures.corp.example`), suffixes (`.corp.example`: every name below) and networks
 * (`10.1.0.0/16`, `fd12::/16`, or an address). Requires validated settings.
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
