// Tests the end of appeals: the operator's decision with its signed record, webhooks, concurrent ends and erasure.
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { insertAppeal, listAppeals } from '../../../src/accounts/appeals/appeals.js';
import { decideAppeal, withdrawAppeal } from '../../../src/accounts/appeals/decide.js';
import { createAppealLink } from '../../../src/accounts/appeals/links.js';
import { pageAudit } from '../../../src/accounts/audit.js';
import { tallyChecks } from '../../../src/accounts/history/tally.js';
import { loadConfig } from '../../../src/config.js';
import { readValue } from '../../../src/record/verify/read-record.js';
import { verifyRecord } from '../../../src/record/verify/verify.js';
import { openRecordKeys } from '../../../src/service/record-keys/open-keys.js';
import { createEndpoint } from '../../../src/service/webhooks/endpoints.js';
import type { Database } from '../../../src/storage/db/database.js';
import { appealRequests, met, ORIGINAL, OTHER, readAppeal } from '../../support/appeals.js';
import { signIn } from '../../support/console.js';
import { makeFolder } from '../../support/folders.js';
import { describeServiceOnEachDatabase, send, type ServiceBench } from '../../support/service.js';

const keepRecord = (record: string): Promise<string> => Promise.resolve(record);

/** Waits until a transaction of this PostgreSQL database waits for a lock. */
async function waitForLock(database: Database): Promise<void> {
  const waits = `select 1 from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`;
  const isWaiting = async (): Promise<boolean> => {
    const { rows } = await database.run((queries) => queries.raw<{ rows: object[] }>(waits));
    return rows.length > 0;
  };
  while (!(await isWaiting())) await setTimeout(10);
}

