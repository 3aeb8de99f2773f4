// Tests the selection of checks with feedback by members: which feedback counts, who gave it, and how many
// are returned.
import assert from 'node:assert/strict';
import { noteCheck, reportCheck } from '../../../src/accounts/history/remarks.js';
import type { Label } from '../../../src/accounts/history/outcomes.js';
import type { Status } from '../../../src/accounts/history/filter.js';
import { countJudged, listJudged, type JudgedFilter } from '../../../src/accounts/history/judged.js';
import type { Payer } from '../../../src/accounts/usage/record-checks.js';
import type { Database } from '../../../src/storage/db/database.js';
import { describeOnEachDatabase } from '../../support/databases.js';
import { newCheck, newPayer, record } from '../../support/history.js';
import { join } from '../../support/members.js';

const ALL: JudgedFilter = { from: null, to: null, alsoReported: false, accountIds: null };

/** Feedback that a test stores for a check. */
interface Said {
  readonly isAi?: boolean;
  readonly status?: Status;
  readonly label?: Label;
  /** Identifier of the member who gave the feedback. Default: a member who was removed. */
  readonly by?: string;
  /** False if the check refers to an image that is not stored. */
  readonly isKept?: boolean;
  readonly at?: number;
}

/** Records a check of `payer` with an image and feedback, and returns its identifier. */
async function say(database: Database, { accountId, ...payer }: Payer, said: Said): Promise<string> {
  const { isAi = false, status, label, by = 'mem_gone', isKept = true, at } = said;
  const check = newCheck({ isAi }, at);
  await record(database, { accountId, ...payer }, check);
  const { id } = check;
  await database.run(async (queries) => {
    await queries('images').insert({
      id: `img_${id}`,
      account_id: accountId,
      sha256: id,
      format: 'png',
      size_bytes: 1,
      stored_at: isKept ? 1 : null,
      expires_at: 1,
    });
    const created = at === undefined ? {} : { created_at: at };
    await queries('checks')
      .where({ id })
      .update({ image_id: `img_${id}`, ...created });
  });
  if (status) await noteCheck(database, { accountId, id, by }, { text: '', status });
  if (label) await reportCheck(database, { accountId, id, by }, { label, note: '' });
  return id;
}

