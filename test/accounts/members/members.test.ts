// Tests members of accounts, their links, sessions and passwords, on both databases.
import assert from 'node:assert/strict';
import { stat } from 'node:fs/promises';
import { AccountFault } from '../../../src/accounts/accounts.js';
import { listEntrances } from '../../../src/accounts/members/arrivals.js';
import {
  createLink,
  findLink,
  followLink,
  listInvitations,
  sweepLinks,
  withdrawInvitation,
} from '../../../src/accounts/members/links.js';
import { listMembers, readEmail, removeMember } from '../../../src/accounts/members/members.js';
import {
  closeSessions,
  findSession,
  openSession,
  sweepSessions,
} from '../../../src/accounts/members/sessions.js';
import { isPassword } from '../../../src/accounts/members/passwords.js';
import { signIn } from '../../../src/accounts/members/sign-in.js';
import { describeOnEachDatabase } from '../../support/databases.js';
import { invite, join, newAccount, PASSWORD } from '../../support/members.js';

describeOnEachDatabase('invitations and sessions of members', (bench) => {
  it('accept an invitation only once, and only together with a password', async () => {
    const database = await bench.open();
    const accountId = await newAccount(database);
    const { token, id } = await invite(database, accountId, 'once@example.org', { role: 'owner' });
    assert.deepEqual(
      (await listInvitations(database, accountId)).map((link) => link.id),
      [id],
    );
    await assert.rejects(followLink(database, token, null), AccountFault);
    await assert.rejects(followLink(database, token, 'too short'), /12 to 200 characters but received 9/);
    const both = await Promise.all([
      followLink(database, token, PASSWORD),
      followLink(database, token, PASSWORD),
    ]);
    const [member, ...others] = both.filter((one) => one !== null);
    assert.deepEqual([member?.email, member?.role, others], ['once@example.org', 'owner', []]);
    assert.equal(await followLink(database, token, PASSWORD), null);
    assert.deepEqual(await listInvitations(database, accountId), []);
  });

  it('refuse an expired or withdrawn invitation', async () => {
    const database = await bench.open();
    const accountId = await newAccount(database);
    const expired = await invite(database, accountId, 'late@example.org');
    await database.run((queries) =>
      queries('links')
        .where({ id: expired.id })
        .update({ expires_at: Date.now() - 1 }),
    );
    assert.equal(await findLink(database, expired.token), null);
    assert.equal(await followLink(database, expired.token, PASSWORD), null);
    await sweepLinks(database);
    const withdrawn = await invite(database, accountId, 'late@example.org');
    await assert.rejects(
      withdrawInvitation(database, await newAccount(database), withdrawn.id),
      AccountFault,
    );
    await withdrawInvitation(database, accountId, withdrawn.id);
    assert.equal(await findLink(database, withdrawn.token), null);
  });

  it('store neither link tokens nor passwords in plain text', async () => {
    const database = await bench.open();
    const member = await join(database, 'hashed@example.org');
    const session = await openSession(database, member.id);
    const { token } = await invite(database, member.accountId, 'hashed@example.org');
    const dump = await database.run(async (queries) =>
      JSON.stringify([
        await queries('members').select(),
        await queries('sessions').select(),
        await queries('links').select(),
      ]),
    );
    for (const secret of [session, token, PASSWORD]) assert.ok(!dump.includes(secret));
    assert.match(dump, /\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  });

  it('set a new password through an invitation, which ends the member’s sessions', async () => {
    const database = await bench.open();
    const member = await join(database, 'again@example.org');
    const session = await openSession(database, member.id);
    const { token } = await invite(database, member.accountId, 'again@example.org');
    await followLink(database, token, 'another horse, another staple');
    assert.equal(await findSession(database, session), null);
    const tryWith = (password: string) =>
      signIn(database, { email: 'again@example.org', password, address: '192.0.2.1' });
    assert.equal((await tryWith(PASSWORD)).kind, 'refused');
    assert.equal((await tryWith('another horse, another staple')).kind, 'signed_in');
  });

  it('accept only the newest invitation of a person, and none after the member was removed', async () => {
    const database = await bench.open();
    const accountId = await newAccount(database);
    const email = 'newest-alone@example.org';
    const mistaken = await invite(database, accountId, email, { role: 'owner' });
    const meant = await invite(database, accountId, email);
    assert.equal(await followLink(database, mistaken.token, PASSWORD), null);
    const member = await followLink(database, meant.token, PASSWORD);
    assert.equal(member?.role, 'member');
    const invitation = await invite(database, accountId, email);
    const link = await createLink(database, {
      purpose: 'sign_in',
      accountId,
      email,
      role: 'member',
      by: 'operator',
    });
    const other = await invite(database, accountId, 'stays@example.org');
    await removeMember(database, accountId, member.id);
    assert.equal(await followLink(database, invitation.token, PASSWORD), null);
    assert.equal(await followLink(database, link.token, null), null);
    assert.deepEqual(await listEntrances(database, email), []);
    assert.ok(await followLink(database, other.token, PASSWORD));
  });

  it('refuse to remove oneself or a member with a higher role, and remove nothing', async () => {
    const database = await bench.open();
    const accountId = await newAccount(database);
    const { token } = await invite(database, accountId, 'head@example.org', { role: 'operator' });
    const head = (await followLink(database, token, PASSWORD))!;
    const remove = (by: { readonly id: string; readonly role: 'owner' | 'operator' }) =>
      removeMember(database, accountId, head.id, by);
    await assert.rejects(remove({ id: 'mem_of_an_owner', role: 'owner' }), /owner can't remove .* operator/);
    await assert.rejects(remove(head as { id: string; role: 'operator' }), /can not remove yourself/);
    assert.equal((await listMembers(database, accountId)).length, 1);
    await remove({ id: 'mem_of_another', role: 'operator' });
  });

  it('refuse the invitation of a member by somebody with a lower role', async () => {
    const database = await bench.open();
    const operator = await join(database, 'chief@example.org', { role: 'operator' });
    const by = 'owner' as const;
    const { accountId } = operator;
    const wanted = { purpose: 'invitation', accountId, by } as const;
    // Without this refusal, an owner could take over an operator's membership by inviting the operator and
    // setting a password.
    await assert.rejects(
      createLink(database, { ...wanted, email: 'chief@example.org', role: 'member' }),
      AccountFault,
    );
    await assert.rejects(
      createLink(database, { ...wanted, email: 'new@example.org', role: 'operator' }),
      AccountFault,
    );
  });

  it('end a member’s sessions after twelve idle hours, on removal, and when the member signs out everywhere', async () => {
    const database = await bench.open();
    const member = await join(database, 'idle@example.org');
    const idle = await openSession(database, member.id);
    const ago = (hours: number) => Date.now() - hours * 3_600_000;
    const setSeen = (seenAt: number) =>
      database.run((queries) =>
        queries('sessions').where({ member_id: member.id }).update({ seen_at: seenAt }),
      );
    await setSeen(ago(11.9));
    assert.equal((await findSession(database, idle))?.email, 'idle@example.org');
    const [row] = await database.run((queries) =>
      queries('sessions').where({ member_id: member.id }).select<{ seen_at: number }[]>('seen_at'),
    );
    assert.ok(row && row.seen_at > ago(0.1), 'its use moves its end on');
    await setSeen(ago(12.1));
    assert.equal(await findSession(database, idle), null);
    await sweepSessions(database);
    const here = await openSession(database, member.id);
    const there = await openSession(database, member.id);
    await closeSessions(database, member.id);
    assert.deepEqual([await findSession(database, here), await findSession(database, there)], [null, null]);
    const last = await openSession(database, member.id);
    await removeMember(database, member.accountId, member.id);
    assert.equal(await findSession(database, last), null);
    assert.deepEqual(await listMembers(database, member.accountId), []);
    // The error is thrown inside a transaction, and must not be reported as a database error.
    await assert.rejects(removeMember(database, member.accountId, member.id), AccountFault);
  });
});

describe('password hashing', () => {
  it('leaves threads free for file access while many passwords are hashed', async () => {
    await isPassword('warm', null);
    let tried = 0;
    const tries = Array.from({ length: 24 }, () => isPassword('wrong', null).then(() => (tried += 1)));
    await stat('.');
    assert.ok(tried < 12, `${tried} of 24 passwords came first`);
    await Promise.all(tries);
  });

  it('refuses a sign-in if too many passwords are already waiting to be hashed', async () => {
    const tries = await Promise.allSettled(Array.from({ length: 60 }, () => isPassword('wrong', null)));
    const refused = tries.filter(({ status }) => status === 'rejected');
    assert.equal(refused.length, 8);
  });
});

describe('the email address of a new member', () => {
  it('is normalized, and refused if it is not an email address', () => {
    assert.equal(readEmail(' Ann@Example.ORG '), 'ann@example.org');
    for (const text of [
      '',
      'ann',
      '@example.org',
      'a@b@c',
      'a b@example.org',
      '<a>@example.org',
      'a@\u202eexample.org',
    ])
      assert.throws(() => readEmail(text), AccountFault);
  });
});
