// Tests appeals: comparing an original with the checked image, errors, limits and Idempotency-Key.
import assert from 'node:assert/strict';
import sharp from 'sharp';
import { readKeyId } from '../../../src/accounts/key-text.js';
import { findKey } from '../../../src/accounts/keys.js';
import { keepHashes } from '../../../src/accounts/seen/seen.js';
import { readValue } from '../../../src/record/verify/read-record.js';
import { appealRequests, met, ORIGINAL, OTHER, readAppeal } from '../../support/appeals.js';
import { makeFolder } from '../../support/folders.js';
import { drawBmp, readFixture } from '../../support/images.js';
import {
  assertError,
  describeServiceOnEachDatabase,
  postForm,
  postJson,
  send,
  type ServiceBench,
} from '../../support/service.js';

const tests = (bench: () => ServiceBench): void => {
  const { path, appeal, list, check, newLink, accountOf } = appealRequests(bench);
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
      const made = readAppeal(await appeal(id, key, ORIGINAL, { remark: 'taken by me' }));
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
    const other = readAppeal(await appeal(stored, key, OTHER));
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
    for (let times = 0; times < 3; times += 1)
      readAppeal(await appeal(id, key, readFixture('jpeg/scene.jpg')));
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
    assert.equal(readAppeal(byLink).by, 'link');
    const [first, twin] = await Promise.all([
      appeal(id, key, ORIGINAL, {}, once),
      appeal(id, key, ORIGINAL, {}, once),
    ]);
    assert.equal(readAppeal(first).by, 'account');
    assert.equal(twin.text, first.text);
    assertError(await appeal(id, key, OTHER, {}, once), 409, 'idempotency_mismatch');
    await database.run((queries) => queries('rate_limits').where({ plan: 'appeals' }).delete());
    const small = await sharp(ORIGINAL).resize(200).png().toBuffer();
    const last = { 'idempotency-key': 'order-2' };
    assertError(await appeal(id, key, small, {}, last), 422, 'image_too_small');
    readAppeal(await appeal(id, key, OTHER, {}, last));
    // A repeated request gets its response and uses no attempt.
    for (const [bearer, original, headers] of [
      [token, ORIGINAL, once],
      [key, OTHER, last],
    ] as const) {
      const again = await appeal(id, bearer, original, {}, headers);
      assert.equal(readAppeal(again).check_id, id);
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

  it('may have a remark of 1,000 characters in any script, but no longer one', async () => {
    const key = await bench().newKey();
    const id = await check(key, await met());
    for (const remark of ['ü'.repeat(1000), '日'.repeat(1000)])
      assert.equal(readAppeal(await appeal(id, key, ORIGINAL, { remark })).remark, remark);
    assertError(await appeal(id, key, ORIGINAL, { remark: 'ü'.repeat(1001) }), 400, 'invalid_request');
  });
};

describeServiceOnEachDatabase('appeals against verdicts', tests, {
  store: { kind: 'folder', path: makeFolder('appeals') },
});
