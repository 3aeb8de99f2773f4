// Tests response headers and log lines, on both databases.
import assert from 'node:assert/strict';
import { SCENE_JPEG } from '../../support/images.js';
import {
  assertError,
  describeServiceOnEachDatabase,
  postForm,
  postJson,
  send,
} from '../../support/service.js';

describeServiceOnEachDatabase('the HTTP server', (bench) => {
  let key: string;
  const check = (): string => `${bench().url}/v1/check`;

  before(async () => {
    key = await bench().newKey();
  });

  it('reports the request id, the limits and the duration of each step in response headers', async () => {
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

  it('refuses requests beyond the rate limit of the plan, with the header Retry-After', async () => {
    const own = await bench().newKey({ plan: 'free' });
    const began = Date.now();
    const answers = await Promise.all(
      Array.from({ length: 12 }, () =>
        send(`${bench().url}/v1/usage`, { headers: { authorization: `Bearer ${own}` } }),
      ),
    );
    const refused = answers.filter(({ status }) => status === 429);
    // The plan allows five requests at once and one more for each second that the requests take.
    const seconds = Math.ceil((Date.now() - began) / 1000);
    const count = `${refused.length} within ${seconds} s`;
    assert.ok(refused.length <= 7 && refused.length >= 7 - seconds, count);
    assertError(refused[0]!, 429, 'rate_limited');
    assert.match(refused[0]!.headers.get('retry-after')!, /^[1-9]$/);
  });

  it('logs no API key, query string or image', async () => {
    await postJson(`${check()}?include=timings`, key, { image_url: 'http://127.0.0.1/?token=hidden' });
    const text = bench().logged.join('');
    assert.ok(text.includes('"path":"/v1/check"'));
    for (const secret of [key, key.slice(-32), 'token=hidden', 'include=timings'])
      assert.ok(!text.includes(secret), secret);
  });
});
