// Tests each refusal in specification sections 7 and 8, on both databases: status, code, message and no
// charge.
import assert from 'node:assert/strict';
import { makeBmp, makeLowQualityJpeg, SCENE_JPEG } from '../../support/images.js';
import {
  assertError,
  describeServiceOnEachDatabase,
  postForm,
  postJson,
  send,
} from '../../support/service.js';

const b64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const MIB = 1_048_576;

/** Returns a BMP with additional bytes at its end, so that the file has this size. */
const padded = (sizeBytes: number): Buffer => Buffer.concat([makeBmp(300, 300)], sizeBytes);

const manyMembers = `{${Array.from({ length: 2600 }, () => '"image_b64":"AAAA"').join()}}`;

/** Sends a JSON text that JSON.stringify never writes. */
const postText = (url: string, key: string, body: string): ReturnType<typeof send> => {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return send(url, { method: 'POST', headers, body });
};

describeServiceOnEachDatabase('the /v1 routes', (bench) => {
  let key: string;
  let lowQuality: Buffer;
  const check = (): string => `${bench().url}/v1/check`;
  const postPath = (path: string): ReturnType<typeof send> => {
    const body = new FormData();
    body.append('file', path);
    return send(check(), { method: 'POST', headers: { authorization: `Bearer ${key}` }, body });
  };
  const batch = (): string => `${bench().url}/v1/check/batch`;

  before(async () => {
    key = await bench().newKey();
    lowQuality = await makeLowQualityJpeg();
  });

  const refusals: readonly [string, () => Promise<Awaited<ReturnType<typeof send>>>, number, string, RegExp?][] = [
    ['a request without an image', () => postJson(check(), key, {}), 400, 'invalid_request', /neither/],
    ['an image address together with base64', () => postJson(check(), key, { image_url: 'http://example.org/', image_b64: 'AAAA' }), 400, 'invalid_request', /both/],
    ['two files', () => postForm(check(), key, 'file', [SCENE_JPEG, SCENE_JPEG]), 400, 'invalid_request', /received more/],
    ['an image member repeated 2600 times', () => postText(check(), key, manyMembers), 400, 'invalid_request', /one member 'image_b64'/],
    ['an image member repeated 2600 times in a batch', () => postText(batch(), key, `{"images":[${manyMembers}]}`), 400, 'invalid_batch', /received 9 or more/],
    ['an unknown member', () => postJson(check(), key, { image_b64: 'AAAA', url: 1 }), 400, 'invalid_request', /'url'/],
    ['a number instead of base64', () => postJson(check(), key, { image_b64: 7 }), 400, 'invalid_request', /a string/],
    ['empty base64', () => postJson(check(), key, { image_b64: '' }), 400, 'invalid_base64'],
    ['URL-safe base64', () => postJson(check(), key, { image_b64: 'AA-_' }), 400, 'invalid_base64'],
    ['unpadded base64', () => postJson(check(), key, { image_b64: 'AAA' }), 400, 'invalid_base64'],
    ['a data: address as base64', () => postJson(check(), key, { image_b64: 'data:image/png;base64,AAAA' }), 400, 'invalid_base64', /data:/],
    ['a relative address', () => postJson(check(), key, { image_url: '/a.jpg' }), 400, 'invalid_url'],
    ['an image address with a password', () => postJson(check(), key, { image_url: 'http://me:secret@example.org/' }), 400, 'invalid_url'],
    ['a private address', () => postJson(check(), key, { image_url: 'http://10.1.2.3/a.jpg' }), 400, 'url_not_public'],
    ['an unsupported content type', () => send(check(), { method: 'POST', headers: { authorization: `Bearer ${key}`, 'content-type': 'image/jpeg' }, body: new Uint8Array(SCENE_JPEG) }), 415, 'unsupported_media_type'],
    ['text instead of an image', () => postForm(check(), key, 'file', [Buffer.from('hello')]), 415, 'unsupported_format'],
    ['the path of a file instead of the file', () => postPath('C:\\photos\\größe.jpg'), 415, 'unsupported_format', /instead of a file.* -F file=@photo/],
    ['a small image', () => postForm(check(), key, 'file', [makeBmp(300, 255)]), 422, 'image_too_small', /300 × 255/],
    ['a JPEG image of low quality', () => postForm(check(), key, 'file', [lowQuality]), 422, 'jpeg_quality_too_low', /quality is about 40/],
    ['a truncated image', () => postForm(check(), key, 'file', [SCENE_JPEG.subarray(0, 9000)]), 422, 'image_corrupt'],
    ['an image with too many pixels', () => postForm(check(), key, 'file', [hugeBmp()]), 422, 'image_too_many_pixels'],
    ['a file over 20 MiB', () => postForm(check(), key, 'file', [padded(20 * MIB + 1)]), 413, 'image_too_large'],
    ['base64 of over 20 MiB', () => postJson(check(), key, { image_b64: b64(padded(20 * MIB + 1)) }), 413, 'image_too_large'],
    ['a batch over 25 MB', () => postForm(batch(), key, 'files', [padded(13 * MIB), padded(13 * MIB)]), 413, 'batch_too_large'],
  ]; // prettier-ignore

  for (const [name, act, status, code, message] of refusals) {
    it(`respond with ${code} to ${name}`, async () => assertError(await act(), status, code, message));
  }

  it('store no check and charge nothing for a refused image', async () => {
    const own = await bench().newKey({ plan: 'growth' });
    const before = await countChecks();
    await postForm(check(), own, 'file', [makeBmp(300, 255)]);
    await postForm(check(), own, 'file', [SCENE_JPEG.subarray(0, 9000)]);
    assert.equal(await countChecks(), before);
  });

  it('accept an image of exactly 20 MiB', async () => {
    assert.equal((await postForm(check(), key, 'file', [padded(20 * MIB)])).status, 200);
    assert.equal((await postJson(check(), key, { image_b64: b64(padded(20 * MIB)) })).status, 200);
  });

  it('report a batch image larger than 20 MiB in its own entry', async () => {
    const { body } = await postForm(batch(), key, 'files', [SCENE_JPEG, padded(21 * MIB)]);
    assert.equal(body.results[0]?.error, undefined);
    assert.equal(body.results[1]?.error?.code, 'image_too_large');
  });

  it('respond with 404 to unknown paths, and with 405 and Allow to wrong methods', async () => {
    assertError(await send(`${bench().url}/v2/check`), 404, 'not_found');
    const answer = await send(check());
    assertError(answer, 405, 'method_not_allowed');
    assert.equal(answer.headers.get('allow'), 'POST');
  });

  function countChecks(): Promise<number> {
    return bench().database.run(async (queries) => (await queries('checks').select('id')).length);
  }
});

/** Returns a BMP whose header states 40,000 × 40,000 pixels. */
function hugeBmp(): Buffer {
  const bmp = makeBmp(300, 300);
  bmp.writeInt32LE(20_000, 18);
  bmp.writeInt32LE(20_000, 22);
  return bmp;
}
