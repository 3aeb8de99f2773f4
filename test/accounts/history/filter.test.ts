// Tests filtering and sorting the check history, and reading the details of a stored check.
import assert from 'node:assert/strict';
import { findCheck, listChecks, listReported } from '../../../src/accounts/history/checks.js';
import { noteCheck, reportCheck } from '../../../src/accounts/history/remarks.js';
import type { HistoryFilter } from '../../../src/accounts/history/filter.js';
import { countAssessments, tallyChecks } from '../../../src/accounts/history/tally.js';
import { recordChecks, type CheckRecord, type Payer } from '../../../src/accounts/usage/record-checks.js';
import type { Database } from '../../../src/storage/db/database.js';
import { describeOnEachDatabase } from '../../support/databases.js';
import { newCheck, newPayer, record } from '../../support/history.js';

async function recordScan(
  database: Database,
  payer: Payer,
  scan: string,
  checks: CheckRecord[],
): Promise<void> {
  const unlimited = { ...payer, plan: { ...payer.plan, checksPerMonth: null } };
  await recordChecks(database, {
    payer: unlimited,
    requestId: scan,
    keepsHistory: true,
    checks,
    answer: null,
  });
}

describeOnEachDatabase('the filter of the check history', (bench) => {
  it('selects checks by reference, time, scan and person, separately and combined', async () => {
    const database = await bench.open();
    const payer = await newPayer(database, 'narrowed');
    const now = Date.now();
    const checks = [
      newCheck({ ref: 'a' }, now - 3000),
      newCheck({ ref: '' }, now - 2000),
      newCheck({}, now - 1000),
    ];
    await recordScan(database, payer, 'scn_1', [checks[0]!]);
    await recordScan(database, payer, 'request', [checks[1]!]);
    await recordScan(database, { ...payer, keyId: null, memberId: 'mem_1' }, 'scn_2', [checks[2]!]);
    const setCreated = (at: number, created: number) =>
      database.run((queries) =>
        queries('checks').where({ id: checks[at]!.id }).update({ created_at: created }),
      );
    for (const at of [0, 1, 2]) await setCreated(at, now - 3000 + at * 1000);
    const list = async (filter: HistoryFilter) =>
      (await listChecks(database, payer.accountId, filter, 9)).map(({ id }) =>
        checks.findIndex((one) => one.id === id),
      );
    assert.deepEqual(await list({}), [2, 1, 0]);
    assert.deepEqual(
      [await list({ ref: 'a' }), await list({ ref: '' }), await list({ ref: 'A' })],
      [[0], [1], []],
    );
    assert.deepEqual(await list({ from: new Date(now - 2000) }), [2, 1]);
    assert.deepEqual(await list({ to: new Date(now - 2000) }), [0]);
    assert.deepEqual(await list({ from: new Date(now - 3000), to: new Date(now - 1000) }), [1, 0]);
    assert.deepEqual([await list({ scan: 'scn_1' }), await list({ scan: 'request' })], [[0], []]);
    assert.deepEqual([await list({ person: 'key' }), await list({ person: 'nobody' })], [[1, 0], []]);
    assert.deepEqual(await list({ scan: 'scn_1', ref: '' }), []);
    assert.deepEqual(await list({ verdict: 'likely_ai' }), []);
    await noteCheck(
      database,
      { accountId: payer.accountId, id: checks[1]!.id, by: 'm' },
      { text: '', status: 'open' },
    );
    assert.deepEqual([await list({ status: 'open' }), await list({ status: 'confirmed' })], [[1], []]);
  });

  it('treats the wildcard characters % and _ in a search text as ordinary characters', async () => {
    const database = await bench.open();
    const payer = await newPayer(database, 'patterns');
    const checks = ['50%!', 'a_b', 'axb'].map((name, at) => newCheck({ name }, Date.now() - 1000 * at));
    await record(database, payer, ...checks);
    const list = async (text: string) =>
      (await listChecks(database, payer.accountId, { text }, 9)).map(({ name }) => name);
    for (const [text, found] of [
      ['%', ['50%!']],
      ['!', ['50%!']],
      ['A_B', ['a_b']],
      ['0%!', ['50%!']],
    ] as const)
      // prettier-ignore
      assert.deepEqual(await list(text), found, text);
  });

  it('finds checks by text regardless of letter case, including non-ASCII letters', async () => {
    const database = await bench.open();
    const payer = await newPayer(database, 'cases');
    const names = ['Ärzte.jpg', 'ärzte.jpg', 'ÄRZTE.jpg', 'Łódź^-]\\.png', 'ΟΔΟΣ', 'straße', '名前'];
    const checks = names.map((name, at) => newCheck({ name }, Date.now() - 1000 * at));
    await record(database, payer, ...checks);
    const list = async (text: string) =>
      (await listChecks(database, payer.accountId, { text }, 9)).map(({ name }) => name);
    for (const text of ['Ärzte', 'ärzte', 'ÄRZTE'])
      assert.deepEqual(await list(text), names.slice(0, 3), text);
    for (const [text, found] of [
      ['łÓDŹ^-]\\.', 3],
      ['οδος', 4],
      ['οδοσ', 4],
      ['STRAßE', 5],
      ['名', 6],
    ] as const)
      assert.deepEqual(await list(text), [names[found]], text);
    assert.deepEqual(await list('*'), []);
  });

  it('sorts checks that need a closer look first, then by whole-image score, across pages', async () => {
    const database = await bench.open();
    const payer = await newPayer(database, 'worst');
    const now = Date.now();
    const wanted: readonly Partial<CheckRecord>[] = [
      { isAi: true, fullImageScore: null, attention: null },
      { isAi: true, fullImageScore: 0.9, attention: 'mark' },
      { isAi: true, fullImageScore: 0.8 },
      { isAi: true, assessment: 'unclear', fullImageScore: 0.1, faceScore: 0.5 },
      { attention: 'mark', fullImageScore: 0.7 },
      { attention: 'blank', fullImageScore: 0.5 },
      { fullImageScore: 0.6 },
      { fullImageScore: 0.2, faceScore: 0.99 },
    ];
    // Stored in reverse order: the newest check is the most suspicious one, so that sorting by score differs
    // from sorting by identifier.
    const checks = wanted.map((changes, at) => newCheck(changes, now - at * 1000));
    await record(database, payer, ...[...checks].reverse());
    const list = async (filter: HistoryFilter, limit = 99) =>
      (await listChecks(database, payer.accountId, { order: 'worst', ...filter }, limit)).map(({ id }) =>
        checks.findIndex((one) => one.id === id),
      );
    assert.deepEqual(await list({}), [0, 1, 2, 3, 4, 5, 6, 7]);
    const first = await list({}, 3);
    assert.deepEqual(first, [0, 1, 2]);
    assert.deepEqual(await list({ before: checks[2]!.id }, 3), [3, 4, 5]);
    assert.deepEqual(await list({ before: checks[7]!.id }), []);
    assert.deepEqual(await list({ before: checks[1]!.id, verdict: 'likely_ai' }), [2]);
    const stranger = await newPayer(database, 'worst elsewhere');
    const theirs = newCheck({ isAi: true });
    await record(database, stranger, theirs);
    assert.deepEqual(await list({ before: theirs.id }), [], "another account's check stands nowhere here");
  });
});

