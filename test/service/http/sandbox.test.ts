// Tests sandbox keys on both databases: fixed results, nothing charged or stored, and realistic errors.
import assert from 'node:assert/strict';
import { ERROR_CODE_NAMES, ERROR_STATUS } from '../../../src/library/base/error-codes.js';
import { findKey } from '../../../src/accounts/keys.js';
import { readKeyId } from '../../../src/accounts/key-text.js';
import { SCENE_JPEG } from '../../support/images.js';
import {
  assertError,
  describeServiceOnEachDatabase,
  postForm,
  postJson,
  send,
  type Answer,
} from '../../support/service.js';

/** Any bytes will do as an image, because nothing decodes them. */
const BYTES = Buffer.from('any bytes');
const BASE64 = BYTES.toString('base64');

describeServiceOnEachDatabase('a sandbox API key', (bench) => {
  const check = (): string => `${bench().url}/v1/check`;
  const newKey = (plan = 'scale', account?: string): Promise<string> =>
    bench().newKey({ sandbox: true, plan, ...(account !== undefined && { account }) });
  let key: string;
  before(async () => {
    key = await newKey();
  });

  const upload = (path: string, name: string, files: readonly string[], own = key): Promise<Answer> => {
    const form = new FormData();
    for (const file of files) form.append(name, new Blob([BYTES]), file);
    return send(`${bench().url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${own}` },
      body: form,
    });
  };

  it('has a prefix by which it is recognized', () => {
    assert.match(key, /^tt_test_[0-9a-z]{8}_[0-9a-z]{32}$/);
  });

  it('gets every possible result in every profile, marked as sandbox, in the format of a real result', async () => {
    const expected = {
      genuine: [[], 'no_ai_detected'],
      ai: [['full_image_specialist'], 'likely_ai'],
      face: [['face_specialist'], 'likely_ai'],
      credentials: [['content_credentials'], 'likely_ai'],
      unclear: [[], 'unclear'],
    } as const;
    const real = await postForm(check(), await bench().newKey(), 'file', [SCENE_JPEG]);
    for (const [sandbox, [fired, assessment]] of Object.entries(expected))
      for (const profile of ['strict', 'balanced']) {
        const { status, body, text } = await postForm(check(), key, 'file', [BYTES], {
          sandbox,
          profile,
          include: 'assessment',
          ref: 'r1',
        });
        assert.equal(status, 200, text);
        assert.deepEqual(
          [body.fired, body.is_ai, body.profile, body.ref],
          [fired, fired.length > 0, profile, 'r1'],
        );
        assert.equal(body.details?.assessment, assessment);
        assert.equal(body.sandbox, true);
        assert.equal(body.bands_version, real.body.bands_version);
        const beside = ['ref', 'details', 'sandbox'];
        assert.deepEqual(Object.keys(body), [...Object.keys(real.body), ...beside]);
      }
    const { body } = await postForm(check(), key, 'file', [BYTES], {
      sandbox: 'unclear',
      profile: 'sensitive',
      include: 'assessment,heatmap,faces,thresholds,warnings,marks,reasons,credentials,timings',
    });
    assert.deepEqual([body.is_ai, body.details?.assessment], [true, 'unclear']);
    assert.equal(body.details?.heatmap?.patches.length, 12);
  });

  it('gets the result that the file name or address chooses, and the address is not fetched', async () => {
    for (const [name, fired] of [
      ['AI.jpg', 'full_image_specialist'],
      ['folder/face-2.png', 'face_specialist'],
      ['airplane.jpg', undefined],
    ] as const)
      assert.equal((await upload('/v1/check', 'file', [name])).body.fired[0], fired, name);
    const { status, body } = await upload('/v1/check', 'file', ['image_too_small_2.jpg']);
    assert.deepEqual([status, body.error.code, body.error.param], [422, 'image_too_small', 'file']);
    const address = 'http://ai.invalid/a/credentials.jpg?x=1';
    assert.deepEqual((await postJson(check(), key, { image_url: address })).body.fired, [
      'content_credentials',
    ]);
    assert.equal((await postJson(check(), key, { image_b64: BASE64, sandbox: 'ai' })).body.is_ai, true);
    // The sandbox option takes precedence over the file name, which asks for another result.
    const form = new FormData();
    form.append('file', new Blob([BYTES]), 'ai.jpg');
    const asked = await send(`${check()}?sandbox=genuine`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
      body: form,
    });
    assert.equal(asked.body.is_ai, false);
  });

  it('gets every error with its real status and headers, and no failure is logged or counted', async () => {
    for (const code of ERROR_CODE_NAMES) {
      const { status, headers, body } = await postForm(check(), key, 'file', [BYTES], { sandbox: code });
      assert.equal(status, ERROR_STATUS[code]);
      assert.deepEqual(Object.keys(body), ['error', 'sandbox']);
      assert.deepEqual([body.error.code, body.error.request_id], [code, headers.get('x-request-id')]);
      if (['rate_limited', 'overloaded', 'unavailable'].includes(code)) assert.ok(headers.get('retry-after'));
    }
    const short = await postForm(check(), key, 'file', [BYTES], { sandbox: 'too_small' });
    assert.equal(short.body.error.code, 'image_too_small');
    assert.ok(!bench().logged.some((line) => line.includes('request failed')));
    const metrics = await (await fetch(`${bench().url}/metrics`)).text();
    assert.doesNotMatch(metrics, /code="(unavailable|internal_error)"/);
  });

  it('gets a result for each image of a batch, or one error for the whole batch', async () => {
    const batch = await upload('/v1/check/batch', 'files', [
      'ai.jpg',
      'x.jpg',
      'corrupt.gif',
      'internal_error.jpg',
    ]);
    const [ai, genuine, corrupt, internal] = batch.body.results;
    assert.deepEqual(
      [ai?.is_ai, genuine?.is_ai, corrupt?.error?.code, internal?.error?.code],
      [true, false, 'image_corrupt', 'internal_error'],
    );
    assert.ok([batch.body, ...batch.body.results].every(({ sandbox }) => sandbox === true));
    const two = { images: [{ image_b64: BASE64 }, { image_b64: BASE64, ref: 'b' }] };
    const each = await postJson(`${check()}/batch`, key, { ...two, sandbox: ['face', 'too_small'] });
    assert.deepEqual(
      each.body.results.map(({ fired, error }) => error?.code ?? fired[0]),
      ['face_specialist', 'image_too_small'],
    );
    const one = await postJson(`${check()}/batch?sandbox=ai`, key, two);
    assert.deepEqual(
      one.body.results.map(({ is_ai, ref }) => [is_ai, ref]),
      [
        [true, undefined],
        [true, 'b'],
      ],
    );
    assert.equal(
      (await postJson(`${check()}/batch?sandbox=ai,face,ai`, key, two)).body.error.param,
      'sandbox',
    );
    assert.equal((await postJson(`${check()}/batch?sandbox=quota_exceeded`, key, two)).status, 429);
    const free = await newKey('free');
    assert.equal((await postJson(`${check()}/batch`, free, two)).body.error.code, 'plan_required');
  });

  it('has its requests validated like those of a normal key', async () => {
    const refused: readonly [Promise<Answer>, string][] = [
      [postForm(check(), key, 'file', [BYTES], { sandbox: 'nothing' }), 'invalid_request'],
      [postForm(check(), key, 'file', [BYTES, BYTES]), 'invalid_request'],
      [postForm(check(), key, 'file', [Buffer.alloc(0)]), 'invalid_request'],
      [postForm(check(), key, 'file', [BYTES], { profile: 'harsh' }), 'invalid_request'],
      [postForm(check(), key, 'file', [BYTES], { include: 'record' }), 'invalid_request'],
      [postForm(`${check()}?sandbox=ai`, key, 'file', [BYTES], { sandbox: 'face' }), 'invalid_request'],
      [postJson(check(), key, { image_b64: '%' }), 'invalid_base64'],
      [postJson(check(), key, { image_url: 'ftp://a' }), 'invalid_url'],
      [postForm(check(), key, 'file', [Buffer.alloc(21 * 1_048_576)]), 'image_too_large'],
      [
        send(check(), {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'text/plain' },
          body: 'x',
        }),
        'unsupported_media_type',
      ],
      [postForm(check(), `${key.slice(0, -1)}~`, 'file', [BYTES]), 'unauthorized'],
      [postForm(check(), key.replace('tt_test_', 'tt_live_'), 'file', [BYTES]), 'unauthorized'],
    ];
    for (const [answer, code] of refused) assert.equal((await answer).body.error.code, code);
  });

  it('gets repeated responses by Idempotency-Key, separately from real checks', async () => {
    const account = 'a tester';
    const [own, live] = [await newKey('scale', account), await bench().newKey({ account })];
    const headers = { 'idempotency-key': 'order-1' };
    const ask = (by: string, fields: Record<string, string>) =>
      postForm(check(), by, 'file', [BYTES], fields, headers);
    const first = await ask(own, { sandbox: 'ai' });
    const again = await ask(own, { sandbox: 'ai' });
    assert.deepEqual([again.text, again.headers.get('idempotent-replayed')], [first.text, 'true']);
    assert.equal((await ask(own, { sandbox: 'face' })).body.error.code, 'idempotency_mismatch');
    assertError(await ask(live, {}), 415, 'unsupported_format');
  });

  it('gets the first batch response repeated with its file names, errors and details', async () => {
    const own = await newKey();
    const include = 'heatmap,faces,credentials,timings,thresholds,warnings,marks,reasons,assessment';
    const ask = (names: readonly string[]): Promise<Answer> => {
      const form = new FormData();
      for (const name of names) form.append('files', new Blob([BYTES]), name);
      form.append('include', include);
      return send(`${check()}/batch`, {
        method: 'POST',
        headers: { authorization: `Bearer ${own}`, 'idempotency-key': 'order-2' },
        body: form,
      });
    };
    const first = await ask(['ai.jpg', 'too_small.jpg', 'face.jpg', 'credentials.jpg']);
    assert.equal(first.status, 200, first.text);
    const again = await ask(['genuine.jpg', 'a.jpg', 'b.jpg', 'c.jpg']);
    assert.deepEqual([again.text, again.headers.get('idempotent-replayed')], [first.text, 'true']);
    const accountId = (await findKey(bench().database, readKeyId(own)!))!.accountId;
    const [row] = await bench().database.run<{ answer: string }[]>((queries) =>
      queries('idempotency_keys').where({ account_id: accountId }).select('answer'),
    );
    assert.ok(row && first.text.length > 5000 && row.answer.length < 400, row?.answer);
  });

  it('is not charged, stores nothing, reads nothing of the account and has a separate rate limit', async () => {
    const account = 'another tester';
    const live = await bench().newKey({ account, plan: 'free' });
    const own = await newKey('free', account);
    // Far more requests than the burst, because the plan allows another one each second.
    const answers = await Promise.all(
      Array.from({ length: 25 }, () => upload('/v1/check', 'file', ['ai.jpg'], own)),
    );
    assert.ok(answers.some(({ status }) => status === 429));
    assert.ok(answers.every(({ body }) => body.sandbox === true || body.error.code === 'rate_limited'));
    const usage = await send(`${bench().url}/v1/usage`, { headers: { authorization: `Bearer ${live}` } });
    assert.equal(usage.body.checks.used, 0, usage.text);
    const tables = await bench().database.run((queries) => queries('checks').count({ count: '*' }));
    assert.equal(Number(tables[0]?.count), 1, 'the one real check above');
    const patient = await newKey();
    for (const path of ['usage', 'checks', 'checks/chk_01ARZ3NDEKTSV4RRFFQ69G5FAV', 'scans'])
      assert.equal(
        (await send(`${bench().url}/v1/${path}`, { headers: { authorization: `Bearer ${patient}` } })).body
          .error.code,
        'forbidden',
        path,
      );
  });

  it('may use the sandbox option, which is refused for a normal key', async () => {
    const live = await bench().newKey();
    assertError(
      await postForm(check(), live, 'file', [BYTES], { sandbox: 'genuine' }),
      400,
      'invalid_request',
      /sandbox key/,
    );
  });
});
