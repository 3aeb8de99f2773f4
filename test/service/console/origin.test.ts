// Tests how the service finds the client's address, without a proxy and behind several.
import assert from 'node:assert/strict';
import { addressOf } from '../../../src/service/http/actor.js';
import type { ConsoleContext } from '../../../src/service/console/session.js';

function address(forwarded: string, proxies: number): string {
  const request = { get: () => forwarded, req: { socket: { remoteAddress: '10.0.0.1' } } };
  return addressOf(request as unknown as ConsoleContext, proxies);
}

describe('the client address behind proxies', () => {
  it('is the address that the outermost trusted proxy saw, never an address that the client claims', () => {
    const forwarded = '203.0.113.9, 198.51.100.7, 10.0.0.2';
    assert.equal(address(forwarded, 0), '10.0.0.1');
    assert.equal(address(forwarded, 1), '10.0.0.2');
    assert.equal(address(forwarded, 2), '198.51.100.7');
  });

  it('is the earliest known address if a request passed fewer proxies than configured', () => {
    assert.equal(address('198.51.100.7', 2), '198.51.100.7');
    assert.equal(address('', 2), '10.0.0.1');
  });

  it('is read with or without a port, and is the address of the connection if the header is invalid', () => {
    assert.equal(address('198.51.100.7:4711', 1), '198.51.100.7');
    assert.equal(address('[2001:db8::1]:4711', 1), '2001:db8::1');
    assert.equal(address('[2001:db8::1]', 1), '2001:db8::1');
    assert.equal(address('2001:db8::1', 1), '2001:db8::1');
    assert.equal(address('unknown', 1), '10.0.0.1');
  });
});
