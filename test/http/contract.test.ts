// The specification's tables row by row, over real HTTP against a real engine, on both databases.
import assert from 'node:assert/strict';
import { Value } from '@sinclair/typebox/value';
import { createEngine } from '../../src/engine/engine.js';
import { BatchResult, CheckResult, UsageRecord } from '../../src/http/schemas.js';
import { makeBmp, readFixture, SCENE_JPEG } from '../support/pictures.js';
import { assertError, describeServiceOnEachDatabase, postForm, postJson, send } from '../support/service.js';

const b64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const MIB = 1_048_576;

/** A row of kept images. */
interface KeptRow {
  readonly size_bytes: number;
  readonly stored_at: number | null;
}

/** A BMP made larger with bytes that its header does not promise. */
const padded = (sizeBytes: number): Buffer => Buffer.concat([makeBmp(300, 300)], sizeBytes);

describeServiceOnEachDatabase('the specification', (bench) => {
  let key: string;
  let lowQuality: Buffer;
  const check = (): string => `${bench().url}/v1/check`;
  const batch = (): string => `${bench().url}/v1/check/batch`;

  before(async () => {
    key = await bench().newKey();
    const modelsDir = process.env.TELLTALE_MODELS_DIR;
    const engine = await createEngine({ ...(modelsDir !== undefined && { modelsDir }), device: 'cpu', threads: 1 });
    lowQuality = Buffer.from(await engine.recompress(SCENE_JPEG, { longSidePx: 288, quality: 40 }));
    await engine.close();
  });

  describe('2.1 and 4.1: a check', () => {
    it('answers with the fields of the table', async () => {
      const { status, body, headers } = await postForm(check(), key, 'file', [SCENE_JPEG]);
      assert.equal(status, 200);
      assert.deepEqual([...Value.Errors(CheckResult, body)], []);
      assert.deepEqual(Object.keys(body).sort(), [
        'bands_version', 'content_credentials', 'face_box', 'face_found', 'fired', 'id', 'image', 'image_stored', 'is_ai',
        'latency_ms', 'model', 'profile', 'reason', 'scores',
      ]); // prettier-ignore
      assert.deepEqual(body.content_credentials, { found: false });
      assert.deepEqual(body.image, { width: 288, height: 256 });
      assert.equal(body.face_found, false);
      assert.equal(body.face_box, null);
      assert.equal(body.scores.face_specialist, null);
      assert.equal(body.is_ai, body.fired.length > 0);
      assert.equal(body.image_stored, false);
      assert.equal(body.profile, 'balanced');
      assert.match(headers.get('content-type')!, /^application\/json/);
    });

    it('gives the same scores for the three ways of sending', async () => {
      const answers = [
        await postForm(check(), key, 'file', [SCENE_JPEG]),
        await postJson(check(), key, { image_b64: b64(SCENE_JPEG) }),
        // As PHP writes it.
        await send(check(), {
          method: 'POST',
          headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
          body: `{"image_b64" : "${b64(SCENE_JPEG).replaceAll('/', '\\/')}"}`,
        }),
      ];
      for (const answer of answers) assert.deepEqual(answer.body.scores, answers[0]!.body.scores);
      assert.equal(new Set(answers.map(({ body }) => body.id)).size, 3);
    });

    for (const name of ['jpeg/scene.jpg', 'png/scene.png', 'webp/scene.webp', 'avif/scene.avif', 'gif/scene.gif', 'tiff/scene.tif']) {
      it(`takes ${name}`, async () => {
        const { status, body } = await postForm(check(), key, 'file', [readFixture(name)]);
        assert.equal(status, 200);
        assert.deepEqual(body.image, { width: 288, height: 256 });
      });
    }

    it('takes BMP, and looks at the bytes and not at the name or type', async () => {
      const form = new FormData();
      form.append('file', new Blob([new Uint8Array(makeBmp(300, 256))], { type: 'image/png' }), 'a.jpg');
      const { status } = await send(check(), { method: 'POST', headers: { authorization: `Bearer ${key}` }, body: form });
      assert.equal(status, 200);
    });

    it('takes options from query, form and JSON, and refuses contradictions', async () => {
      const byQuery = await postForm(`${check()}?profile=strict&include=thresholds`, key, 'file', [SCENE_JPEG]);
      const byForm = await postForm(check(), key, 'file', [SCENE_JPEG], { profile: 'strict', include: 'thresholds' });
      const byJson = await postJson(check(), key, { image_b64: b64(SCENE_JPEG), profile: 'strict', include: ['thresholds'] });
      for (const { body } of [byQuery, byForm, byJson]) {
        assert.equal(body.profile, 'strict');
        assert.deepEqual(Object.keys(body.details ?? {}), ['thresholds']);
      }
      const twice = await postForm(`${check()}?store=1`, key, 'file', [SCENE_JPEG], { store: 'true' });
      assert.equal(twice.body.image_stored, true);
      const torn = await postForm(`${check()}?store=false`, key, 'file', [SCENE_JPEG], { store: 'true' });
      assertError(torn, 400, 'invalid_request', /'store' is given more than once/);
      assertError(await postForm(`${check()}?profile=loose`, key, 'file', [SCENE_JPEG]), 400, 'invalid_request', /strict/);
      assertError(await postForm(`${check()}?colour=1`, key, 'file', [SCENE_JPEG]), 400, 'invalid_request', /'colour'/);
      assertError(await postJson(check(), key, { image_b64: 'AAAA', include: ['all'] }), 400, 'invalid_request');
    });

    it('adds all details that are asked for', async () => {
      const include = 'heatmap,faces,credentials,timings,thresholds,warnings';
      const { body } = await postForm(check(), key, 'file', [SCENE_JPEG], { include });
      assert.deepEqual(Object.keys(body.details ?? {}).sort(), include.split(',').sort());
      const { patches } = body.details?.heatmap as { patches: unknown[] };
      assert.ok(patches.length > 0);
    });

    it('keeps the original where store is set, once per content', async () => {
      const picture = makeBmp(301, 300);
      const account = 'keeper of pictures';
      const own = await bench().newKey({ account });
      for (let time = 0; time < 2; time += 1) {
        assert.equal((await postForm(check(), own, 'file', [picture], { store: '1' })).body.image_stored, true);
      }
      const rows = await bench().database.run((queries) =>
        queries<KeptRow>('images').join('accounts', 'accounts.id', 'images.account_id').where('accounts.name', account).select<KeptRow[]>('images.*'),
      );
      assert.equal(rows.length, 1);
      assert.equal(rows[0]?.size_bytes, picture.length);
      assert.ok(rows[0].stored_at);
    });
  });

  describe('4.2: a batch', () => {
    it('keeps the order, gives bad images their own entry, charges the others', async () => {
      const own = await bench().newKey({ plan: 'growth' });
      const files = [SCENE_JPEG, Buffer.from('not a picture'), readFixture('png/scene.png'), makeBmp(100, 300), lowQuality];
      const { status, body } = await postForm(batch(), own, 'files', files, { include: 'timings' });
      assert.equal(status, 200);
      assert.deepEqual([...Value.Errors(BatchResult, body)], []);
      assert.deepEqual(Object.keys(body).sort(), ['bands_version', 'latency_ms', 'model', 'results']);
      const codes = body.results.map((entry) => entry.error?.code ?? 'checked');
      assert.deepEqual(codes, ['checked', 'unsupported_format', 'checked', 'image_too_small', 'jpeg_quality_too_low']);
      const usage = await send(`${bench().url}/v1/usage`, { headers: { authorization: `Bearer ${own}` } });
      assert.equal(usage.body.checks.used, 2);
    });

    it('takes JSON items, and a bad address or base64 is an entry', async () => {
      const images = [{ image_b64: b64(SCENE_JPEG) }, { image_b64: '!' }, { image_url: 'ftp://example.org/' }, { image_url: 'http://127.0.0.1/' }];
      const { status, body } = await postJson(batch(), key, { images, store: true });
      assert.equal(status, 200);
      const [first, ...others] = body.results;
      assert.equal(first?.image_stored, true);
      assert.deepEqual(others.map((entry) => entry.error?.code), ['invalid_base64', 'invalid_url', 'url_not_public']);
    });

    it('refuses as a whole: none, nine, malformed items, another plan', async () => {
      assertError(await postJson(batch(), key, { images: [] }), 400, 'invalid_batch', /1 to 8/);
      const nine = Array.from({ length: 9 }, () => ({ image_b64: 'AAAA' }));
      assertError(await postJson(batch(), key, { images: nine }), 400, 'invalid_batch', /received 9/);
      assertError(await postForm(batch(), key, 'files', Array.from({ length: 9 }, () => SCENE_JPEG)), 400, 'invalid_batch');
      assertError(await postJson(batch(), key, { images: [{}] }), 400, 'invalid_request', /neither/);
      assertError(await postJson(batch(), key, { images: [{ image_b64: 'AAAA', extra: 1 }] }), 400, 'invalid_request');
      for (const plan of ['free', 'starter']) {
        const own = await bench().newKey({ plan });
        assertError(await postJson(batch(), own, { images: [{ image_b64: b64(SCENE_JPEG) }] }), 403, 'plan_required');
      }
    });

    it('is refused whole where the quota has less left', async () => {
      const own = await bench().newKey({ plan: 'growth', account: 'nearly out' });
      await bench().database.run(async (queries) => {
        const account = await queries<{ id: string; name: string }>('accounts').where({ name: 'nearly out' }).first();
        const period = new Date().toISOString().slice(0, 7);
        await queries('usage_periods').insert({ account_id: account?.id, plan: 'growth', period, checks: 49_999 });
      });
      const two = await postForm(batch(), own, 'files', [SCENE_JPEG, SCENE_JPEG]);
      assertError(two, 429, 'quota_exceeded', /1 are left; this call needs 2/);
      assert.equal((await postForm(batch(), own, 'files', [SCENE_JPEG])).status, 200);
      assertError(await postForm(check(), own, 'file', [SCENE_JPEG]), 429, 'quota_exceeded');
    });
  });

  describe('4.3: usage', () => {
    it('has the record of the decisions', async () => {
      const own = await bench().newKey({ plan: 'growth' });
      await postForm(check(), own, 'file', [SCENE_JPEG]);
      const read = (query = ''): ReturnType<typeof send> =>
        send(`${bench().url}/v1/usage${query}`, { headers: { authorization: `Bearer ${own}` } });
      const { body } = await read();
      assert.deepEqual([...Value.Errors(UsageRecord, body)], []);
      const today = new Date().toISOString().slice(0, 10);
      assert.equal(body.plan, 'growth');
      assert.equal(body.period.start, `${today.slice(0, 7)}-01T00:00:00Z`);
      assert.deepEqual(body.checks, { used: 1, quota: 50_000, remaining: 49_999 });
      assert.deepEqual(body.days.at(-1), { date: today, checks: 1 });
      assert.equal(body.days[0]?.date, `${today.slice(0, 7)}-01`);
      const chosen = await read('?from=2024-02-28&to=2024-03-01');
      assert.deepEqual(chosen.body.days.map((day) => day.date), ['2024-02-28', '2024-02-29', '2024-03-01']);
      for (const query of ['?from=2024-02-30', '?from=2024-03-01&to=2024-02-01', '?from=2022-01-01&to=2024-01-01', '?since=1']) {
        assertError(await read(query), 400, 'invalid_request');
      }
    });

    it('has no quota on the plan scale', async () => {
      const { body } = await send(`${bench().url}/v1/usage`, { headers: { authorization: `Bearer ${key}` } });
      assert.equal(body.checks.quota, null);
      assert.equal(body.checks.remaining, null);
    });
  });

  describe('5: authentication', () => {
    it('answers the four faults of a key in the same words', async () => {
      const revoked = await bench().newKey();
      await bench().database.run((queries) => queries('api_keys').where({ id: revoked.slice(8, 16) }).update({ revoked_at: 1 }));
      const headers = [undefined, 'Bearer', 'Basic abc', 'Bearer tt_live_nonsense', `Bearer tt_live_00000000_${'0'.repeat(32)}`, `Bearer ${revoked}`, `Bearer ${key.slice(0, -1)}~`];
      const texts = new Set<string>();
      for (const authorization of headers) {
        const answer = await send(`${bench().url}/v1/usage`, { headers: authorization === undefined ? {} : { authorization } });
        assertError(answer, 401, 'unauthorized');
        assert.equal(answer.headers.get('www-authenticate'), 'Bearer');
        texts.add(answer.body.error.message);
      }
      assert.equal(texts.size, 1);
    });

    it('holds a key to its scopes', async () => {
      const own = await bench().newKey({ scopes: ['usage'] });
      assertError(await postForm(check(), own, 'file', [SCENE_JPEG]), 401, 'unauthorized', /scope 'check'/);
      assert.equal((await send(`${bench().url}/v1/usage`, { headers: { authorization: `Bearer ${own}` } })).status, 200);
    });

    it('revocation takes effect within a second', async () => {
      const own = await bench().newKey();
      const read = (): ReturnType<typeof send> => send(`${bench().url}/v1/usage`, { headers: { authorization: `Bearer ${own}` } });
      assert.equal((await read()).status, 200);
      await bench().database.run((queries) => queries('api_keys').where({ id: own.slice(8, 16) }).update({ revoked_at: 1 }));
      await new Promise((resolve) => setTimeout(resolve, 1000));
      assertError(await read(), 401, 'unauthorized');
    });
  });

  describe('7 and 8: refusals, none of them charged', () => {
    const refusals: readonly [string, () => Promise<Awaited<ReturnType<typeof send>>>, number, string, RegExp?][] = [
      ['no way of sending', () => postJson(check(), key, {}), 400, 'invalid_request', /neither/],
      ['two ways', () => postJson(check(), key, { image_url: 'http://example.org/', image_b64: 'AAAA' }), 400, 'invalid_request', /both/],
      ['two files', () => postForm(check(), key, 'file', [SCENE_JPEG, SCENE_JPEG]), 400, 'invalid_request', /2 images/],
      ['an unknown member', () => postJson(check(), key, { image_b64: 'AAAA', url: 1 }), 400, 'invalid_request', /'url'/],
      ['a wrong type', () => postJson(check(), key, { image_b64: 7 }), 400, 'invalid_request', /a string/],
      ['empty base64', () => postJson(check(), key, { image_b64: '' }), 400, 'invalid_base64'],
      ['URL-safe base64', () => postJson(check(), key, { image_b64: 'AA-_' }), 400, 'invalid_base64'],
      ['unpadded base64', () => postJson(check(), key, { image_b64: 'AAA' }), 400, 'invalid_base64'],
      ['a data address', () => postJson(check(), key, { image_b64: 'data:image/png;base64,AAAA' }), 400, 'invalid_base64', /data:/],
      ['a relative address', () => postJson(check(), key, { image_url: '/a.jpg' }), 400, 'invalid_url'],
      ['a password', () => postJson(check(), key, { image_url: 'http://me:secret@example.org/' }), 400, 'invalid_url'],
      ['a private address', () => postJson(check(), key, { image_url: 'http://10.1.2.3/a.jpg' }), 400, 'url_not_public'],
      ['another content type', () => send(check(), { method: 'POST', headers: { authorization: `Bearer ${key}`, 'content-type': 'image/jpeg' }, body: new Uint8Array(SCENE_JPEG) }), 415, 'unsupported_media_type'],
      ['text', () => postForm(check(), key, 'file', [Buffer.from('hello')]), 415, 'unsupported_format'],
      ['a small picture', () => postForm(check(), key, 'file', [makeBmp(300, 255)]), 422, 'image_too_small', /300 × 255/],
      ['low JPEG quality', () => postForm(check(), key, 'file', [lowQuality]), 422, 'jpeg_quality_too_low', /quality 40/],
      ['a truncated picture', () => postForm(check(), key, 'file', [SCENE_JPEG.subarray(0, 9000)]), 422, 'image_corrupt'],
      ['too many pixels', () => postForm(check(), key, 'file', [hugeBmp()]), 422, 'image_too_many_pixels'],
      ['over 20 MB as a file', () => postForm(check(), key, 'file', [padded(20 * MIB + 1)]), 413, 'image_too_large'],
      ['over 20 MB as base64', () => postJson(check(), key, { image_b64: b64(padded(20 * MIB + 1)) }), 413, 'image_too_large'],
      ['over 25 MB in a batch', () => postForm(batch(), key, 'files', [padded(13 * MIB), padded(13 * MIB)]), 413, 'batch_too_large'],
    ]; // prettier-ignore

    for (const [name, act, status, code, message] of refusals) {
      it(`${code}: ${name}`, async () => assertError(await act(), status, code, message));
    }

    it('left no check and no charge', async () => {
      const own = await bench().newKey({ plan: 'growth' });
      const before = await countChecks();
      await postForm(check(), own, 'file', [makeBmp(300, 255)]);
      await postForm(check(), own, 'file', [SCENE_JPEG.subarray(0, 9000)]);
      assert.equal(await countChecks(), before);
    });

    it('takes a picture of exactly 20 MiB', async () => {
      assert.equal((await postForm(check(), key, 'file', [padded(20 * MIB)])).status, 200);
      assert.equal((await postJson(check(), key, { image_b64: b64(padded(20 * MIB)) })).status, 200);
    });

    it('one image over 20 MB in a batch is refused in its entry', async () => {
      const { body } = await postForm(batch(), key, 'files', [SCENE_JPEG, padded(21 * MIB)]);
      assert.equal(body.results[0]?.error, undefined);
      assert.equal(body.results[1]?.error?.code, 'image_too_large');
    });

    it('404 and 405 with Allow', async () => {
      assertError(await send(`${bench().url}/v2/check`), 404, 'not_found');
      const answer = await send(check());
      assertError(answer, 405, 'method_not_allowed');
      assert.equal(answer.headers.get('allow'), 'POST');
    });

    function countChecks(): Promise<number> {
      return bench().database.run(async (queries) => (await queries('checks').select('id')).length);
    }
  });

  describe('idempotency', () => {
    it('repeats the first answer byte for byte, once charged', async () => {
      const own = await bench().newKey({ plan: 'growth' });
      const headers = { 'idempotency-key': 'order-1' };
      const twins = await Promise.all(
        Array.from({ length: 4 }, () => postForm(check(), own, 'file', [SCENE_JPEG], {}, headers)),
      );
      const later = await postForm(check(), own, 'file', [SCENE_JPEG], {}, headers);
      for (const answer of [...twins, later]) assert.equal(answer.text, twins[0]!.text);
      assert.equal([...twins, later].filter(({ headers }) => headers.get('idempotent-replayed') === 'true').length, 4);
      const usage = await send(`${bench().url}/v1/usage`, { headers: { authorization: `Bearer ${own}` } });
      assert.equal(usage.body.checks.used, 1);
      const other = await postForm(check(), own, 'file', [makeBmp(300, 300)], {}, headers);
      assertError(other, 409, 'idempotency_mismatch');
      assertError(await postForm(check(), own, 'file', [SCENE_JPEG], {}, { 'idempotency-key': 'a b' }), 400, 'invalid_request');
    });

    it('a refused request frees its key', async () => {
      const headers = { 'idempotency-key': 'order-2' };
      assertError(await postForm(check(), key, 'file', [makeBmp(300, 200)], {}, headers), 422, 'image_too_small');
      const { status, headers: received } = await postForm(check(), key, 'file', [SCENE_JPEG], {}, headers);
      assert.equal(status, 200);
      assert.equal(received.get('idempotent-replayed'), null);
    });
  });

  describe('headers and logs', () => {
    it('tell the request id, the limits and the stages', async () => {
      const own = await bench().newKey({ plan: 'growth' });
      const { headers } = await postForm(check(), own, 'file', [SCENE_JPEG], {}, { 'x-request-id': 'mine-1' });
      assert.equal(headers.get('x-request-id'), 'mine-1');
      assert.match(headers.get('ratelimit-policy')!, /^"requests";q=60;w=3, "checks";q=50000;w=\d+$/);
      assert.match(headers.get('ratelimit')!, /^"requests";r=59;t=1, "checks";r=49999;t=\d+$/);
      for (const stage of ['authenticate', 'queue', 'receive', 'decode', 'inference', 'record', 'total']) {
        assert.match(headers.get('server-timing')!, new RegExp(`(^|, )${stage};dur=\\d`));
      }
      const insane = await send(`${bench().url}/healthz`, { headers: { 'x-request-id': 'a b"' } });
      assert.match(insane.headers.get('x-request-id')!, /^req_/);
    });

    it('hold back a plan that asks too often, with Retry-After', async () => {
      const own = await bench().newKey({ plan: 'free' });
      const answers = await Promise.all(
        Array.from({ length: 12 }, () => send(`${bench().url}/v1/usage`, { headers: { authorization: `Bearer ${own}` } })),
      );
      const refused = answers.filter(({ status }) => status === 429);
      assert.ok(refused.length >= 5 && refused.length <= 7, String(refused.length));
      assertError(refused[0]!, 429, 'rate_limited');
      assert.match(refused[0]!.headers.get('retry-after')!, /^[1-9]$/);
    });

    it('log no key, no query and no image', async () => {
      await postJson(`${check()}?include=timings`, key, { image_url: 'http://127.0.0.1/?token=hidden' });
      const text = bench().logged.join('');
      assert.ok(text.includes('"path":"/v1/check"'));
      for (const secret of [key, key.slice(-32), 'token=hidden', 'include=timings']) assert.ok(!text.includes(secret), secret);
    });
  });
}); // prettier-ignore

/** A header that promises 40,000 × 40,000 pixels. */
function hugeBmp(): Buffer {
  const bmp = makeBmp(300, 300);
  bmp.writeInt32LE(20_000, 18);
  bmp.writeInt32LE(20_000, 22);
  return bmp;
}
