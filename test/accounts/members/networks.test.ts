// Tests how networks are derived from IP addresses, and how long the network of a member is remembered.
import assert from 'node:assert/strict';
import {
  networkOf,
  rememberNetwork,
  sweepNetworks,
  membersSeenIn,
  widerNetworksOf,
} from '../../../src/accounts/members/arrivals.js';
import { describeOnEachDatabase } from '../../support/databases.js';
import { join } from '../../support/members.js';

const DAY_MS = 24 * 3_600_000;

describe('the network of a member’s IP address', () => {
  it('is the address itself for IPv4, in any notation', () => {
    assert.equal(networkOf('203.0.113.7'), '203.0.113.7');
    assert.equal(networkOf('::ffff:203.0.113.7'), '203.0.113.7');
    assert.equal(networkOf('::FFFF:203.0.113.7'), '203.0.113.7');
    assert.equal(networkOf('unknown'), 'unknown');
    for (const address of ['203.0.113.7', '::ffff:203.0.113.7', 'unknown'])
      assert.deepEqual(widerNetworksOf(address), []);
  });

  it('is the surrounding /64 network for IPv6, in any notation', () => {
    for (const address of [
      '2001:db8:12:3400::1',
      '2001:0DB8:0012:3400:ffff:0:0:2',
      '2001:db8:12:3400:1:2:3:4',
      '2001:db8:12:3400::1.2.3.4',
      '2001:db8:12:3400::%eth0',
    ])
      assert.equal(networkOf(address), '2001:db8:12:3400', address);
    assert.equal(networkOf('2001:db8::1'), '2001:db8:0:0');
    assert.equal(networkOf('fe80::1%eth0'), 'fe80:0:0:0');
    assert.equal(networkOf('::1'), '0:0:0:0');
    assert.notEqual(networkOf('2001:db8:12:3401::1'), '2001:db8:12:3400');
  });

  it('lies within the /56 and /48 networks of the same IPv6 address', () => {
    assert.deepEqual(widerNetworksOf('2001:db8:12:3456::1'), ['2001:db8:12:3400/56', '2001:db8:12/48']);
    assert.deepEqual(widerNetworksOf('2001:db8:12:56::1'), ['2001:db8:12:0000/56', '2001:db8:12/48']);
    assert.deepEqual(widerNetworksOf('2001:db8::1234:5:6:7'), ['2001:db8:0:0000/56', '2001:db8:0/48']);
  });
});

describeOnEachDatabase('networks from which a member signed in', (bench) => {
  it('are remembered for 90 days after the last sign-in, then deleted', async () => {
    const database = await bench.open();
    const member = async (name: string) => (await join(database, `${name}@example.org`)).id;
    const [past, recent, other] = [await member('past'), await member('recent'), await member('other')];
    const age = (member: string, days: number): Promise<unknown> =>
      database.run((queries) =>
        queries('sign_in_networks')
          .where({ member_id: member })
          .update({ seen_at: Date.now() - days * DAY_MS }),
      );
    const known = async (network = '203.0.113.7'): Promise<ReadonlySet<string>> =>
      membersSeenIn(database, network, [past, recent]);
    for (const member of [past, recent, other]) await rememberNetwork(database, member, '203.0.113.7');
    assert.deepEqual(await known(), new Set([past, recent]));
    assert.deepEqual(await known('203.0.113.8'), new Set());
    await age(past, 91);
    await age(recent, 89);
    assert.deepEqual(await known(), new Set([recent]));
    await sweepNetworks(database);
    await age(past, 0);
    assert.deepEqual(await known(), new Set([recent]), 'one was deleted, the other was not');
    await age(recent, 91);
    await rememberNetwork(database, recent, '203.0.113.7');
    assert.deepEqual(await known(), new Set([recent]), 'counted from the last time');
  });
});