const tests = (bench: () => ServiceBench, kind: string): void => {
  const { appeal, list, check, accountOf } = appealRequests(bench);

  it('get the error not_found if their check is erased while the appeal or its link is created', async () => {
    const { database } = bench();
    const key = await bench().newKey();
    const id = await check(key, await met());
    const accountId = await accountOf(key);
    const made = readAppeal(await appeal(id, key, ORIGINAL));
    const [kept] = await listAppeals(database, accountId, id);
    assert.ok(kept);
    await database.run((queries) => queries('checks').where({ id }).delete());
    const late = { ...kept, id: `${made.id.slice(0, -1)}0` };
    await assert.rejects(insertAppeal(database, late, null), { code: 'not_found' });
    await assert.rejects(createAppealLink(database, accountId, id, 1), { code: 'not_found' });
  });

  // SQLite runs one transaction after the other.
  if (kind === 'postgres')
    for (const [end, finish] of [
      ['withdrawn', withdrawAppeal],
      [
        'confirmed',
        (database, { id }) =>
          decideAppeal(
            database,
            { id, outcome: 'verdict_confirmed', remark: '', memberId: null },
            keepRecord,
          ),
      ],
    ] as readonly (readonly [string, typeof withdrawAppeal])[])
      it(`leave a verdict overturned if another appeal is ${end} at the same time`, async () => {
        const { database } = bench();
        const key = await bench().newKey();
        const id = await check(key, await met());
        const accountId = await accountOf(key);
        const [first, second] = [
          readAppeal(await appeal(id, key, ORIGINAL)),
          readAppeal(await appeal(id, key, OTHER)),
        ];
        let other: Promise<void> = Promise.resolve();
        const decision = { id: first.id, outcome: 'verdict_overturned', remark: '', memberId: null } as const;
        await decideAppeal(database, decision, keepRecord, async () => {
          other = finish(database, { id: second.id, accountId, checkId: id, linkId: null });
          await waitForLock(database);
        });
        await other;
        assert.equal((await list(id, key)).check.appeal, 'overturned');
      });

  // Webhooks need PostgreSQL.
  if (kind === 'postgres')
    it('notify webhooks of the account when they arrive and when they are decided', async () => {
      const { database } = bench();
      const key = await bench().newKey();
      const accountId = await accountOf(key);
      await createEndpoint(database, { accountId, url: 'https://hooks.example/' });
      const id = await check(key, await met());
      const made = readAppeal(await appeal(id, key, ORIGINAL));
      const email = `boss@${id.toLowerCase().replace('_', '')}.example`;
      const boss = await signIn(bench(), { account: `of ${email}`, email, role: 'operator', plan: 'scale' });
      const decision = { outcome: 'verdict_confirmed', remark: '' };
      await boss.call('POST', `/operator/appeals/${made.id}/decision`, decision);
      const bodies = await database.run((queries) =>
        queries<{ id: string; type: string; body: string }>('webhook_deliveries')
          .where('type', 'like', 'appeal.%')
          .orderBy('id')
          .pluck('body'),
      );
      assert.deepEqual(
        bodies
          .map((body) => JSON.parse(body) as { type: string; data: object })
          .map(({ type, data }) => [type, data]),
        [
          ['appeal.received', { appeal: made.id, check: id, outcome: null }],
          ['appeal.decided', { appeal: made.id, check: id, outcome: 'verdict_confirmed' }],
        ],
      );
    });

  it('are decided by an operator only once, with a new signed record, and are erased together with their check', async () => {
    const { database, url } = bench();
    const key = await bench().newKey();
    const id = await check(key, await met());
    const made = readAppeal(await appeal(id, key, ORIGINAL));
    const email = `boss@${id.toLowerCase().replace('_', '')}.example`;
    const boss = await signIn(bench(), { account: `of ${email}`, email, role: 'operator', plan: 'scale' });
    const open = async () =>
      (
        await boss.call<{ appeals: { id: string; preview: string | null }[] }>(
          'GET',
          '/operator/appeals?state=open',
        )
      ).body.appeals;
    const shown = (await open()).find((one) => one.id === made.id);
    assert.ok(shown?.preview, 'a preview of the original');
    const decide = (body: object) => boss.call('POST', `/operator/appeals/${made.id}/decision`, body);
    assert.equal((await decide({ outcome: 'won', remark: '' })).status, 400);
    assert.equal(
      (await decide({ outcome: 'verdict_overturned', remark: 'the original\nof the agency' })).status,
      204,
    );
    assert.equal((await decide({ outcome: 'verdict_confirmed', remark: '' })).status, 400);
    const { rows } = await pageAudit(bench().database, {
      accountId: await accountOf(key),
      what: 'appeal.decided',
    });
    assert.deepEqual([rows.length, rows[0]?.subject, rows[0]?.actor.name], [1, id, email]);
    assert.ok(!(await open()).some((one) => one.id === made.id));
    const { appeals } = await list(id, key);
    const decided = appeals.find((one) => one.id === made.id);
    assert.ok(decided);
    assert.equal(decided.decision?.outcome, 'verdict_overturned');
    assert.equal((await list(id, key)).check.appeal, 'overturned');
    const [tally] = await tallyChecks(database, await accountOf(key), new Date(0));
    assert.deepEqual(tally?.counts, { likely_ai: 0, unclear: 0, no_ai_detected: 0, overturned: 1 });
    const { body: shownToAccount } = await boss.call<{ appeals: object[] }>('GET', '/appeals');
    assert.deepEqual(shownToAccount.appeals, [], 'appeals of other accounts');
    const { record } = readValue(decided.record);
    assert.equal(record.appeal?.decision?.outcome, 'verdict_overturned');
    // The installation signs the record with its key in the database.
    const keys = await openRecordKeys(loadConfig({ TELLTALE_DATA_DIR: FOLDER }), database).publicKeys();
    const text = Buffer.from(JSON.stringify(decided.record));
    const findings = await verifyRecord(
      { signed: readValue(JSON.parse(text.toString())), page: null },
      keys,
      null,
      () => Promise.reject(new Error('nothing is repeated')),
    );
    assert.equal(findings.find(({ about }) => about === 'signature')?.holds, true);
    const past = await database.run((queries) =>
      queries<{ id: string; reported_note: string }>('checks').where({ id }).first('reported_note'),
    );
    assert.equal(past?.reported_note, `appeal ${made.id}`);
    const headers = { authorization: `Bearer ${key}` };
    assert.equal((await send(`${url}/v1/checks/${id}`, { method: 'DELETE', headers })).status, 200);
    const left = await database.run((queries) => queries('appeals').where({ id: made.id }));
    assert.deepEqual(left, []);
    assert.equal((await decide({ outcome: 'verdict_confirmed', remark: '' })).status, 404);
  });
};

const FOLDER = makeFolder('appeal-decisions');

describeServiceOnEachDatabase('appeals until their decision', tests, {
  store: { kind: 'folder', path: FOLDER },
});
