// Tests what an error contains in addition to code and message: the faulty parameter and the request id.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { connect } from 'node:net';
import { text } from 'node:stream/consumers';
import { Telltale, TelltaleError } from '../../../client/src/index.js';
import { makeBmp, SCENE_JPEG } from '../../support/images.js';
import {
  assertError,
  openBench,
  postForm,
  postJson,
  send,
  type Answer,
  type ServiceBench,
} from '../../support/service.js';

const b64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');
const SMALL = makeBmp(64, 64);

describe('an error response', function () {
  this.timeout(60_000);
  let bench: ServiceBench;
  let key: string;

  before(async () => {
    bench = await openBench();
    key = await bench.newKey({ scopes: ['check', 'usage'] });
  });

  after(() => bench.close());

  const url = (path: string): string => `${bench.url}/v1/${path}`;
  const get = (path: string): Promise<Answer> =>
    send(url(path), { headers: { authorization: `Bearer ${key}` } });
  const json = (body: unknown, headers = {}): Promise<Answer> => postJson(url('check'), key, body, headers);

  const CASES: readonly [param: string | undefined, ask: () => Promise<Answer>][] = [
    ['file', () => postForm(url('check'), key, 'file', [SMALL])],
    ['file', () => postForm(url('check'), key, 'file', [new Uint8Array()])],
    ['file', () => postForm(url('check'), key, 'file', [])],
    ['image_b64', () => json({ image_b64: b64(SMALL) })],
    ['image_b64', () => json({ image_b64: '!' })],
    ['image_b64', () => json({ image_b64: 7 })],
    ['image_url', () => json({ image_url: 'ftp://x/y.jpg' })],
    ['image_url', () => json({ image_url: 'http://127.0.0.1/y.jpg' })],
    ['image_url', () => json({})],
    ['profile', () => json({ image_b64: 'AAAA', profile: 'loose' })],
    ['colour', () => json({ image_b64: 'AAAA', colour: 1 })],
    ['store', () => postForm(url('check?store=1'), key, 'file', [SCENE_JPEG], { store: '0' })],
    ['ref', () => postForm(url('check'), key, 'file', [SCENE_JPEG], { ref: 'a\u0007' })],
    ['Idempotency-Key', () => json({ image_b64: b64(SCENE_JPEG) }, { 'idempotency-key': 'a b' })],
    ['from', () => get('usage?from=2026')],
    ['to', () => get('checks?to=never')],
    ['limit', () => get('checks?limit=0')],
    ['colour', () => postForm(url('check'), key, 'file', [SCENE_JPEG], { colour: 'red' })],
    ['store', () => postForm(url('check'), key, 'file', [SCENE_JPEG], { store: 'x'.repeat(2000) })],
    ['image', () => json({ image: 'A'.repeat(200_000) })],
    ['images.1.image_url', () => postJson(url('check/batch'), key, { images: [{ image_b64: 'AAAA' }, {}] })],
    ['images.0.image_b64', () => postJson(url('check/batch'), key, { images: [{ image_b64: null }] })],
    [undefined, () => postJson(url('check'), 'tt_live_no', {})],
    [undefined, () => get('nothing')],
    [undefined, () => json('text')],
  ];

  it('names the JSON member, form field, parameter or header that caused the error', async () => {
    for (const [param, ask] of CASES) {
      const answer = await ask();
      assertError(answer, answer.status, answer.body.error.code);
      assert.equal(answer.body.error.param, param, answer.text);
    }
  });

  it('names the cause in each failed entry of a batch', async () => {
    const form = await postForm(url('check/batch'), key, 'files', [SCENE_JPEG, SMALL]);
    const images = [{ image_b64: b64(SMALL) }, { image_url: 'http://10.0.0.1/' }];
    const sent = { 'x-request-id': 'mine-1' };
    const asJson = await postJson(url('check/batch'), key, { images }, sent);
    const errorsOf = ({ body }: Answer) => body.results.map(({ error }) => [error?.param, error?.request_id]);
    assert.deepEqual(errorsOf(form), [
      [undefined, undefined],
      ['files.1', form.headers.get('x-request-id')],
    ]);
    assert.deepEqual(errorsOf(asJson), [
      ['images.0.image_b64', 'mine-1'],
      ['images.1.image_url', 'mine-1'],
    ]);
  });

  it('has a request id even if the request is not valid HTTP', async () => {
    const socket = connect(Number(new URL(bench.url).port), '127.0.0.1');
    await once(socket, 'connect');
    socket.write('NOT HTTP\r\n\r\n');
    const [head = '', body = ''] = (await text(socket)).split('\r\n\r\n');
    const { error } = JSON.parse(body) as { error: { request_id: string } };
    assert.match(error.request_id, /^req_/);
    assert.ok(head.includes(`X-Request-Id: ${error.request_id}`), head);
  });

  it('keeps its parameters when a program receives it through the typed client', async () => {
    const client = new Telltale({ baseUrl: bench.url, apiKey: key });
    const error: unknown = await client.check('http://10.0.0.1/x.jpg').catch((reason: unknown) => reason);
    assert.ok(error instanceof TelltaleError);
    assert.deepEqual([error.code, error.param], ['url_not_public', 'image_url']);
    assert.match(error.requestId ?? '', /^req_/);
    const other: unknown = await client.checks.get('chk_1').catch((reason: unknown) => reason);
    assert.ok(other instanceof TelltaleError);
    assert.equal(other.param, null);
  });
});
