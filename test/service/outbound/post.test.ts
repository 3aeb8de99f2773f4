// Tests sending webhook requests over real sockets, to a local server that stands for the internet.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { FetcherOptions } from '../../../src/service/outbound/guarded-agent.js';
import { createPoster, type Poster } from '../../../src/service/outbound/json-client.js';
import { isPublicAddress } from '../../../src/service/outbound/fetch-allow.js';
import { openFlood } from '../../support/endless.js';

describe('the sender of webhook requests', () => {
  let server: Server;
  let port: number;
  let handle: (req: IncomingMessage, res: ServerResponse) => unknown;
  let seen: { url: string | undefined; method: string | undefined; body: string }[] = [];
  const posters: Poster[] = [];

  before(async () => {
    server = createServer((req, res) => {
      void text(req).then((body) => {
        seen.push({ url: req.url, method: req.method, body });
        handle(req, res);
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    port = (server.address() as AddressInfo).port;
  });
  beforeEach(() => {
    seen = [];
    handle = (_req, res) => res.writeHead(204).end();
  });
  after(async () => {
    for (const poster of posters) await poster.close();
    server.closeAllConnections();
    server.close();
  });

  /** Sends a request, with 127.0.0.1 treated as a public host and all other addresses as in production. */
  const post = (path = '/', options: FetcherOptions = {}): Promise<number> => {
    const poster = createPoster({
      resolve: () => Promise.resolve(['127.0.0.1']),
      isAllowed: (address) => address === '127.0.0.1' || isPublicAddress(address),
      ...options,
    });
    posters.push(poster);
    return poster.post(new URL(`http://hooks.example.org:${port}${path}`), 'text', { 'x-a': 'b' });
  };

  it('sends body and headers, and returns the status of any response', async () => {
    assert.equal(await post('/a?b=c'), 204);
    assert.deepEqual(seen, [{ url: '/a?b=c', method: 'POST', body: 'text' }]);
    for (const status of [200, 410, 500]) {
      handle = (req, res) => {
        assert.equal(req.headers['x-a'], 'b');
        res.writeHead(status).end('answer');
      };
      assert.equal(await post(), status);
    }
  });

  it('follows no redirect', async () => {
    handle = (_req, res) => res.writeHead(307, { location: '/elsewhere' }).end();
    assert.equal(await post('/first'), 307);
    assert.deepEqual(
      seen.map(({ url }) => url),
      ['/first'],
    );
  });

  it('refuses a non-public address, or a host name with such an address, before connecting', async () => {
    const refused = { code: 'url_not_public' };
    for (const addresses of [['10.0.0.1'], ['8.8.8.8', '169.254.169.254'], ['::1']])
      await assert.rejects(post('/', { resolve: () => Promise.resolve(addresses) }), refused);
    await assert.rejects(post('/', { isAllowed: isPublicAddress }), refused);
    assert.equal(seen.length, 0);
  });

  it('reads only the start of a response and does not wait for its end', async () => {
    const flood = openFlood();
    handle = flood.handle;
    assert.equal(await post(), 200);
    assert.ok(!flood.wasTaken(), 'the rest was never sent');
    handle = (_req, res) => res.writeHead(200).write('x');
    assert.equal(await post('/', { timeoutMs: 3000 }), 200);
  });

  it('times out if a host never responds', async () => {
    handle = () => undefined;
    await assert.rejects(post('/', { timeoutMs: 300 }), {
      code: 'url_fetch_failed',
      message: /within 0.3 s/,
    });
  });
});
