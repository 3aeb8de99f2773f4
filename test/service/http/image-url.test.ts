// Tests image_url through the whole service. A local server stands for the internet, which only tests can
// allow.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { makeFolder } from '../../support/folders.js';
import { makeBmp, SCENE_JPEG } from '../../support/images.js';
import {
  assertError,
  openBench,
  postForm,
  postJson,
  send,
  type ServiceBench,
} from '../../support/service.js';

const MIB = 1_048_576;

describe('a check by image_url', () => {
  let bench: ServiceBench;
  let key: string;
  const folder = makeFolder('url');
  let internet: Server;
  let base: string;

  before(async () => {
    internet = createServer((req, res) => {
      if (req.url === '/scene.jpg') res.end(SCENE_JPEG);
      else if (req.url === '/moved') res.writeHead(302, { location: '/scene.jpg' }).end();
      else if (req.url === '/inside') res.writeHead(302, { location: 'http://169.254.169.254/' }).end();
      else if (req.url === '/large') res.end(Buffer.concat([makeBmp(300, 300)], 13 * MIB));
      else if (req.url === '/page') res.end('<html>');
      else res.writeHead(404).end();
    });
    await new Promise<void>((resolve) => internet.listen(0, '127.0.0.1', resolve));
    base = `http://pictures.example.org:${(internet.address() as AddressInfo).port}`;
    const database = { kind: 'sqlite', path: join(folder, 'telltale.sqlite') } as const;
    const fetcher = {
      resolve: () => Promise.resolve(['127.0.0.1']),
      isAllowed: (address: string) => address === '127.0.0.1',
    };
    bench = await openBench(database, {}, { fetcher });
    key = await bench.newKey({ plan: 'growth' });
  });
  after(async () => {
    await bench.close();
    internet.closeAllConnections();
    internet.close();
  });

  const check = (path: string, options: object = {}): ReturnType<typeof postJson> =>
    postJson(`${bench.url}/v1/check`, key, { image_url: base + path, ...options });

  it('returns the same result as an upload of the file, also through a redirect', async () => {
    const sent = await postForm(`${bench.url}/v1/check`, key, 'file', [SCENE_JPEG]);
    for (const path of ['/scene.jpg', '/moved']) {
      const answer = await check(path, { include: 'timings' });
      assert.equal(answer.status, 200);
      assert.deepEqual(answer.body.scores, sent.body.scores);
      assert.deepEqual(answer.body.image, { width: 288, height: 256 });
      const { fetch } = answer.body.details?.timings as { fetch: number };
      assert.ok(fetch > 0 && fetch <= answer.body.latency_ms);
      assert.match(answer.headers.get('server-timing') ?? '', /fetch;dur=/);
    }
  });

  it('stores the fetched image if the request says so', async () => {
    assert.equal((await check('/scene.jpg', { store: true })).body.image_stored, true);
  });

  it('explains what is wrong with the address and charges nothing', async () => {
    const used = await readUsed();
    assertError(await check('/missing'), 422, 'url_fetch_failed', /404/);
    assertError(await check('/inside'), 400, 'url_not_public');
    assertError(await check('/page'), 415, 'unsupported_format');
    assert.equal(await readUsed(), used);
  });

  it('reports a bad address in its own batch entry, and fetches at most 25 MB for all images of a batch', async () => {
    const images = ['/scene.jpg', '/missing', '/inside'].map((path) => ({ image_url: base + path }));
    const { status, body } = await postJson(`${bench.url}/v1/check/batch`, key, { images });
    assert.equal(status, 200);
    const codes = body.results.map((entry) => entry.error?.code ?? 'checked');
    assert.deepEqual(codes, ['checked', 'url_fetch_failed', 'url_not_public']);
    const two = [{ image_url: `${base}/large` }, { image_url: `${base}/large` }];
    assertError(await postJson(`${bench.url}/v1/check/batch`, key, { images: two }), 413, 'batch_too_large');
  });

  async function readUsed(): Promise<number> {
    const usage = await send(`${bench.url}/v1/usage`, { headers: { authorization: `Bearer ${key}` } });
    return usage.body.checks.used;
  }
});