describeOnEachDatabase('the check history', (bench) => {
  it('returns every stored detail of a check', async () => {
    const database = await bench.open();
    const payer = await newPayer(database, 'told');
    const check = newCheck({
      isAi: true,
      fired: ['full_image_specialist', 'face_specialist'],
      profile: 'strict',
      faceScore: 0.75,
      ref: 'mine',
      name: 'a.jpg',
      attention: 'mark',
      colours: ['#aabbcc', '#000000'],
    });
    await record(database, payer, check);
    const { createdAt, ...found } = (await findCheck(database, payer.accountId, check.id))!;
    assert.ok(Math.abs(Date.now() - createdAt.getTime()) < 60_000);
    assert.deepEqual(
      { ...found, imageId: null },
      {
        ...check,
        note: null,
        appeal: null,
        claim: null,
        accountId: payer.accountId,
        requestId: 'r',
        key: { id: payer.keyId, name: 'the key' },
        memberEmail: null,
        image: null,
        report: null,
      },
    );
    assert.equal(await findCheck(database, 'acc_other', check.id), null);
    assert.equal(await findCheck(database, payer.accountId, 'chk_none'), null);
  });

  it('returns the image, note, review status and report of a check if the check has them', async () => {
    const database = await bench.open();
    const payer = await newPayer(database, 'noted');
    const check = newCheck({ fired: [], colours: [] });
    await record(database, payer, check);
    const own = { accountId: payer.accountId, id: check.id, by: 'mem_gone' };
    const find = async () => (await findCheck(database, payer.accountId, check.id))!;
    assert.deepEqual([(await find()).fired, (await find()).colours], [[], []]);
    await noteCheck(database, own, { text: '', status: 'confirmed' });
    const { note } = await find();
    assert.deepEqual([note?.text, note?.status, note?.memberEmail], ['', 'confirmed', null]);
    assert.ok(Math.abs(Date.now() - note!.at.getTime()) < 60_000);
    await noteCheck(database, own, { text: 'a word', status: null });
    assert.deepEqual([(await find()).note?.text, (await find()).note?.status], ['a word', null]);
    await reportCheck(database, own, { label: 'edited', note: 'the sky' });
    const { report } = await find();
    assert.deepEqual([report?.label, report?.note], ['edited', 'the sky']);
    assert.ok(Math.abs(Date.now() - report!.at.getTime()) < 60_000);
    const set = (changes: object) =>
      database.run((queries) => queries('checks').where({ id: check.id }).update(changes));
    await keepImage(database, payer.accountId, check.id);
    await set({ image_id: `img_${check.id}`, answer: null, colours: null, attention: 'later', key_id: null });
    const later = await find();
    assert.deepEqual(later.image, { id: `img_${check.id}`, format: 'webp' });
    assert.deepEqual([later.answer, later.colours, later.attention, later.key], [null, [], null, null]);
    await set({ image_id: 'img_gone', reported_label: 'later' });
    assert.deepEqual([(await find()).image, (await find()).report], [null, null]);
  });

  it('lists checks that members reported as wrong, oldest first, for one account or for all accounts', async () => {
    const database = await bench.open();
    const [one, two] = [await newPayer(database, 'reports one'), await newPayer(database, 'reports two')];
    const now = Date.now();
    const checks = [newCheck({}, now - 3000), newCheck({}, now - 2000), newCheck({}, now - 1000)];
    await record(database, one, checks[2]!, checks[0]!);
    await record(database, two, checks[1]!);
    for (const [at, { accountId }] of [
      [0, one],
      [1, two],
      [2, one],
    ] as const)
      // prettier-ignore
      await reportCheck(database, { accountId, id: checks[at]!.id, by: 'm' }, { label: 'edited', note: '' });
    const list = async (accountId?: string) =>
      (await listReported(database, accountId)).map(({ id }) => checks.findIndex((check) => check.id === id));
    assert.deepEqual(await list(one.accountId), [0, 2]);
    assert.deepEqual(
      (await list()).filter((at) => at >= 0),
      [0, 1, 2],
    );
  });
});

