// Tests sessions: finding the member for a token, and expiry.
import assert from 'node:assert/strict';
import { createAccount } from '../../../src/accounts/accounts.js';
import {
  closeSession,
  closeSessions,
  findSession,
  openSession,
  sweepSessions,
} from '../../../src/accounts/members/sessions.js';
import type { Database } from '../../../src/storage/db/database.js';
import { describeOnEachDatabase } from '../../support/databases.js';
import { join } from '../../support/members.js';

const HOUR_MS = 3_600_000;

describeOnEachDatabase('the session store', (bench) => {
  /**
   * Creates a member in a new account. Also returns functions that read and set when the member's sessions
   * were last used.
   */
  async function setUp(database: Database, name: string, plan: string | null) {
    const { id: accountId } = await createAccount(database, name, plan);
    const member = await join(database, `${name}@example.org`, { accountId, role: 'owner' });
    const seen = () =>
      database.run((queries) =>
        queries('sessions').where({ member_id: member.id }).pluck<number[]>('seen_at'),
      );
    const setSeen = (ago: number) =>
      database.run((queries) =>
        queries('sessions')
          .where({ member_id: member.id })
          .update({ seen_at: Date.now() - ago }),
      );
    return { member, seen, setSeen };
  }

  it('returns the member, the account and the plan for a session token', async () => {
    const database = await bench.open();
    for (const [name, plan] of [
      ['told', 'growth'],
      ['planless', null],
    ] as const) {
      // prettier-ignore
      const { member } = await setUp(database, name, plan);
      const found = await findSession(database, await openSession(database, member.id));
      assert.deepEqual(found, { ...member, accountName: name, planName: plan, keepsHashes: false });
    }
    assert.equal(await findSession(database, 'no such token'), null);
  });

  it('updates a session’s time of last use at most once a minute, and changes no other session', async () => {
    const database = await bench.open();
    const [used, other] = [await setUp(database, 'used', null), await setUp(database, 'other', null)];
    const token = await openSession(database, used.member.id);
    await openSession(database, other.member.id);
    for (const { setSeen } of [used, other]) await setSeen(30_000);
    const before = await used.seen();
    await findSession(database, token);
    assert.deepEqual(await used.seen(), before);
    for (const { setSeen } of [used, other]) await setSeen(90_000);
    const untouched = await other.seen();
    await findSession(database, token);
    assert.ok((await used.seen())[0]! > Date.now() - 30_000);
    assert.deepEqual(await other.seen(), untouched);
  });

  it('closes one session by its token, or all sessions of one member', async () => {
    const database = await bench.open();
    const { member } = await setUp(database, 'closing', 'growth');
    const { member: beside } = await setUp(database, 'beside-closing', 'growth');
    const [first, second, third] = [
      await openSession(database, member.id),
      await openSession(database, member.id),
      await openSession(database, beside.id),
    ];
    const open = async () =>
      (await Promise.all([first, second, third].map((token) => findSession(database, token)))).map(
        (found) => found !== null,
      );
    await closeSession(database, first);
    assert.deepEqual(await open(), [false, true, true]);
    await openSession(database, member.id);
    await closeSessions(database, member.id);
    assert.deepEqual(await open(), [false, false, true]);
  });

  it('deletes a session after twelve idle hours', async () => {
    const database = await bench.open();
    const [idle, fresh] = [await setUp(database, 'idle', null), await setUp(database, 'fresh', null)];
    for (const { member } of [idle, fresh]) await openSession(database, member.id);
    await idle.setSeen(12.1 * HOUR_MS);
    await fresh.setSeen(11.9 * HOUR_MS);
    await sweepSessions(database);
    assert.deepEqual([(await idle.seen()).length, (await fresh.seen()).length], [0, 1]);
  });
});
