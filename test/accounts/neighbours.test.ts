// What is done to one key, member, session or link leaves all others as they were, within the account and beside it.
import assert from 'node:assert/strict';
import { createAccount, findAccountById } from '../../src/accounts/accounts.js';
import { createKey, listKeys, revokeKey } from '../../src/accounts/keys.js';
import {
  createLink,
  findLink,
  followLink,
  listInvitations,
  sweepLinks,
  withdrawInvitation,
} from '../../src/accounts/members/links.js';
import { listMembers, removeMember } from '../../src/accounts/members/members.js';
import {
  closeSession,
  closeSessions,
  findSession,
  openSession,
} from '../../src/accounts/members/sessions.js';
import type { Database } from '../../src/storage/db/database.js';
import { describeOnEachDatabase } from '../support/databases.js';

const DAY_MS = 24 * 3_600_000;
let count = 0;

async function newAccount(database: Database): Promise<string> {
  count += 1;
  return (await createAccount(database, `neighbour ${count}`, 'growth')).id;
}

const invite = (database: Database, accountId: string, email: string) =>
  createLink(database, { purpose: 'invitation', accountId, email, role: 'member', by: 'operator' });

async function join(database: Database, accountId: string, email: string): Promise<string> {
  const member = await followLink(
    database,
    (await invite(database, accountId, email)).token,
    'correct horse battery staple',
  );
  assert.ok(member);
  return member.id;
}

describeOnEachDatabase('neighbours', (bench) => {
  it('keep their keys and their plans', async () => {
    const database = await bench.open();
    const planless = (await createAccount(database, `planless ${(count += 1)}`)).id;
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

  it('stay signed in, and members', async () => {
    const database = await bench.open();
    const [one, two] = [await newAccount(database), await newAccount(database)];
    const gone = await join(database, one, 'gone@example.org');
    const stays = await join(database, one, 'stays@example.org');
    const beside = await join(database, two, 'beside@example.org');
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
    await join(database, one, 'newcomer@example.org');
    for (const token of others) assert.equal(await isIn(token), true);
    const ids = [...(await listMembers(database, one)), ...(await listMembers(database, two))];
    assert.deepEqual(ids.map(({ email }) => email).sort(), [
      'beside@example.org',
      'newcomer@example.org',
      'stays@example.org',
    ]);
  });

  it('keep their links', async () => {
    const database = await bench.open();
    const [one, two] = [await newAccount(database), await newAccount(database)];
    const email = 'both@example.org';
    const member = await join(database, one, email);
    const beside = await invite(database, two, email);
    const other = await invite(database, one, 'other@example.org');
    const signIn = { purpose: 'sign_in', accountId: one, email, role: 'member', by: 'operator' } as const;
    const entrance = await createLink(database, signIn);
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
    await followLink(database, other.token, 'correct horse battery staple');
    assert.deepEqual(await open(), [true, false, false]);
  });

  it('lose links only when these have expired', async () => {
    const database = await bench.open();
    const accountId = await newAccount(database);
    const [old, young] = [
      await invite(database, accountId, 'old@example.org'),
      await invite(database, accountId, 'young@example.org'),
    ];
    const rest = young.expiresAt.getTime() - Date.now();
    assert.ok(rest > 6 * DAY_MS && rest <= 7 * DAY_MS, String(rest));
    await database.run((queries) =>
      queries('links')
        .where({ id: old.id })
        .update({ expires_at: Date.now() - 1 }),
    );
    await sweepLinks(database);
    const left = await database.run((queries) =>
      queries('links').where({ account_id: accountId }).pluck('id'),
    );
    assert.deepEqual(left, [young.id]);
  });
});
