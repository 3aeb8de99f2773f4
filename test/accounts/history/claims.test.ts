// Tests claiming a check for review: the database lets one member at a time succeed. Also tests verdicts per
// day.
import assert from 'node:assert/strict';
import { claimCheck, releaseCheck } from '../../../src/accounts/history/claims.js';
import { findCheck, listChecks } from '../../../src/accounts/history/checks.js';
import { tallyDays } from '../../../src/accounts/history/tally.js';
import { createLink, followLink } from '../../../src/accounts/members/links.js';
import { removeMember } from '../../../src/accounts/members/members.js';
import { dayOf } from '../../../src/accounts/usage/period.js';
import type { Database } from '../../../src/storage/db/database.js';
import { describeOnEachDatabase } from '../../support/databases.js';
import { newCheck, newPayer, record } from '../../support/history.js';

const DAY_MS = 86_400_000;

describeOnEachDatabase('the check history of an account', (bench) => {
  const join = async (database: Database, accountId: string, email: string) => {
    const wanted = { purpose: 'sign_in', accountId, email, role: 'member', by: 'operator' } as const;
    const member = await followLink(database, (await createLink(database, wanted)).token, null);
    assert.ok(member);
    return member;
  };

  it('lets only one of several concurrent members claim a check, and another member once the first releases it or is removed', async () => {
    const databases = [await bench.open(), await bench.open()] as const;
    const [database] = databases;
    const { accountId, ...payer } = await newPayer(database, 'review');
    const check = newCheck();
    await record(database, { ...payer, accountId }, check);
    const { id } = check;
    const names = ['ann', 'bob', 'cleo', 'dan', 'eve', 'fay'];
    const members = [];
    for (const name of names) members.push(await join(database, accountId, `${name}@review.example`));
    const claims = members.map(({ id: by }, at) =>
      claimCheck(databases[at % 2 === 0 ? 0 : 1], { accountId, id, by }),
    );
    const won = await Promise.all(claims);
    assert.equal(won.filter(Boolean).length, 1);
    const winner = members[won.indexOf(true)]!;
    const loser = members[won.indexOf(false)]!;
    const claimOf = async () => (await findCheck(database, accountId, id))?.claim?.memberEmail ?? null;
    assert.equal(await claimOf(), winner.email);
    assert.ok(!(await releaseCheck(database, { accountId, id, by: loser.id }, false)));
    assert.ok(await releaseCheck(database, { accountId, id, by: winner.id }, false));
    assert.ok(await claimCheck(database, { accountId, id, by: loser.id }));
    await removeMember(database, accountId, loser.id);
    assert.equal(await claimOf(), null);
    assert.ok(await claimCheck(database, { accountId, id, by: winner.id }));
    assert.ok(await releaseCheck(database, { accountId, id, by: 'an owner' }, true));
    assert.ok(!(await releaseCheck(database, { accountId, id, by: 'an owner' }, true)));
    assert.ok(!(await claimCheck(database, { accountId: 'another', id, by: winner.id })));
  });

  it('lists the checks that a given member has claimed for review', async () => {
    const database = await bench.open();
    const payer = await newPayer(database, 'listed by claim');
    const { accountId } = payer;
    const now = Date.now();
    const checks = [newCheck({}, now - 3000), newCheck({}, now - 2000), newCheck({}, now - 1000)];
    await record(database, payer, ...checks);
    const [first, second, third] = checks.map(({ id }) => id);
    const [ann, bob] = [
      await join(database, accountId, 'ann@list.example'),
      await join(database, accountId, 'bob@list.example'),
    ];
    await claimCheck(database, { accountId, id: first!, by: ann.id });
    await claimCheck(database, { accountId, id: second!, by: bob.id });
    const listed = async (claimed: string | boolean) =>
      (await listChecks(database, accountId, { claimed }, 10)).map(({ id }) => id);
    assert.deepEqual(await listed(ann.id), [first]);
    assert.deepEqual(await listed(true), [second, first]);
    assert.deepEqual(await listed(false), [third]);
    await removeMember(database, accountId, bob.id);
    assert.deepEqual(await listed(true), [first]);
    assert.deepEqual(await listed(false), [third, second]);
  });

  it('counts checks per day, with the verdicts and the median score of each day', async () => {
    const database = await bench.open();
    const payer = await newPayer(database, 'by day');
    const today = new Date();
    const yesterday = new Date(today.getTime() - DAY_MS);
    const scored = (fullImageScore: number | null, isAi: boolean) => newCheck({ fullImageScore, isAi });
    await record(
      database,
      payer,
      scored(0.9, true),
      scored(0.2, false),
      scored(0.4, false),
      scored(null, true),
    );
    await record(database, await newPayer(database, 'another by day'), scored(0.99, true));
    await database.run((queries) =>
      queries('checks').where({ account_id: payer.accountId }).update({ created_at: yesterday.getTime() }),
    );
    await record(database, payer, scored(0.5, true), scored(0.25, false));
    const before = new Date(today.getTime() - 2 * DAY_MS);
    assert.deepEqual(await tallyDays(database, payer.accountId, before, today), [
      {
        date: dayOf(before),
        counts: { likely_ai: 0, unclear: 0, no_ai_detected: 0, overturned: 0 },
        medianScore: null,
      },
      {
        date: dayOf(yesterday),
        counts: { likely_ai: 2, unclear: 0, no_ai_detected: 2, overturned: 0 },
        medianScore: 0.4,
      },
      {
        date: dayOf(today),
        counts: { likely_ai: 1, unclear: 0, no_ai_detected: 1, overturned: 0 },
        medianScore: 0.375,
      },
    ]);
  });
});
