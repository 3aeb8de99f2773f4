// Tests appeals: comparing an original with the checked image, by key or by link, the signed record, the
// decision and erasure.
import assert from 'node:assert/strict';
import { insertAppeal, listAppeals } from '../../../src/accounts/appeals/appeals.js';
import { decideAppeal, withdrawAppeal } from '../../../src/accounts/appeals/decide.js';
import { createAppealLink } from '../../../src/accounts/appeals/links.js';
import { pageAudit } from '../../../src/accounts/audit.js';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { connect } from 'node:net';
import { setTimeout } from 'node:timers/promises';
import type { Static } from '@sinclair/typebox';
import sharp from 'sharp';
import { tallyChecks } from '../../../src/accounts/history/tally.js';
import { createEndpoint } from '../../../src/service/webhooks/endpoints.js';
import { findKey } from '../../../src/accounts/keys.js';
import { readKeyId } from '../../../src/accounts/key-text.js';
import { keepHashes } from '../../../src/accounts/seen/seen.js';
import { readValue } from '../../../src/record/verify/read-record.js';
import { verifyRecord } from '../../../src/record/verify/verify.js';
import { openRecordKeys } from '../../../src/service/record-keys/open-keys.js';
import { loadConfig } from '../../../src/config.js';
import type {
  AppealLink,
  AppealList,
  AppealSchema,
} from '../../../src/service/http/openapi/appeal-schemas.js';
import type { Database } from '../../../src/storage/db/database.js';
import { signIn } from '../../support/console.js';
import { makeFolder } from '../../support/folders.js';
import { drawBmp, readFixture } from '../../support/images.js';
import {
  assertError,
  describeServiceOnEachDatabase,
  postForm,
  postJson,
  send,
  type Answer,
  type ServiceBench,
} from '../../support/service.js';

type Appeal = Static<typeof AppealSchema>;
type Link = Static<typeof AppealLink>;

const sample = (name: string): Buffer => readFileSync(new URL(`../../../samples/${name}`, import.meta.url));
const ORIGINAL = sample('portrait.png');
const OTHER = sample('scene.jpg');

