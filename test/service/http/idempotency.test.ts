// Tests Idempotency-Key on both databases: one charge and one response, which is repeated byte for byte.
import assert from 'node:assert/strict';
import { findKey } from '../../../src/accounts/keys.js';
import { readKeyId } from '../../../src/accounts/key-text.js';
import { MAX_STORED_BYTES, sweepKeys } from '../../../src/accounts/usage/idempotency-locks.js';
import { makeBmp, SCENE_JPEG } from '../../support/images.js';
import {
  assertError,
  describeServiceOnEachDatabase,
  postForm,
  postJson,
  send,
} from '../../support/service.js';

interface StoredRow {
  readonly account_id: string;
  readonly kind: string;
  readonly bytes: number;
}

describeServiceOnEachDatabase('an Idempotency-Key', (bench) => {
  let key: string;
  const check = (): string => `${bench().url}/v1/check`;

  before(async () => {
    key = await bench().newKey();
  });

  it('repeats the first response byte for byte, and charges only once', async () => {
    const own = await bench().newKey({ plan: 'growth' });
    const headers = { 'idempotency-key': 'order-1' };
    const twins = await Promise.all(
      Array.from({ length: 4 }, () => postForm(check(), own, 'file', [SCENE_JPEG], {}, headers)),
    );
    const later = await postForm(check(), own, 'file', [SCENE_JPEG], {}, headers);
    for (const answer of [...twins, later]) assert.equal(answer.text, twins[0]!.text);
    assert.equal(
      [...twins, later].filter(({ headers }) => headers.get('idempotent-replayed') === 'true').length,
      4,
    );
    const usage = await send(`${bench().url}/v1/usage`, { headers: { authorization: `Bearer ${own}` } });
    assert.equal(usage.body.checks.used, 1);
    const other = await postForm(check(), own, 'file', [makeBmp(300, 300)], {}, headers);
    assertError(other, 409, 'idempotency_mismatch');
    assertError(
      await postForm(check(), own, 'file', [SCENE_JPEG], {}, { 'idempotency-key': 'a b' }),
      400,
      'invalid_request',
    );
  });

  it('is refused without a charge if it is empty, on every route that accepts one', async () => {
    const own = await bench().newKey();
    const headers = { 'idempotency-key': '' };
    const files: readonly (readonly [string, string])[] = [
      ['/v1/check', 'file'],
      ['/v1/check/batch', 'files'],
      ['/v1/checks/chk_01ARZ3NDEKTSV4RRFFQ69G5FAV/appeals', 'file'],
    ];
    for (const [path, field] of files) {
      const answer = await postForm(`${bench().url}${path}`, own, field, [SCENE_JPEG], {}, headers);
      assertError(answer, 400, 'invalid_request', /1 to 255 printable ASCII characters/);
      assert.equal(answer.body.error.param, 'Idempotency-Key');
    }
    if (bench().database.dialect === 'postgres') {
      const items = { items: [{ url: 'https://example.com/a.jpg' }] };
      assertError(await postJson(`${bench().url}/v1/scans`, own, items, headers), 400, 'invalid_request');
    }
    const usage = await send(`${bench().url}/v1/usage`, { headers: { authorization: `Bearer ${own}` } });
    assert.equal(usage.body.checks.used, 0);
  });

  it('is refused without a charge if the account has too many stored responses', async () => {
    const { database } = bench();
    const account = 'full of answers';
    const [own, sandbox] = [
      await bench().newKey({ account }),
      await bench().newKey({ account, sandbox: true }),
    ];
    const ask = (by: string, name?: string) =>
      postForm(check(), by, 'file', [SCENE_JPEG], {}, name === undefined ? {} : { 'idempotency-key': name });
    const first = await ask(own, 'first');
    assert.equal((await ask(sandbox, 'first')).status, 200);
    const rows = () => database.run<StoredRow[]>((queries) => queries('stored_answers').select());
    const mine = { account_id: (await findKey(database, readKeyId(own)!))!.accountId };
    const stored = (await rows()).filter((row) => row.account_id === mine.account_id);
    assert.deepEqual(stored.map(({ kind }) => kind).sort(), ['live', 'sandbox']);
    assert.ok(stored.every(({ bytes }) => bytes > 512 && bytes < 4096));
    await database.run((queries) =>
      queries('stored_answers')
        .where({ ...mine, kind: 'live' })
        .update({ bytes: MAX_STORED_BYTES.live }),
    );
    const full = await ask(own, 'second');
    assertError(full, 429, 'storage_full', /16000 MB\. Send the request without Idempotency-Key/);
    assert.equal(full.headers.get('retry-after'), '3600');
    assert.equal((await ask(own, 'first')).text, first.text);
    assert.equal((await ask(own)).status, 200);
    assert.equal((await ask(sandbox, 'second')).status, 200);
    const usage = await send(`${bench().url}/v1/usage`, { headers: { authorization: `Bearer ${own}` } });
    assert.equal(usage.body.checks.used, 2);
    // Makes the stored responses more than a day old, so that they are expired.
    await database.run((queries) => queries('stored_answers').where(mine).decrement('hour', 25));
    assert.equal((await ask(own, 'second')).status, 200);
    await sweepKeys(database);
    const left = (await rows()).filter((row) => row.account_id === mine.account_id);
    assert.deepEqual(
      left.map(({ kind }) => kind),
      ['live'],
    );
  });

  it('is accepted again if its first request was refused', async () => {
    const headers = { 'idempotency-key': 'order-2' };
    assertError(
      await postForm(check(), key, 'file', [makeBmp(300, 200)], {}, headers),
      422,
      'image_too_small',
    );
    const { status, headers: received } = await postForm(check(), key, 'file', [SCENE_JPEG], {}, headers);
    assert.equal(status, 200);
    assert.equal(received.get('idempotent-replayed'), null);
  });

  it('is separate for each account, and bound to path, options and image', async () => {
    const headers = { 'idempotency-key': 'order-3' };
    const [mine, other] = [await bench().newKey(), await bench().newKey()];
    const first = await postForm(check(), mine, 'file', [SCENE_JPEG], {}, headers);
    const theirs = await postForm(check(), other, 'file', [SCENE_JPEG], {}, headers);
    assert.equal(theirs.status, 200);
    assert.notEqual(theirs.body.id, first.body.id);
    assert.equal(theirs.headers.get('idempotent-replayed'), null);
    const changed = [
      await postForm(check(), mine, 'file', [SCENE_JPEG], { profile: 'strict' }, headers),
      await postForm(`${check()}?store=1`, mine, 'file', [SCENE_JPEG], {}, headers),
      await postForm(`${check()}/batch`, mine, 'files', [SCENE_JPEG], {}, headers),
    ];
    for (const answer of changed) assertError(answer, 409, 'idempotency_mismatch');
    const spelledOtherwise = await send(check(), {
      method: 'POST',
      headers: { ...headers, authorization: `Bearer ${mine}`, 'content-type': 'application/json' },
      body: JSON.stringify({ image_b64: SCENE_JPEG.toString('base64') }),
    });
    assert.equal(spelledOtherwise.text, first.text);
  });

  it('is refused with a different image while the first request runs', async () => {
    const headers = { 'idempotency-key': 'order-4' };
    const own = await bench().newKey();
    const answers = await Promise.all(
      [makeBmp(300, 300), makeBmp(300, 301)].map((image) =>
        postForm(check(), own, 'file', [image], {}, headers),
      ),
    );
    const [done, refused] = answers.sort((a, b) => a.status - b.status);
    assert.equal(done?.status, 200);
    assert.ok(refused);
    assertError(refused, 409, 'idempotency_mismatch');
  });

  it('repeats the response to a batch with results and errors, but not the response to a batch with only errors', async () => {
    const own = await bench().newKey();
    const send = (name: string, images: readonly Buffer[]): ReturnType<typeof postForm> =>
      postForm(`${check()}/batch`, own, 'files', images, {}, { 'idempotency-key': name });
    const mixed = [SCENE_JPEG, Buffer.from('none')];
    assert.equal((await send('batch-1', mixed)).text, (await send('batch-1', mixed)).text);
    assert.equal((await send('batch-2', [Buffer.from('none')])).status, 200);
    const again = await send('batch-2', [Buffer.from('none')]);
    assert.equal(again.headers.get('idempotent-replayed'), null);
  });

  it('repeats the stored response even if the quota is used up', async () => {
    const headers = { 'idempotency-key': 'order-5' };
    const own = await bench().newKey({ plan: 'free', account: 'at the end' });
    const first = await postForm(check(), own, 'file', [SCENE_JPEG], {}, headers);
    await bench().database.run((queries) =>
      queries('usage_periods').where({ plan: 'free' }).update({ checks: 200 }),
    );
    assertError(await postForm(check(), own, 'file', [SCENE_JPEG]), 429, 'quota_exceeded');
    assert.equal((await postForm(check(), own, 'file', [SCENE_JPEG], {}, headers)).text, first.text);
  });
});