describeOnEachDatabase('member feedback on checks (reviews and reports of wrong verdicts)', (bench) => {
  it('counts a reviewed check as genuine or as AI only if no other feedback contradicts the review', async () => {
    const database = await bench.open();
    const payer = await newPayer(database, 'rows of judged');
    const rows: readonly (readonly [Said, cleared: string, alsoReported: string])[] = [
      [{ status: 'cleared' }, 'genuine', 'genuine'],
      [{ status: 'cleared', label: 'real', isAi: true }, 'genuine', 'genuine'],
      [{ status: 'cleared', label: 'generated' }, '-', '-'],
      [{ status: 'cleared', isAi: true }, 'genuine', 'genuine'],
      [{ label: 'real', isAi: true }, '-', 'genuine'],
      [{ label: 'real', status: 'open', isAi: true }, '-', 'genuine'],
      [{ label: 'real', status: 'confirmed', isAi: true }, '-', '-'],
      [{ status: 'confirmed', isAi: true }, 'ai', 'ai'],
      [{ status: 'confirmed', isAi: true, label: 'edited' }, 'ai', 'ai'],
      [{ status: 'confirmed' }, '-', '-'],
      [{ label: 'generated' }, 'ai', 'ai'],
      [{ label: 'swapped', status: 'confirmed' }, 'ai', 'ai'],
      [{ status: 'open', isAi: true }, '-', '-'],
      [{ isAi: true }, '-', '-'],
      [{ status: 'cleared', isKept: false }, '-', '-'],
    ];
    const ids: string[] = [];
    for (const [said] of rows) ids.push(await say(database, payer, said));
    for (const [column, alsoReported] of [
      [1, false],
      [2, true],
    ] as const) {
      // prettier-ignore
      const filter = { ...ALL, alsoReported, accountIds: [payer.accountId] };
      const found = new Map((await listJudged(database, filter, 99)).map((one) => [one.checkId, one]));
      for (const [at, row] of rows.entries()) {
        const one = found.get(ids[at]!);
        const kind = one === undefined ? '-' : one.isAi ? 'ai' : 'genuine';
        assert.equal(kind, row[column], JSON.stringify(row));
      }
      const [count] = await countJudged(database, filter);
      const expected = (kind: string) => rows.filter((row) => row[column] === kind).length;
      assert.deepEqual(count, {
        accountId: payer.accountId,
        account: 'rows of judged',
        genuine: expected('genuine'),
        ai: expected('ai'),
        members: 1,
      });
    }
  });

  it('is attributed to the member who last set the review status or reported the verdict', async () => {
    const database = await bench.open();
    const payer = await newPayer(database, 'sayers');
    const { accountId } = payer;
    const [ann, bob] = [
      (await join(database, 'ann@example.org', { accountId })).id,
      (await join(database, 'bob@example.org', { accountId })).id,
    ];
    const own = { accountId };
    const both = await say(database, payer, { label: 'real', isAi: true, by: bob });
    await noteCheck(database, { ...own, id: both, by: ann }, { text: '', status: 'cleared' });
    const reported = await say(database, payer, { label: 'generated', by: bob });
    await noteCheck(database, { ...own, id: reported, by: ann }, { text: 'look', status: 'open' });
    const gone = await say(database, payer, { status: 'cleared' });
    const filter = { ...ALL, accountIds: [accountId] };
    const sayers = (await listJudged(database, filter, 9)).map(({ checkId, by }) => [checkId, by]);
    assert.deepEqual(
      new Map(sayers as [string, string | null][]),
      new Map([
        [gone, null],
        [reported, 'bob@example.org'],
        [both, 'ann@example.org'],
      ]),
    );
    await say(database, payer, { status: 'cleared', by: ann });
    assert.equal((await countJudged(database, filter))[0]?.members, 2, 'ann and who is gone, each once');
  });

  it('is listed newest first, by day and account, up to a limit for each account and label', async () => {
    const database = await bench.open();
    const [one, two] = [await newPayer(database, 'first of two'), await newPayer(database, 'second of two')];
    const now = Date.now();
    const accountIds = [one.accountId, two.accountId];
    const ids: string[] = [];
    for (const [payer, said] of [
      [one, { status: 'cleared' }],
      [one, { status: 'cleared' }],
      [one, { label: 'generated' }],
      [two, { status: 'cleared' }],
      [two, { label: 'edited' }],
      [two, { label: 'swapped' }],
      [two, { status: 'cleared' }],
      [two, { status: 'cleared' }],
    ] as const)
      ids.push(await say(database, payer, { ...said, at: now - 10_000 + ids.length * 1000 }));
    const list = async (most: number, changes: Partial<JudgedFilter> = {}) =>
      (await listJudged(database, { ...ALL, accountIds, ...changes }, most)).map(({ checkId }) =>
        ids.indexOf(checkId),
      );
    assert.deepEqual(await list(1), [7, 5, 2, 1]);
    assert.deepEqual(await list(2), [7, 6, 5, 4, 2, 1, 0]);
    const [from, to] = [new Date(now - 8000), new Date(now - 5000)];
    assert.deepEqual(await list(9, { from }), [7, 6, 5, 4, 3, 2]);
    assert.deepEqual(await list(9, { to }), [4, 3, 2, 1, 0]);
    assert.deepEqual(await list(9, { from, to, accountIds: [two.accountId] }), [4, 3]);
    assert.deepEqual(await list(9, { accountIds: [] }), []);
    const everywhere = await listJudged(database, ALL, 9);
    assert.ok(everywhere.length > ids.length);
    assert.deepEqual(
      (await countJudged(database, { ...ALL, accountIds })).map(({ account, genuine, ai }) => [
        account,
        genuine,
        ai,
      ]),
      [['second of two', 3, 2], ['first of two', 2, 1]], // prettier-ignore
    );
    const [newest] = await listJudged(database, { ...ALL, accountIds }, 1);
    assert.deepEqual(newest, {
      checkId: ids[7],
      accountId: two.accountId,
      account: 'second of two',
      imageId: `img_${ids[7]}`,
      isAi: false,
      by: null,
    });
    const more = await newPayer(database, 'as many genuine');
    for (const label of ['generated', 'edited', 'swapped'] as const) await say(database, more, { label });
    for (let at = 0; at < 3; at += 1) await say(database, more, { status: 'cleared' });
    const counts = await countJudged(database, { ...ALL, accountIds: [...accountIds, more.accountId] });
    assert.deepEqual(
      counts.map(({ account }) => account),
      ['as many genuine', 'second of two', 'first of two'],
    );
  });
});
