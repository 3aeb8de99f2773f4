// Tests invitation and sign-in links: their number, lifetime and effect.
import assert from 'node:assert/strict';
import { enterAccount } from '../../../src/accounts/members/arrivals.js';
import {
  findLink,
  followLink,
  listInvitations,
  MAX_INVITATIONS,
  sweepLinks,
  withdrawInvitation,
  type LinkOptions,
} from '../../../src/accounts/members/links.js';
import { findMembers, type Role } from '../../../src/accounts/members/members.js';
import { findSession, openSession } from '../../../src/accounts/members/sessions.js';
import type { Database } from '../../../src/storage/db/database.js';
import { describeOnEachDatabase } from '../../support/databases.js';
import { invite, newAccount, PASSWORD } from '../../support/members.js';

describeOnEachDatabase('invitation and sign-in links', (bench) => {
  const make = (database: Database, accountId: string, options: Partial<LinkOptions> = {}) =>
    invite(database, accountId, 'somebody@example.org', options);

  it('are limited to a hundred open invitations per account; accepted, replaced and expired ones do not count', async () => {
    const database = await bench.open();
    const [accountId, beside] = [await newAccount(database), await newAccount(database)];
    const rows = Array.from({ length: MAX_INVITATIONS }, (_, at) => ({
      id: `lnk_${String(at).padStart(4, '0')}`,
      token_hash: `hash ${at}`,
      purpose: 'invitation',
      account_id: accountId,
      email: `person${at}@example.org`,
      role: 'member',
      created_at: 0,
      expires_at: Date.now() + 60_000,
    }));
    await database.run((queries) => queries('links').insert(rows));
    await assert.rejects(make(database, accountId), {
      name: 'AccountFault',
      message: /maximum of 100 open invitations/,
    });
    await make(database, beside);
    await make(database, accountId, { purpose: 'sign_in' });
    const listed = await listInvitations(database, accountId);
    assert.deepEqual(
      listed.map(({ id }) => id),
      rows.map(({ id }) => id).reverse(),
    );
    const renewed = await make(database, accountId, { email: 'person7@example.org' });
    assert.equal((await listInvitations(database, accountId))[0]?.id, renewed.id);
    await database.run((queries) =>
      queries('links')
        .where({ id: 'lnk_0000' })
        .update({ expires_at: Date.now() - 1 }),
    );
    await make(database, accountId);
    await assert.rejects(make(database, accountId, { email: 'more@example.org' }), { name: 'AccountFault' });
  });

  it('are valid for seven days (invitation) and for one hour (sign-in link)', async () => {
    const database = await bench.open();
    const accountId = await newAccount(database);
    for (const [purpose, hours] of [
      ['invitation', 7 * 24],
      ['sign_in', 1],
    ] as const) {
      // prettier-ignore
      const { token, expiresAt, ...link } = await make(database, accountId, { purpose });
      const rest = expiresAt.getTime() - Date.now() - hours * 3_600_000;
      assert.ok(rest <= 0 && rest > -60_000, String(rest));
      assert.deepEqual(await findLink(database, token), { ...link, expiresAt });
      assert.deepEqual(
        [link.purpose, link.accountId, link.email, link.role],
        [purpose, accountId, 'somebody@example.org', 'member'],
      );
    }
    assert.equal(await findLink(database, 'no such token'), null);
  });

  it('are refused if the role is above the inviter’s, or if they would replace a member with a higher role', async () => {
    const database = await bench.open();
    const accountId = await newAccount(database);
    const isMade = async (role: Role, by: Role, email = 'new@example.org') => {
      try {
        await make(database, accountId, { role, by, email });
        return true;
      } catch (error) {
        assert.match(String(error), new RegExp(`The role ${by} can't invite members with the role`));
        return false;
      }
    };
    assert.deepEqual(
      [await isMade('owner', 'owner'), await isMade('owner', 'member'), await isMade('member', 'owner')],
      [true, false, true],
    );
    const { token } = await make(database, accountId, { role: 'owner' });
    await followLink(database, token, PASSWORD);
    assert.equal(await isMade('member', 'member', 'somebody@example.org'), false);
    assert.equal(await isMade('member', 'owner', 'somebody@example.org'), true);
    const elsewhere = await newAccount(database);
    await make(database, elsewhere, { by: 'member' });
  });

  it('keep password and sessions after a sign-in, and replace both after an invitation', async () => {
    const database = await bench.open();
    const accountId = await newAccount(database);
    const hashOf = async () =>
      (await findMembers(database, 'somebody@example.org')).find(
        ({ member }) => member.accountId === accountId,
      )?.passwordHash;
    const member = await followLink(database, (await make(database, accountId)).token, PASSWORD);
    const [hash, session] = [await hashOf(), await openSession(database, member!.id)];
    assert.ok(hash);
    const entrance = await make(database, accountId, { purpose: 'sign_in', role: 'owner' });
    const same = await followLink(database, entrance.token, 'a password that nobody asked for');
    assert.deepEqual([same?.id, same?.role, await hashOf()], [member!.id, 'owner', hash]);
    assert.ok(await findSession(database, session));
    await followLink(database, (await make(database, accountId)).token, `${PASSWORD}, another`);
    assert.notEqual(await hashOf(), hash);
    assert.equal(await findSession(database, session), null);
  });

  it('can be withdrawn only by the inviting account, and only once', async () => {
    const database = await bench.open();
    const [accountId, beside] = [await newAccount(database), await newAccount(database)];
    const invitation = await make(database, accountId);
    const signIn = await make(database, accountId, { purpose: 'sign_in' });
    const other = await make(database, accountId, { email: 'other@example.org' });
    const none = { name: 'AccountFault', message: /no such invitation/ };
    await assert.rejects(withdrawInvitation(database, beside, invitation.id), none);
    await assert.rejects(withdrawInvitation(database, accountId, signIn.id), none);
    await withdrawInvitation(database, accountId, invitation.id);
    await assert.rejects(withdrawInvitation(database, accountId, invitation.id), none);
    assert.equal(await findLink(database, invitation.token), null);
    assert.deepEqual(
      (await listInvitations(database, accountId)).map(({ id }) => id),
      [other.id],
    );
  });

  it('are deleted when they expire', async () => {
    const database = await bench.open();
    const accountId = await newAccount(database);
    const [old, open] = [
      await make(database, accountId),
      await make(database, accountId, { email: 'open@example.org' }),
    ];
    const ofThese = () =>
      database.run((queries) => queries('links').where({ account_id: accountId }).pluck<string[]>('id'));
    await database.run((queries) =>
      queries('links')
        .where({ id: old.id })
        .update({ expires_at: Date.now() - 1 }),
    );
    await sweepLinks(database);
    assert.deepEqual(await ofThese(), [open.id]);
  });

  it('let a person with a verified email address join without a password', async () => {
    const database = await bench.open();
    const accountId = await newAccount(database);
    const email = 'verified@example.org';
    const enter = (address = email) => enterAccount(database, accountId, address);
    assert.equal(await enter(), null);
    const late = await make(database, accountId, { email });
    await database.run((queries) =>
      queries('links')
        .where({ id: late.id })
        .update({ expires_at: Date.now() - 1 }),
    );
    await make(database, accountId, { email, purpose: 'sign_in' });
    await make(database, await newAccount(database), { email });
    assert.equal(await enter(), null);
    const { token } = await make(database, accountId, { email, role: 'owner' });
    assert.equal(await enter('another@example.org'), null);
    const member = await enter();
    assert.deepEqual([member?.email, member?.role, member?.hasPassword], [email, 'owner', false]);
    assert.equal(await findLink(database, token), null);
    assert.equal((await enter())?.id, member?.id);
  });

  it('give the member role if their stored role is unknown', async () => {
    const database = await bench.open();
    const { id, token } = await make(database, await newAccount(database));
    await database.run((queries) =>
      queries('links').where({ id }).update({ role: 'emperor', purpose: 'later' }),
    );
    const link = await findLink(database, token);
    assert.deepEqual([link?.role, link?.purpose], ['member', 'invitation']);
  });
});
