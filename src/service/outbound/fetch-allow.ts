// What may be reached beyond public addresses: hosts, suffixes and networks that the operator names, metadata never.
import { createRequire } from 'node:module';
import { isIP } from 'node:net';
import type IpAddr from 'ipaddr.js';

// The package is CommonJS whose names Node's import can't tell.
const ipaddr = createRequire(import.meta.url)('ipaddr.js') as typeof IpAddr;

type Network = [IpAddr.IPv4 | IpAddr.IPv6, number];

/** Ranges that a company's network may use. Not link-local, where metadata answers; no form that carries an IPv4 address. */
const INSIDE_RANGES: readonly string[] = ['private', 'loopback', 'carrierGradeNat', 'uniqueLocal', 'unicast'];

/** Metadata and platform addresses outside the link-local range: Alibaba's, Azure's, Amazon's, Google's, Scaleway's. */
const METADATA: readonly Network[] = [
  '100.100.100.200/32',
  '168.63.129.16/32',
  'fd00:ec2::/32',
  'fd20:ce::/32',
  'fd00:42::42/128',
].map((text) => ipaddr.parseCIDR(text));

/** Global unicast, unique local and loopback IPv6; the deprecated forms outside carry IPv4 addresses. */
const IPV6_INSIDE: readonly Network[] = ['2000::/3', 'fc00::/7', '::1/128'].map((text) =>
  ipaddr.parseCIDR(text),
);

/** What the operator allows. */
export interface FetchAllow {
  /** Whether any address of a host with this name may be dialled, if it may be inside at all. */
  hasName(host: string): boolean;
  /** Whether this address may be dialled, whatever host has it. */
  hasAddress(address: string): boolean;
  /** Whether addresses are named: then names of the inside are looked up, and judged by them. */
  readonly hasNetworks: boolean;
}

/** Whether `address` is one that may ever be allowed: no metadata, link-local, multicast or reserved one, in any form. */
export function isInsideAddress(address: string): boolean {
  if (address.includes('%') || !ipaddr.isValid(address)) return false;
  const parsed = ipaddr.parse(address);
  if (!INSIDE_RANGES.includes(parsed.range()) || METADATA.some((network) => isWithin(parsed, network)))
    return false;
  return parsed.kind() === 'ipv4' || IPV6_INSIDE.some((network) => isWithin(parsed, network));
}

/** For an operator who sets no bounds: every name, and every address that may ever be allowed. */
export const ALLOW_INSIDE: FetchAllow = {
  hasName: () => true,
  hasAddress: isInsideAddress,
  hasNetworks: true,
};

/**
 * Takes hosts (`pictures.corp.example`), suffixes (`.corp.example`: every name below it) and networks (`10.1.0.0/16`,
 * `fd12::/16`, a single address), as the settings have checked them.
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
