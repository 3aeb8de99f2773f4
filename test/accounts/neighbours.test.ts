// Tests that a change to one key, member, session or link leaves all others unchanged, in the same and in
// other accounts.
import assert from 'node:assert/strict';
import { findAccountById } from '../../src/accounts/accounts.js';
import { createKey, listKeys, revokeKey } from '../../src/accounts/keys.js';
import {
  findLink,
  followLink,
  listInvitations,
  withdrawInvitation,
} from '../../src/accounts/members/links.js';
import { listMembers, removeMember } from '../../src/accounts/members/members.js';
import {
  closeSession,
  closeSessions,
  findSession,
  openSession,
} from '../../src/accounts/members/sessions.js';
import { describeOnEachDatabase } from '../support/databases.js';
import { invite, join, newAccount, PASSWORD } from '../support/members.js';

describeOnEachDatabase('a change to one account', (bench) => {
  it('leaves other keys and plans unchanged if one key is revoked', async () => {
    const database = await bench.open();
    const planless = await newAccount(database, null);
    const first = await createKey(database, { account: 'keys one', plan: 'growth' });
    await createKey(database, { account: 'keys one', plan: 'growth' });
    await createKey(database, { account: 'keys two', plan: 'starter' });
    assert.equal((await findAccountById(database, planless))?.plan, null);
    await revokeKey(database, first.id);
    const revoked = (await listKeys(database)).filter(({ revokedAt }) => revokedAt !== null);
    assert.deepEqual(
      revoked.map(({ id }) => id),
      [first.id],
    );
  });

  it('leaves other sessions and members unchanged if one session ends or one member leaves', async () => {
    const database = await bench.open();
    const [one, two] = [await newAccount(database), await newAccount(database)];
    const gone = (await join(database, 'gone@example.org', { accountId: one })).id;
    const stays = (await join(database, 'stays@example.org', { accountId: one })).id;
    const beside = (await join(database, 'beside@example.org', { accountId: two })).id;
    const [first, second] = [await openSession(database, gone), await openSession(database, gone)];
    const others = [await openSession(database, stays), await openSession(database, beside)];
    const isIn = async (token: string): Promise<boolean> => (await findSession(database, token)) !== null;
    await closeSession(database, first);
    assert.deepEqual([await isIn(first), await isIn(second)], [false, true]);
    await closeSessions(database, gone);
    assert.equal(await isIn(second), false);
    const again = await openSession(database, gone);
    await assert.rejects(removeMember(database, two, gone), { name: 'AccountFault' });
    assert.equal(await isIn(again), true, 'nobody of another account removes a member');
    await removeMember(database, one, gone);
    assert.equal(await isIn(again), false);
    await join(database, 'newcomer@example.org', { accountId: one });
    for (const token of others) assert.equal(await isIn(token), true);
    const ids = [...(await listMembers(database, one)), ...(await listMembers(database, two))];
    assert.deepEqual(ids.map(({ email }) => email).sort(), [
      'beside@example.org',
      'newcomer@example.org',
      'stays@example.org',
    ]);
  });

  it('leaves other links unchanged if one link changes', async () => {
    const database = await bench.open();
    const [one, two] = [await newAccount(database), await newAccount(database)];
    const email = 'both@example.org';
    const member = (await join(database, email, { accountId: one })).id;
    const beside = await invite(database, two, email);
    const other = await invite(database, one, 'other@example.org');
    const entrance = await invite(database, one, email, { purpose: 'sign_in' });
    const open = async (): Promise<boolean[]> =>
      Promise.all(
        [beside, other, entrance].map(async ({ token }) => (await findLink(database, token)) !== null),
      );
    const replaced = await invite(database, one, email);
    const newest = await invite(database, one, email);
    assert.equal(await findLink(database, replaced.token), null);
    assert.deepEqual(await open(), [true, true, true]);
    await assert.rejects(withdrawInvitation(database, two, newest.id), { name: 'AccountFault' });
    await assert.rejects(withdrawInvitation(database, one, entrance.id), { name: 'AccountFault' });
    await withdrawInvitation(database, one, newest.id);
    assert.deepEqual(await open(), [true, true, true]);
    assert.deepEqual(
      (await listInvitations(database, one)).map(({ id }) => id),
      [other.id],
    );
    await removeMember(database, one, member);
    assert.deepEqual(await open(), [true, true, false], 'who was removed has no way back, others have');
    await followLink(database, other.token, PASSWORD);
    assert.deepEqual(await open(), [true, false, false]);
  });
});
