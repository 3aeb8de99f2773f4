// Tests the limits on password guessing, on both databases.
import assert from 'node:assert/strict';
import { networkOf, rememberNetwork, sweepNetworks } from '../../../src/accounts/members/arrivals.js';
import { removeMember } from '../../../src/accounts/members/members.js';
import { signIn } from '../../../src/accounts/members/sign-in.js';
import type { Database } from '../../../src/storage/db/database.js';
import { describeOnEachDatabase } from '../../support/databases.js';
import { join, PASSWORD } from '../../support/members.js';

async function setTries(database: Database, subject: string, tries: number): Promise<void> {
  const changed = await database.run((queries) =>
    queries('sign_in_tries').where({ subject }).update({ tries }),
  );
  assert.equal(changed, 1);
}

/** Makes the sign-in attempts one after the other and returns their results. */
async function kindsOf(tries: Iterable<() => ReturnType<typeof signIn>>): Promise<string[]> {
  const kinds: string[] = [];
  for (const once of tries) kinds.push((await once()).kind);
  return kinds;
}

describeOnEachDatabase('the limit on password guesses', (bench) => {
  it('blocks sign-in after ten wrong passwords in 15 minutes, whether tried concurrently or in sequence', async () => {
    const database = await bench.open();
    await join(database, 'guessed@example.org');
    const guess = (password: string, email = 'guessed@example.org', address = '192.0.2.2') =>
      signIn(database, { email, password, address });
    const kinds = await Promise.all(Array.from({ length: 14 }, (_, at) => guess(`guess number ${at}`)));
    const count = (kind: string) => kinds.filter((one) => one.kind === kind).length;
    assert.deepEqual([count('refused'), count('too_many_tries')], [10, 4]);
    assert.equal((await guess(PASSWORD)).kind, 'too_many_tries', 'the right one does not help now');
    await database.run((queries) => queries('sign_in_tries').update({ expires_at: Date.now() - 1 }));
    assert.equal((await guess(PASSWORD)).kind, 'signed_in');
    assert.equal((await guess('wrong again, once')).kind, 'refused');
  });

  it('does not block a member’s own network while strangers guess the password, up to a hundred guesses from many networks', async () => {
    const database = await bench.open();
    await join(database, 'held@example.org');
    const guess = (address: string, password = 'a guess') =>
      signIn(database, { email: 'held@example.org', password, address });
    const kinds: string[] = [];
    for (let at = 0; at < 11; at += 1) kinds.push((await guess('192.0.2.4')).kind);
    assert.equal(kinds.at(-1), 'too_many_tries');
    assert.equal((await guess('192.0.2.5', PASSWORD)).kind, 'signed_in');
    assert.equal((await guess('192.0.2.6')).kind, 'refused');
    await setTries(database, 'member held@example.org', 100);
    assert.equal((await guess('192.0.2.5', PASSWORD)).kind, 'too_many_tries');
  });

  it('allows one network fifty guesses in 15 minutes, over all email addresses together', async () => {
    const database = await bench.open();
    const tryFrom = async (address: string, email: string) =>
      (await signIn(database, { email, password: 'x', address })).kind;
    for (const [first, second, network] of [
      ['192.0.2.3', '192.0.2.3', '192.0.2.3'],
      ['2001:db8:1:2::1', '2001:db8:1:2:ffff::1', '2001:db8:1:2'],
    ] as const) {
      assert.equal(await tryFrom(first, 'nobody@example.org'), 'refused');
      await setTries(database, `network ${network}`, 49);
      assert.equal(await tryFrom(second, 'nobody2@example.org'), 'refused');
      assert.equal(await tryFrom(second, 'nobody3@example.org'), 'too_many_tries');
    }
  });

  it('allows each /48 network of IPv6 at most ten guesses at a password', async () => {
    const database = await bench.open();
    await join(database, 'wide@example.org');
    const guess = (address: string, password: string) => () =>
      signIn(database, { email: 'wide@example.org', password, address });
    const inOne56 = Array.from({ length: 11 }, (_, at) =>
      guess(`2001:db8:5:10${at.toString(16)}::1`, 'a guess'),
    );
    assert.deepEqual((await kindsOf(inOne56)).slice(-2), ['refused', 'too_many_tries']);
    const inOne48 = Array.from({ length: 11 }, (_, at) =>
      guess(`2001:db8:5:2${at.toString(16)}00::1`, 'a guess'),
    );
    assert.deepEqual(new Set(await kindsOf(inOne48)), new Set(['too_many_tries']));
    const [row] = await database.run((queries) =>
      queries('sign_in_tries')
        .where({ subject: 'member wide@example.org' })
        .select<{ tries: number }[]>('tries'),
    );
    assert.equal(row?.tries, 10);
    assert.deepEqual(await kindsOf([guess('2001:db8:6::1', PASSWORD)]), ['signed_in']);
  });

  it('allows a /56 network a hundred guesses and a /48 network two hundred, over all email addresses together', async () => {
    const database = await bench.open();
    const tryFrom = async (address: string, email: string) =>
      (await signIn(database, { email, password: 'x', address })).kind;
    assert.equal(await tryFrom('2001:db8:7:8001::1', 'nobody@example.org'), 'refused');
    await setTries(database, 'network 2001:db8:7:8000/56', 100);
    assert.equal(await tryFrom('2001:db8:7:80ff::1', 'nobody4@example.org'), 'too_many_tries');
    assert.equal(await tryFrom('2001:db8:7:8101::1', 'nobody5@example.org'), 'refused');
    await setTries(database, 'network 2001:db8:7/48', 200);
    assert.equal(await tryFrom('2001:db8:7:8201::1', 'nobody6@example.org'), 'too_many_tries');
    assert.equal(await tryFrom('2001:db8:8::1', 'nobody7@example.org'), 'refused');
  });

  it('never blocks a network from which the member signed in before, however often strangers guess the password', async () => {
    const database = await bench.open();
    const email = 'returns@example.org';
    const member = await join(database, email);
    const [home, abroad] = ['2001:db8:9:1::1', '198.51.100.7'];
    await rememberNetwork(database, member.id, networkOf(home));
    const attempt =
      (address: string, password = PASSWORD) =>
      () =>
        signIn(database, { email, password, address });
    await kindsOf([attempt(home, 'a guess')]);
    const full = async () => {
      await setTries(database, `member ${email}`, 100);
      await setTries(database, 'network 2001:db8:9/48', 200);
    };
    await full();
    assert.deepEqual(await kindsOf([attempt(abroad), attempt(home), attempt(home, 'a guess')]), [
      'too_many_tries',
      'signed_in',
      'refused',
    ]);
    // The limit for the member's own network is used up only by attempts from this network, and then also
    // applies there.
    await setTries(database, `pair 2001:db8:9:1 ${email}`, 10);
    assert.deepEqual(await kindsOf([attempt(home)]), ['too_many_tries']);
  });

  it('remembers networks for each account separately, so that a stranger’s account never unlocks another account', async () => {
    const database = await bench.open();
    const email = 'twofold@example.org';
    await join(database, email);
    const planted = await join(database, email, { password: 'a password of the stranger' });
    const address = '198.51.100.8';
    await rememberNetwork(database, planted.id, networkOf(address));
    await kindsOf([() => signIn(database, { email, password: 'a guess', address })]);
    await setTries(database, `member ${email}`, 100);
    assert.deepEqual(await kindsOf([() => signIn(database, { email, password: PASSWORD, address })]), [
      'refused',
    ]);
  });

  it('forgets a member’s network after ninety days, and when the member leaves the account', async () => {
    const database = await bench.open();
    const [old, gone] = [await join(database, 'old@example.org'), await join(database, 'gone@example.org')];
    for (const { id } of [old, gone]) await rememberNetwork(database, id, '192.0.2.9');
    const networks = () =>
      database.run((queries) => queries('sign_in_networks').whereIn('member_id', [old.id, gone.id]));
    await sweepNetworks(database);
    assert.equal((await networks()).length, 2);
    await database.run((queries) =>
      queries('sign_in_networks')
        .where({ member_id: old.id })
        .update({ seen_at: Date.now() - 91 * 86_400_000 }),
    );
    await sweepNetworks(database);
    await removeMember(database, gone.accountId, gone.id);
    assert.deepEqual(await networks(), []);
  });

  it('does not block sign-in longer than usual after the clock was set back', async () => {
    const database = await bench.open();
    const attempt = () =>
      signIn(database, { email: 'clock@example.org', password: 'x', address: '192.0.2.10' });
    await attempt();
    await database.run((queries) =>
      queries('sign_in_tries')
        .where({ subject: 'pair 192.0.2.10 clock@example.org' })
        .update({ tries: 10, expires_at: Date.now() + 86_400_000 }),
    );
    assert.equal((await attempt()).kind, 'refused');
  });
});