async function keepImage(database: Database, accountId: string, id: string): Promise<void> {
  const image = { id: `img_${id}`, account_id: accountId, sha256: id, format: 'webp' };
  await database.run((queries) =>
    queries('images').insert({ ...image, size_bytes: 1, stored_at: 1, expires_at: 1 }),
  );
}

describeOnEachDatabase('the statistics of the check history', (bench) => {
  it('count the checks of a scan by assessment', async () => {
    const database = await bench.open();
    const payer = await newPayer(database, 'scanned');
    const wanted: readonly Partial<CheckRecord>[] = [
      { isAi: true },
      { isAi: true, attention: 'mark' },
      { isAi: true, attention: 'blank' },
      { attention: 'mark' },
      { attention: 'mark' },
      { attention: 'blank' },
      {},
    ];
    await recordScan(
      database,
      payer,
      'scn_9',
      wanted.map((changes) => newCheck(changes)),
    );
    await recordScan(database, payer, 'scn_8', [newCheck()]);
    await recordScan(database, payer, 'other', [newCheck()]);
    const count = (scan: string, accountId = payer.accountId) => countAssessments(database, accountId, scan);
    assert.deepEqual(await count('scn_9'), { likely_ai: 3, unclear: 3, no_ai_detected: 1, overturned: 0 });
    const none = { likely_ai: 0, unclear: 0, no_ai_detected: 0, overturned: 0 };
    assert.deepEqual(await count('other'), none);
    assert.deepEqual(await count('scn_9', 'acc_other'), none);
  });

  it('list the API keys with the most checks first, and checks made in the console separately', async () => {
    const database = await bench.open();
    const payer = await newPayer(database, 'tallied');
    const few = await newPayer(database, 'tallied');
    await record(database, few, newCheck({ isAi: true }));
    await record(database, payer, newCheck(), newCheck({ isAi: true }), newCheck({ isAi: true }));
    await record(database, { ...payer, keyId: null, memberId: 'mem_1' }, newCheck(), newCheck());
    assert.deepEqual(await tallyChecks(database, payer.accountId, new Date(0)), [
      {
        key: { id: payer.keyId, name: 'the key' },
        counts: { likely_ai: 2, unclear: 0, no_ai_detected: 1, overturned: 0 },
      },
      { key: null, counts: { likely_ai: 0, unclear: 0, no_ai_detected: 2, overturned: 0 } },
      {
        key: { id: few.keyId, name: 'the key' },
        counts: { likely_ai: 1, unclear: 0, no_ai_detected: 0, overturned: 0 },
      },
    ]);
  });
});