/** Returns a copy as somebody might find it on the web: a part of the original, shrunk and recompressed. */
const met = async (): Promise<Buffer> =>
  sharp(await sharp(ORIGINAL).extract({ left: 60, top: 0, width: 350, height: 350 }).png().toBuffer())
    .resize(300)
    .jpeg({ quality: 75 })
    .toBuffer();

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
  const path = (id: string, what = 'appeals'): string => `${bench().url}/v1/checks/${id}/${what}`;
  const appeal = (id: string, key: string, bytes: Uint8Array, fields = {}, headers = {}): Promise<Answer> =>
    postForm(path(id), key, 'file', [bytes], fields, headers);
  const read = (answer: Answer): Appeal => {
    assert.equal(answer.status, 201, answer.text);
    return JSON.parse(answer.text) as Appeal;
  };
  const list = async (id: string, key: string): Promise<Static<typeof AppealList>> => {
    const answer = await send(path(id), { headers: { authorization: `Bearer ${key}` } });
    assert.equal(answer.status, 200, answer.text);
    return JSON.parse(answer.text) as Static<typeof AppealList>;
  };
  const check = async (key: string, bytes: Uint8Array, query = '?store=true'): Promise<string> => {
    const answer = await postForm(`${bench().url}/v1/check${query}`, key, 'file', [bytes]);
    assert.equal(answer.status, 200, answer.text);
    return answer.body.id;
  };
  const newLink = async (id: string, key: string, body = {}): Promise<Link> => {
    const answer = await postJson(path(id, 'appeal-links'), key, body);
    assert.equal(answer.status, 201, answer.text);
    return JSON.parse(answer.text) as Link;
  };
  const accountOf = async (key: string): Promise<string> =>
    (await findKey(bench().database, readKeyId(key)!))!.accountId;
  const used = async (key: string): Promise<number> =>
    (await send(`${bench().url}/v1/usage`, { headers: { authorization: `Bearer ${key}` } })).body.checks.used;

  it('compare the original that the sender attached with the checked image, charge nothing and add a signed record', async () => {
    const key = await bench().newKey();
    const stored = await check(key, await met());
    await keepHashes(bench().database, await accountOf(key), true);
    const hashed = await check(await keyOf(key), await met(), '');
    for (const [id, kept] of [
      [stored, 'image'],
      [hashed, 'hash'],
    ] as const) {
      const made = read(await appeal(id, key, ORIGINAL, { remark: 'taken by me' }));
      assert.deepEqual(
        [made.check_id, made.by, made.remark, made.decision],
        [id, 'account', 'taken by me', null],
      );
      assert.equal(made.comparison.with, kept);
      assert.equal(made.comparison.same_scene, true, String(made.comparison.difference));
      const [x = 9, y = 9, width = 9, height = 9] = made.comparison.crop ?? [];
      for (const [found, expected] of [
        [x, 60 / 512],
        [y, 0],
        [width, 350 / 512],
        [height, 350 / 512],
      ] as const)
        assert.ok(Math.abs(found - expected) < 0.05, JSON.stringify(made.comparison.crop));
      const { width: w, height: h, enlarged, format } = made.original;
      assert.deepEqual([w, h, format], [512, 512, 'png']);
      assert.ok(Math.abs(enlarged! - (512 * 512) / (300 * 300)) < 0.01);
      const { record } = readValue(made.record);
      assert.deepEqual(
        [record.appeal?.id, record.appeal?.against.id, record.appeal?.decision],
        [made.id, id, null],
      );
    }
    const other = read(await appeal(stored, key, OTHER));
    assert.deepEqual([other.comparison.same_scene, other.comparison.crop], [false, null]);
    assert.equal(await used(key), 2);
  });

  /**
   * Creates another key of the same account, because changes take half a second to affect a key that was
   * used.
   */
  const keyOf = async (key: string): Promise<string> =>
    bench().newKey({ account: (await findKey(bench().database, readKeyId(key)!))!.accountName });

  it('are refused with an error code if the images cannot be compared or the attached image is not the original', async () => {
    const key = await bench().newKey();
    const neither = await check(key, await met(), '');
    assertError(await appeal(neither, key, ORIGINAL), 409, 'image_not_kept', /store=true/);
    const blank = await check(
      key,
      drawBmp(400, 300, () => [9, 9, 9]),
    );
    assertError(await appeal(blank, key, ORIGINAL), 409, 'image_not_kept', /too little/);
    assertError(await appeal('chk_none', key, ORIGINAL), 404, 'not_found');
    const id = await check(key, await met());
    assertError(await appeal(id, await bench().newKey(), ORIGINAL), 404, 'not_found');
    const heic = Buffer.concat([
      Buffer.from('\0\0\0\x18ftypheic\0\0\0\0heicmif1', 'latin1'),
      Buffer.alloc(2000),
    ]);
    assertError(
      await appeal(id, key, heic),
      415,
      'unsupported_format',
      /HEIC files are not supported\. Convert the image to JPEG/,
    );
    const small = await sharp(ORIGINAL).resize(200).png().toBuffer();
    assertError(await appeal(id, key, small), 422, 'image_too_small');
    assert.deepEqual((await list(id, key)).appeals, []);
  });

  it('are refused if malformed, and limited to three per check', async () => {
    const key = await bench().newKey();
    const id = await check(key, await met());
    assertError(await postJson(path(id), key, {}), 415, 'unsupported_media_type');
    assertError(await appeal(id, key, ORIGINAL, { remark: 'x'.repeat(1001) }), 400, 'invalid_request');
    assertError(await postForm(path(id), key, 'file', [ORIGINAL, ORIGINAL]), 400, 'invalid_request');
    assertError(await postForm(path(id), key, 'file', []), 400, 'invalid_request');
    await bench().database.run((queries) => queries('rate_limits').where({ plan: 'appeals' }).delete());
    for (let times = 0; times < 3; times += 1) read(await appeal(id, key, readFixture('jpeg/scene.jpg')));
    assertError(await appeal(id, key, ORIGINAL), 409, 'too_many_appeals', /maximum of 3 appeals/);
    // Refills the account's token bucket for the whole test.
    await bench().database.run((queries) =>
      queries('rate_limits')
        .where({ plan: 'appeals' })
        .update({ full_at: Date.now() + 100_000 }),
    );
    assertError(await appeal(id, key, ORIGINAL), 429, 'rate_limited');
  });

  it('are created once per Idempotency-Key of the account, separately from appeals sent through a link', async () => {
    const { database } = bench();
    const key = await bench().newKey();
    const id = await check(key, await met());
    const { token } = await newLink(id, key);
    const once = { 'idempotency-key': 'order-1' };
    // A request through a link does not occupy the account's Idempotency-Key.
    const byLink = await appeal(id, token, ORIGINAL, {}, once);
    assert.equal(read(byLink).by, 'link');
    const [first, twin] = await Promise.all([
      appeal(id, key, ORIGINAL, {}, once),
      appeal(id, key, ORIGINAL, {}, once),
    ]);
    assert.equal(read(first).by, 'account');
    assert.equal(twin.text, first.text);
    assertError(await appeal(id, key, OTHER, {}, once), 409, 'idempotency_mismatch');
    await database.run((queries) => queries('rate_limits').where({ plan: 'appeals' }).delete());
    const small = await sharp(ORIGINAL).resize(200).png().toBuffer();
    const last = { 'idempotency-key': 'order-2' };
    assertError(await appeal(id, key, small, {}, last), 422, 'image_too_small');
    read(await appeal(id, key, OTHER, {}, last));
    // A repeated request gets its response and uses no attempt.
    for (const [bearer, original, headers] of [
      [token, ORIGINAL, once],
      [key, OTHER, last],
    ] as const) {
      const again = await appeal(id, bearer, original, {}, headers);
      assert.equal(read(again).check_id, id);
      assert.equal(again.headers.get('idempotent-replayed'), 'true');
    }
    assert.equal((await list(id, key)).appeals.length, 3);
    assert.equal((await list(id, key)).attempts_left, 1);
    const headers = { authorization: `Bearer ${key}` };
    await send(`${bench().url}/v1/checks/${id}`, { method: 'DELETE', headers });
    const kept = await database.run((queries) =>
      queries('idempotency_keys').where('answer', 'like', `%${id}%`),
    );
    assert.deepEqual(kept, []);
  });

  it('need no API key if sent through a valid link, which works only for its own check', async () => {
    const { database } = bench();
    const key = await bench().newKey();
    const [id, neighbour] = [await check(key, await met()), await check(key, OTHER)];
    for (const days of [0, 91, 1.5, '3'])
      assertError(await postJson(path(id, 'appeal-links'), key, { days }), 400, 'invalid_request');
    assertError(await postJson(path('chk_none', 'appeal-links'), key, {}), 404, 'not_found');
    const link = await newLink(id, key, { days: 2 });
    assert.equal(link.url, `${bench().url}/appeal#${id}.${link.token}`);
    assert.ok(Math.abs(Date.parse(link.expires_at) - Date.now() - 2 * 86_400_000) < 60_000);
    assert.equal(read(await appeal(id, link.token, ORIGINAL)).by, 'link');
    const seen = await list(id, link.token);
    assert.deepEqual([seen.check.id, seen.appeals.length], [id, 1]);
    const other = (what: string) => send(what, { headers: { authorization: `Bearer ${link.token}` } });
    assertError(await other(path(neighbour)), 401, 'unauthorized');
    assertError(await other(`${bench().url}/v1/checks/${id}`), 401, 'unauthorized');
    assertError(await appeal(id, `apt_${'x'.repeat(43)}`, ORIGINAL), 401, 'unauthorized', /unknown/);
    const idle = await newLink(id, key);
    await database.run((queries) =>
      queries('appeal_links')
        .where({ check_id: id })
        .update({ expires_at: Date.now() - 1 }),
    );
    // After the deadline, a link still shows what was sent through it.
    assertError(await appeal(id, link.token, ORIGINAL), 401, 'unauthorized', /expired on 20\d\d-/);
    assert.equal((await list(id, link.token)).link?.state, 'expired');
    const headers = { authorization: `Bearer ${idle.token}` };
    assertError(await send(path(id), { headers }), 401, 'unauthorized', /expired on .* Ask account/);
  });

  it('through one link are neither shown to, nor limited by, another link for the same check', async () => {
    const key = await bench().newKey();
    const id = await check(key, await met());
    const [first, second] = [await newLink(id, key), await newLink(id, key)];
    const sameKey = { 'idempotency-key': 'mine' };
    const made = read(await appeal(id, first.token, ORIGINAL, { remark: 'my card' }, sameKey));
    const seen = await list(id, second.token);
    assert.deepEqual([seen.appeals, seen.attempts_left, seen.link?.state], [[], 3, 'open']);
    assert.deepEqual((await list(id, first.token)).attempts_left, 2);
    assert.equal((await list(id, key)).appeals[0]?.link_id, first.id);
    // The same key and file through another link are another appeal.
    const twin = read(await appeal(id, second.token, ORIGINAL, { remark: 'my card' }, sameKey));
    assert.notEqual(twin.id, made.id);
    // Seven invalid requests block only their own link.
    for (let times = 0; times < 7; times += 1) await appeal(id, first.token, Buffer.from('no image'));
    assertError(await appeal(id, first.token, ORIGINAL), 429, 'rate_limited', /this link.* in \d+ s/);
    read(await appeal(id, second.token, ORIGINAL));
    read(await appeal(id, key, ORIGINAL));
    read(await appeal(id, second.token, ORIGINAL));
    assertError(await appeal(id, second.token, ORIGINAL), 409, 'too_many_appeals', /through this link/);
    assert.equal((await list(id, second.token)).link?.state, 'used_up');
  });

  it('arriving slowly through a link hold one place each, so other links and the account can still appeal', async () => {
    const key = await bench().newKey();
    const id = await check(key, await met());
    const [slow, quick] = [await newLink(id, key), await newLink(id, key)];
    const { hostname, port } = new URL(bench().url);
    const sockets = await Promise.all(
      [1, 2, 3].map(async () => {
        const socket = connect(Number(port), hostname);
        await once(socket, 'connect');
        socket.write(
          `POST /v1/checks/${id}/appeals HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${slow.token}\r\n` +
            'Content-Type: multipart/form-data; boundary=b\r\nContent-Length: 9000\r\n\r\n--b\r\n',
        );
        return socket;
      }),
    );
    read(await appeal(id, quick.token, ORIGINAL));
    read(await appeal(id, key, ORIGINAL));
    for (const socket of sockets) socket.destroy();
  });

  it('are no longer accepted or shown after their link was revoked; the account still sees them', async () => {
    const key = await bench().newKey();
    const id = await check(key, await met());
    const link = await newLink(id, key);
    const made = read(await appeal(id, link.token, ORIGINAL));
    const headers = { authorization: `Bearer ${key}` };
    const address = `${path(id, 'appeal-links')}/${link.id}`;
    const stranger = { authorization: `Bearer ${await bench().newKey()}` };
    assertError(await send(address, { method: 'DELETE', headers: stranger }), 404, 'not_found');
    const arrived = await pageAudit(bench().database, {
      accountId: await accountOf(key),
      what: 'appeal.received',
    });
    assert.deepEqual(
      arrived.rows.map(({ actor }) => [actor.kind, actor.name]),
      [['visitor', link.id]],
    );
    for (let times = 0; times < 2; times += 1) {
      const revoked = await send(address, { method: 'DELETE', headers });
      assert.match(revoked.text, /"state":"revoked"/);
    }
    const withToken = { authorization: `Bearer ${link.token}` };
    assertError(await send(path(id), { headers: withToken }), 401, 'unauthorized', /account .* revoked/);
    assertError(await appeal(id, link.token, ORIGINAL), 401, 'unauthorized', /revoked/);
    const links = await send(path(id, 'appeal-links'), { headers });
    assert.match(links.text, new RegExp(`"id":"${link.id}".*"state":"revoked","attempts_left":2`));
    assert.doesNotMatch(links.text, /apt_/);
    assert.deepEqual(
      (await list(id, key)).appeals.map((one) => one.id),
      [made.id],
    );
    const { rows } = await pageAudit(bench().database, {
      accountId: await accountOf(key),
      what: 'appeal_link',
    });
    assert.deepEqual(
      rows.map(({ what, after }) => [what, after?.['link']]),
      [
        ['appeal_link.revoked', link.id],
        ['appeal_link.created', link.id],
      ],
    );
  });

  it('can be withdrawn by their sender before the decision, and show the stored image to their link', async () => {
    const key = await bench().newKey();
    const id = await check(key, await met());
    const link = await newLink(id, key);
    const made = read(await appeal(id, link.token, OTHER));
    const remove = (bearer: string) =>
      send(`${path(id)}/${made.id}`, { method: 'DELETE', headers: { authorization: `Bearer ${bearer}` } });
    assertError(await remove((await newLink(id, key)).token), 404, 'not_found');
    assertError(await remove(key), 404, 'not_found');
    for (let times = 0; times < 2; times += 1)
      assert.match((await remove(link.token)).text, /"withdrawn_at":"20/);
    const seen = await list(id, link.token);
    assert.deepEqual([seen.attempts_left, seen.check.appeal, seen.check.image_stored], [2, null, true]);
    const image = await fetch(path(id, 'appeals/image'), {
      headers: { authorization: `Bearer ${link.token}` },
    });
    assert.deepEqual([image.status, image.headers.get('content-type')], [200, 'image/jpeg']);
    assert.equal((await sharp(Buffer.from(await image.arrayBuffer())).metadata()).width, 300);
  });

  it('may have a remark of 1,000 characters in any script, but no longer one', async () => {
    const key = await bench().newKey();
    const id = await check(key, await met());
    for (const remark of ['ü'.repeat(1000), '日'.repeat(1000)])
      assert.equal(read(await appeal(id, key, ORIGINAL, { remark })).remark, remark);
    assertError(await appeal(id, key, ORIGINAL, { remark: 'ü'.repeat(1001) }), 400, 'invalid_request');
  });

  it('get the error not_found if their check is erased while the appeal or its link is created', async () => {
    const { database } = bench();
    const key = await bench().newKey();
    const id = await check(key, await met());
    const accountId = await accountOf(key);
    const made = read(await appeal(id, key, ORIGINAL));
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
        const [first, second] = [read(await appeal(id, key, ORIGINAL)), read(await appeal(id, key, OTHER))];
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
      const made = read(await appeal(id, key, ORIGINAL));
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
    const made = read(await appeal(id, key, ORIGINAL));
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

const FOLDER = makeFolder('appeals');

describeServiceOnEachDatabase('appeals against verdicts', tests, { store: { kind: 'folder', path: FOLDER } });
