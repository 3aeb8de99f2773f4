// Tests requests of clients that were written for another service: each error names the wrong field and the
// right one.
import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { SCENE_JPEG } from '../../support/images.js';
import { assertError, openBench, send, type Answer, type ServiceBench } from '../../support/service.js';

describe('the error for a wrong field or value', () => {
  let bench: ServiceBench;
  let key: string;

  before(async () => {
    bench = await openBench();
    key = await bench.newKey();
  });
  after(() => bench.close());

  const post = (path: string, body: BodyInit, headers: Record<string, string> = {}): Promise<Answer> =>
    send(`${bench.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, ...headers },
      body,
    });
  const postJson = (path: string, value: unknown): Promise<Answer> =>
    post(path, JSON.stringify(value), { 'content-type': 'application/json' });
  const postField = (path: string, name: string, bytes: Uint8Array = SCENE_JPEG): Promise<Answer> => {
    const form = new FormData();
    form.append(name, new Blob([new Uint8Array(bytes)]), 'photo.jpg');
    return post(path, form);
  };

  it('names a wrong form field and the right one, however large the file is', async () => {
    for (const bytes of [SCENE_JPEG, Buffer.from('small'), Buffer.alloc(5_000_000)]) {
      assertError(await postField('/v1/check', 'image', bytes), 400, 'invalid_request', /'image'.*'file'/);
      assertError(await postField('/v1/check', 'files', bytes), 400, 'invalid_request', /'files'.*'file'/);
      assertError(
        await postField('/v1/check/batch', 'file', bytes),
        400,
        'invalid_request',
        /'file' .*'files'/,
      );
      assertError(
        await postField('/v1/check/batch', 'files[]', bytes),
        400,
        'invalid_request',
        /'files\[\]'.*'files'/,
      );
    }
    const store = await postField('/v1/check', 'store', Buffer.alloc(5000));
    assertError(store, 400, 'invalid_request', /'store' has more than 4096 bytes/);
  });

  it('names a wrong JSON member and the right ones', async () => {
    const base64 = Buffer.from(SCENE_JPEG).toString('base64');
    for (const name of ['image', 'url', 'data', 'images']) {
      const small = await postJson('/v1/check', { [name]: 'https://example.org/a.jpg' });
      assertError(small, 400, 'invalid_request', new RegExp(`'${name}'.*image_url, image_b64`));
      const large = await postJson('/v1/check', { [name]: base64.repeat(20) });
      assertError(large, 400, 'invalid_request', new RegExp(`'${name}'.*image_b64`));
    }
    const single = await postJson('/v1/check/batch', { image_url: 'https://example.org/a.jpg' });
    assertError(single, 400, 'invalid_request', /'image_url'.*known are images/);
    const texts = await postJson('/v1/check/batch', { images: ['https://example.org/a.jpg'] });
    assertError(
      texts,
      400,
      'invalid_request',
      /an object with image_url, image_b64, ref for 'images.0' .*'https:/,
    );
    const item = await postJson('/v1/check/batch', { images: [{ url: 'https://example.org/a.jpg' }] });
    assertError(item, 400, 'invalid_request', /'images.0.url'.*image_url, image_b64/);
    const pile = await postJson('/v1/check/batch', { images: [base64.repeat(20)] });
    assertError(pile, 400, 'invalid_request', /'images'.*image_b64/);
    const list = await postJson('/v1/check', [{ image_url: 'https://example.org/a.jpg' }]);
    assertError(
      list,
      400,
      'invalid_request',
      /an object with image_url, image_b64, [^']* but received an array/,
    );
  });

  it("explains that image_b64 takes only the part of a data: address after 'base64,'", async () => {
    const address = `data:image/jpeg;base64,${Buffer.from(SCENE_JPEG).toString('base64')}`;
    const short = await postJson('/v1/check', { image_url: address.slice(0, 300) });
    assertError(short, 400, 'invalid_url', /data: address.*image_b64/);
    const long = await postJson('/v1/check', { image_url: address.repeat(20) });
    assertError(long, 400, 'invalid_request', /'image_url'.*image_b64/);
  });

  it('names an unknown option as the client sent it, and all known options', async () => {
    const known = /one or more of heatmap, .*marks.* for 'include' but received 'details'/;
    assertError(await postField('/v1/check?include=details', 'file'), 400, 'invalid_request', known);
    const body = { image_url: 'https://example.org/a.jpg' };
    for (const include of ['details', 'marks,details', ['marks', 'details']])
      assertError(await postJson('/v1/check', { ...body, include }), 400, 'invalid_request', known);
    const profil = await postField('/v1/check?profil=strict', 'file');
    assertError(
      profil,
      400,
      'invalid_request',
      /'profil'.*Known are store, profile, include, provenance, sandbox, ref$/,
    );
  });

  it('describes the expected form of a value in words', async () => {
    const messageOf = async (path: string): Promise<string> => {
      const headers = { authorization: `Bearer ${key}` };
      const answer = await send(`${bench.url}/v1/${path}`, { headers });
      assertError(answer, 400, 'invalid_request');
      return answer.body.error.message;
    };
    assert.match(
      await messageOf('checks?limit=500'),
      /Expected a whole number from 1 to 100 for 'limit' .*'500'$/,
    );
    assert.match(
      await messageOf('checks?cursor=abc'),
      /Expected the Next-Cursor of the previous page .*'abc'$/,
    );
    assert.match(
      await messageOf('checks?from=1%20May'),
      /Expected a date such as 2026-11-01 .* or a time .*'1 May'$/,
    );
    assert.match(await messageOf('usage?to=2026'), /Expected a date such as 2026-11-30 .*'2026'$/);
  });

  it('names the encoding of a body that is not plain UTF-8', async () => {
    const json = JSON.stringify({ image_url: 'https://example.org/a.jpg' });
    const type = { 'content-type': 'application/json' };
    for (const path of ['/v1/check', '/v1/check/batch']) {
      const wide = Buffer.from(`\ufeff${json}`, 'utf16le');
      for (const body of [wide, Buffer.from(wide).swap16(), wide.subarray(2)])
        assertError(await post(path, new Uint8Array(body), type), 400, 'invalid_request', /UTF-16.*UTF-8/);
      const zipped = new Uint8Array(gzipSync(json));
      assertError(await post(path, zipped, type), 400, 'invalid_request', /gzip/);
      const told = await post(path, zipped, { ...type, 'content-encoding': 'gzip' });
      assertError(told, 415, 'unsupported_media_type', /Content-Encoding.*'gzip'/);
      const form = await post(path, zipped, {
        'content-type': 'multipart/form-data; boundary=b',
        'content-encoding': 'gzip',
      });
      assertError(form, 415, 'unsupported_media_type', /Content-Encoding.*'gzip'/);
      const plain = await post(path, json, { ...type, 'content-encoding': 'identity' });
      assert.notEqual(plain.status, 415);
    }
  });
});

describe('an API key without the required scope', () => {
  it('gets the error forbidden instead of unauthorized', async () => {
    const bench = await openBench();
    try {
      const key = await bench.newKey({ scopes: ['usage'] });
      const headers = { authorization: `Bearer ${key}` };
      const refused = await send(`${bench.url}/v1/check`, { method: 'POST', headers });
      assertError(refused, 403, 'forbidden', /lacks the scope 'check'/);
      assert.equal(refused.headers.get('www-authenticate'), null);
      assertError(await send(`${bench.url}/v1/check`, { method: 'POST' }), 401, 'unauthorized');
    } finally {
      await bench.close();
    }
  });
});
