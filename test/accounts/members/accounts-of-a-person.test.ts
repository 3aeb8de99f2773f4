// Tests a person whose email address belongs to several accounts, on both databases.
import assert from 'node:assert/strict';
import type { Database } from '../../../src/storage/db/database.js';
import { endArrival, enterAccount, findArrival, keepArrival, listEntrances, sweepArrivals } from '../../../src/accounts/members/arrivals.js'; // prettier-ignore
import { followLink } from '../../../src/accounts/members/links.js';
import { findMembers, listMembers, removeMember } from '../../../src/accounts/members/members.js';
import { findSession, openSession } from '../../../src/accounts/members/sessions.js';
import { signIn } from '../../../src/accounts/members/sign-in.js';
import { describeOnEachDatabase } from '../../support/databases.js';
import { invite, join, newAccount, PASSWORD } from '../../support/members.js';

function enter(database: Database, email: string, password: string, accountId?: string) {
  return signIn(database, { email, password, address: '192.0.2.9', accountId });
}

describeOnEachDatabase('a person whose email address is in several accounts', (bench) => {
  it('can be added to each account only once, and removed from one account without changing the others', async () => {
    const database = await bench.open();
    const email = 'both@example.org';
    const here = await join(database, email);
    const there = await join(database, email);
    const again = await join(database, email, { accountId: there.accountId });
    assert.deepEqual([again.id, again.email], [there.id, email]);
    const members = (await findMembers(database, email)).map(({ member }) => member.id);
    assert.deepEqual(members, [here.id, there.id]);
    const open = await invite(database, there.accountId, email);
    await removeMember(database, there.accountId, there.id);
    assert.equal(await followLink(database, open.token, PASSWORD), null);
    assert.deepEqual(await listMembers(database, there.accountId), []);
    assert.equal((await listMembers(database, here.accountId))[0]?.email, email);
  });

  it('signs in to the account whose password matches, or gets a list of accounts if several match', async () => {
    const database = await bench.open();
    const email = 'same@example.org';
    const here = await join(database, email);
    const claimed = await join(database, email, { password: 'a password of somebody else' });
    const first = await enter(database, email, PASSWORD);
    assert.equal(first.kind === 'signed_in' && first.member.id, here.id);
    assert.equal((await enter(database, email, PASSWORD, claimed.accountId)).kind, 'refused');
    const there = await join(database, email);
    const both = await enter(database, email, PASSWORD);
    assert.deepEqual(both.kind === 'several' && both.members.map(({ id }) => id), [here.id, there.id]);
    const named = await enter(database, email, PASSWORD, there.accountId);
    assert.equal(named.kind === 'signed_in' && named.member.id, there.id);
  });

  it('still has wrong passwords counted after one of the passwords was entered correctly', async () => {
    const database = await bench.open();
    const email = 'guess@example.org';
    await join(database, email);
    await join(database, email, { password: 'a password of somebody else' });
    for (let at = 0; at < 9; at += 1) await enter(database, email, `guess ${at}`);
    assert.equal((await enter(database, email, 'a password of somebody else')).kind, 'signed_in');
    assert.equal((await enter(database, email, 'guess 10')).kind, 'too_many_tries');
  });

  it('can enter an account without a password if the email address is verified, which deletes any password', async () => {
    const database = await bench.open();
    const email = 'person@example.org';
    const member = await join(database, email);
    assert.equal(member.hasPassword, true);
    const session = await openSession(database, member.id);
    assert.deepEqual(await listEntrances(database, email), []);
    assert.equal(await enterAccount(database, member.accountId, email), null);
    await invite(database, member.accountId, email);
    const [entrance] = await listEntrances(database, email);
    assert.deepEqual([entrance?.accountId, entrance?.isMember], [member.accountId, false]);
    const entered = await enterAccount(database, member.accountId, email);
    assert.deepEqual([entered?.id, entered?.hasPassword], [member.id, false]);
    assert.equal(await findSession(database, session), null);
    assert.equal((await enter(database, email, PASSWORD)).kind, 'refused');
    assert.deepEqual(
      (await listEntrances(database, email)).map(({ isMember }) => isMember),
      [true],
    );
    // After a sign-in without a provider, a new password makes the membership unverified again.
    await join(database, email, { accountId: member.accountId });
    assert.equal(await enterAccount(database, member.accountId, email), null);
  });

  it('is found as a member by this and by the previous version, whichever version created the member', async () => {
    const database = await bench.open();
    const email = 'before@example.org';
    const accountId = await newAccount(database);
    const row = { id: 'mem_before', account_id: accountId, role: 'member', created_at: 1 };
    await database.run((queries) => queries('members').insert({ ...row, email }));
    const later = await join(database, email);
    assert.deepEqual(
      (await findMembers(database, email)).map(({ member }) => [member.id, member.email]),
      [
        ['mem_before', email],
        [later.id, email],
      ],
    );
    assert.equal((await join(database, email, { accountId })).id, 'mem_before');
    const alone = await join(database, 'alone@example.org');
    const found = await database.run((queries) =>
      queries('members').where({ email: 'alone@example.org' }).pluck<string[]>('id'),
    );
    assert.deepEqual(found, [alone.id]);
  });

  it('has ten minutes after sign-in to choose an account', async () => {
    const database = await bench.open();
    const token = await keepArrival(database, 'chooses@example.org');
    assert.equal(await findArrival(database, token), 'chooses@example.org');
    assert.equal(await findArrival(database, ''), null);
    await endArrival(database, token);
    assert.equal(await findArrival(database, token), null);
    const late = await keepArrival(database, 'late@example.org');
    await database.run((queries) => queries('arrivals').update({ expires_at: Date.now() - 1 }));
    assert.equal(await findArrival(database, late), null);
    await sweepArrivals(database);
    assert.deepEqual(await database.run((queries) => queries('arrivals').select()), []);
  });
});
