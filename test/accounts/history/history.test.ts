// Tests the check history: filters, pages, reports of wrong verdicts, counts per API key, and deletion by
// age.
import assert from 'node:assert/strict';
import { findCheck, listAnswered, listChecks, listReported } from '../../../src/accounts/history/checks.js';
import { sweepHistory } from '../../../src/accounts/history/sweep.js';
import { noteCheck, reportCheck } from '../../../src/accounts/history/remarks.js';
import { tallyChecks } from '../../../src/accounts/history/tally.js';
import { recordChecks } from '../../../src/accounts/usage/record-checks.js';
import { describeOnEachDatabase } from '../../support/databases.js';
import { newCheck, newPayer, record } from '../../support/history.js';

const DAY_MS = 86_400_000;

describeOnEachDatabase('the check history', (bench) => {
  it('lists an account’s checks newest first, in pages, and filters them by verdict, detector and identifier', async () => {
    const database = await bench.open();
    const payer = await newPayer(database, 'listed');
    const now = Date.now();
    const old = newCheck({}, now - 3000);
    const ai = newCheck({ isAi: true, fired: ['face_specialist'], faceScore: 0.9 }, now - 2000);
    const both = newCheck({ isAi: true, fired: ['full_image_specialist', 'face_specialist'] }, now - 1000);
    await record(database, payer, old, ai, both);
    await record(database, await newPayer(database, 'another'), newCheck());
    const idsOf = async (filter: Parameters<typeof listChecks>[2], limit = 10) =>
      (await listChecks(database, payer.accountId, filter, limit)).map(({ id }) => id);
    assert.deepEqual(await idsOf({}), [both.id, ai.id, old.id]);
    assert.deepEqual(await idsOf({}, 2), [both.id, ai.id]);
    assert.deepEqual(await idsOf({ before: ai.id }), [old.id]);
    assert.deepEqual(await idsOf({ verdict: 'no_ai_detected' }), [old.id]);
    assert.deepEqual(await idsOf({ fired: 'full_image_specialist' }), [both.id]);
    assert.deepEqual(await idsOf({ fired: 'content_credentials' }), []);
    assert.deepEqual(await idsOf({ isAi: true }), [both.id, ai.id]);
    assert.deepEqual(await idsOf({ isAi: false }), [old.id]);
    assert.deepEqual(await idsOf({ id: ai.id.slice(0, 20) }), [ai.id]);
    const found = await findCheck(database, payer.accountId, ai.id);
    assert.deepEqual(
      [found?.faceScore, found?.fullImageScore, found?.reason, found?.key?.name, found?.memberEmail],
      [0.9, 0.25, 'No AI detected: far below', 'the key', null],
    );
  });

  it('stores the assessment, and takes it from the verdict for checks of earlier versions', async () => {
    const database = await bench.open();
    const payer = await newPayer(database, 'assessed');
    const now = Date.now();
    const flagged = newCheck({ isAi: true, assessment: 'unclear' }, now - 3000);
    const ai = newCheck({ isAi: true }, now - 2000);
    const noted = newCheck({ attention: 'mark' }, now - 1000);
    await record(database, payer, flagged, ai, noted);
    const list = async () =>
      (await listChecks(database, payer.accountId, {}, 10)).map(({ assessment }) => assessment);
    assert.deepEqual(await list(), ['unclear', 'likely_ai', 'unclear']);
    await database.run((queries) =>
      queries('checks').where({ account_id: payer.accountId }).update({ assessment: null }),
    );
    assert.deepEqual(await list(), ['no_ai_detected', 'likely_ai', 'likely_ai']);
    const filtered = await listChecks(database, payer.accountId, { verdict: 'likely_ai' }, 10);
    assert.deepEqual(filtered.map(({ id }) => id), [ai.id, flagged.id]); // prettier-ignore
  });

  it('limits the bytes of stored results per page, but returns at least one check per page', async () => {
    const database = await bench.open();
    const payer = await newPayer(database, 'large answers');
    const { answer } = newCheck();
    const checks = [100, 2_000_000, 100, 400_000, 400_000].map((characters, at) => {
      const signer = 'x'.repeat(characters);
      const content_credentials = { found: true as const, signer, verified: false, ai: false };
      return newCheck({ answer: { ...answer, content_credentials } }, Date.now() - 1000 * at);
    });
    await record(database, payer, ...checks);
    const pages: string[][] = [];
    for (let before: string | undefined, isLast = false; !isLast; before = pages.at(-1)?.at(-1)) {
      const page = await listAnswered(database, payer.accountId, before ? { before } : {}, 3);
      pages.push(page.checks.map(({ id }) => id));
      isLast = page.isLast;
      for (const check of page.checks) {
        const sent = checks.find(({ id }) => id === check.id)?.answer;
        assert.deepEqual(check.answer, sent);
      }
    }
    const [a, b, c, d, e] = checks.map(({ id }) => id);
    assert.deepEqual(pages, [[a], [b], [c, d, e]]);
    assert.equal((await listAnswered(database, payer.accountId, {}, 1)).isLast, false);
  });

  it('finds checks by image name, note, person, review status, day and need for a closer look', async () => {
    const database = await bench.open();
    const payer = await newPayer(database, 'searched');
    const now = Date.now();
    const harbour = newCheck({ name: 'Harbour 100%_a.jpg', attention: 'mark' }, now - 3000);
    const blank = newCheck({ name: 'other.png', attention: 'blank' }, now - 2000);
    const plain = newCheck({ ref: 'order 17' }, now - 1000);
    await record(database, payer, harbour, blank, plain);
    const idsOf = async (filter: Parameters<typeof listChecks>[2]) =>
      (await listChecks(database, payer.accountId, filter, 10)).map(({ id }) => id);
    assert.deepEqual(await idsOf({ text: 'harbour' }), [harbour.id]);
    assert.deepEqual(await idsOf({ text: '0%_A' }), [harbour.id], 'wildcards stand for themselves');
    assert.deepEqual(await idsOf({ text: 'o%h' }), []);
    assert.deepEqual(await idsOf({ text: 'ORDER' }), [plain.id]);
    assert.deepEqual(await idsOf({ verdict: 'unclear' }), [blank.id, harbour.id]);
    assert.deepEqual(await idsOf({ person: 'THE KEY' }), [plain.id, blank.id, harbour.id]);
    const own = { accountId: payer.accountId, id: plain.id, by: 'mem_gone' };
    const note = { text: 'ask the agency', status: 'cleared' } as const;
    await assert.rejects(noteCheck(database, { ...own, accountId: 'acc_other' }, note), {
      code: 'not_found',
    });
    await noteCheck(database, own, note);
    assert.deepEqual(await idsOf({ text: 'AGENCY' }), [plain.id]);
    assert.deepEqual(await idsOf({ status: 'cleared' }), [plain.id]);
    assert.deepEqual(await idsOf({ status: 'none' }), [blank.id, harbour.id]);
    const found = await findCheck(database, payer.accountId, plain.id);
    assert.deepEqual(
      [found?.note?.text, found?.note?.status, found?.note?.memberEmail],
      [note.text, 'cleared', null],
    );
    await noteCheck(database, own, { text: '\n ', status: null });
    assert.equal((await findCheck(database, payer.accountId, plain.id))?.note, null);
  });

  it('stores and withdraws reports of wrong verdicts, only for checks of the same account', async () => {
    const database = await bench.open();
    const payer = await newPayer(database, 'reporting');
    const check = newCheck();
    await record(database, payer, check);
    const report = { label: 'generated', note: 'six fingers' } as const;
    const stranger = { accountId: 'acc_other', id: check.id, by: 'mem_1' };
    await assert.rejects(reportCheck(database, stranger, report), { code: 'not_found' });
    const own = { accountId: payer.accountId, id: check.id, by: 'mem_1' };
    await assert.rejects(reportCheck(database, own, { label: 'real', note: '' }), {
      code: 'invalid_request',
      param: 'label',
    });
    await reportCheck(database, own, report);
    const [listed] = await listReported(database, payer.accountId);
    assert.deepEqual(
      [listed?.id, listed?.report?.label, listed?.report?.note],
      [check.id, 'generated', 'six fingers'],
    );
    assert.equal((await listChecks(database, payer.accountId, { verdict: 'reported' }, 10)).length, 1);
    await reportCheck(database, own, null);
    assert.deepEqual(await listReported(database, payer.accountId), []);
  });

  it('counts an account’s checks per API key and verdict', async () => {
    const database = await bench.open();
    const payer = await newPayer(database, 'divided');
    await record(database, payer, newCheck({ isAi: true }), newCheck(), newCheck());
    await record(database, { ...payer, keyId: null, memberId: 'mem_1' }, newCheck());
    const tallies = await tallyChecks(database, payer.accountId, new Date(Date.now() - DAY_MS));
    assert.deepEqual(tallies, [
      {
        key: { id: payer.keyId, name: 'the key' },
        counts: { likely_ai: 1, unclear: 0, no_ai_detected: 2, overturned: 0 },
      },
      { key: null, counts: { likely_ai: 0, unclear: 0, no_ai_detected: 1, overturned: 0 } },
    ]);
    assert.deepEqual(await tallyChecks(database, payer.accountId, new Date(Date.now() + DAY_MS)), []);
  });

  it('deletes checks that are older than the retention period', async () => {
    const database = await bench.open();
    const payer = await newPayer(database, 'swept');
    const old = newCheck({}, Date.now() - 2.1 * DAY_MS);
    const young = newCheck({}, Date.now() - 1.9 * DAY_MS);
    await record(database, payer, old, young);
    await database.run((queries) =>
      queries('checks')
        .whereIn('id', [old.id, young.id])
        .update({ image_id: queries.raw(`'img_' || id`) }),
    );
    assert.deepEqual([...(await sweepHistory(database, 2))], [`img_${old.id}`]);
    assert.deepEqual(
      (await listChecks(database, payer.accountId, {}, 10)).map(({ id }) => id),
      [young.id],
    );
  });

  it('stores no checks if the history is switched off, although checks are still charged', async () => {
    const database = await bench.open();
    const payer = await newPayer(database, 'unkept');
    const charge = { payer, requestId: 'r', keepsHistory: false, checks: [newCheck()], answer: null };
    assert.deepEqual(await recordChecks(database, charge), { used: 1, reserved: 0 });
    assert.deepEqual(await listChecks(database, payer.accountId, {}, 10), []);
  });
});
