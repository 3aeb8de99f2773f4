// Tests fetching through the operator's proxy, with a real proxy that records its requests.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import { connect, type AddressInfo } from 'node:net';
import { createImageFetcher, type ImageFetcher } from '../../../src/service/outbound/fetch-image.js';
import { openCertificateShop } from '../../support/certificates.js';

const portOf = (server: Server): number => (server.address() as AddressInfo).port;

describe('fetching images through a proxy (TELLTALE_FETCH_PROXY)', () => {
  const servers: Server[] = [];
  const fetchers: ImageFetcher[] = [];
  const asked: { target: string | undefined; authorization: string | undefined }[] = [];
  let status = 200;
  let proxy: Server;
  let plain: Server;

  const listen = async (server: Server): Promise<Server> => {
    servers.push(server);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return server;
  };
  const open = (changes: object = {}): ImageFetcher => {
    const fetcher = createImageFetcher({
      resolve: () => Promise.resolve(['127.0.0.1']),
      isAllowed: (address) => address === '127.0.0.1',
      proxy: `http://us%40er:secret@127.0.0.1:${portOf(proxy)}/`,
      ...changes,
    });
    fetchers.push(fetcher);
    return fetcher;
  };
  const { signal } = new AbortController();

  before(async () => {
    proxy = await listen(createServer());
    proxy.on('connect', (req, client) => {
      asked.push({ target: req.url, authorization: req.headers['proxy-authorization'] });
      if (status !== 200) {
        client.end(`HTTP/1.1 ${status} No\r\n\r\n`);
        return;
      }
      const [host = '', port = ''] = (req.url ?? '').split(':');
      const upstream = connect(Number(port), host, () => {
        client.write('HTTP/1.1 200 OK\r\n\r\n');
        upstream.pipe(client).pipe(upstream);
      });
      for (const socket of [client, upstream]) socket.on('error', () => upstream.destroy());
    });
    plain = await listen(createServer((req, res) => res.end(`for ${req.headers.host ?? ''}`)));
  });

  beforeEach(() => {
    asked.length = 0;
    status = 200;
  });

  after(async () => {
    for (const fetcher of fetchers) await fetcher.close();
    for (const server of servers) {
      server.closeAllConnections();
      server.close();
    }
  });

  it('sends the proxy the checked address instead of the host name', async () => {
    const port = portOf(plain);
    const bytes = await open().fetch(`http://pictures.example.org:${port}/a.jpg`, signal);
    assert.equal(bytes.toString(), `for pictures.example.org:${port}`);
    const authorization = `Basic ${Buffer.from('us@er:secret').toString('base64')}`;
    assert.deepEqual(asked, [{ target: `127.0.0.1:${port}`, authorization }]);
  });

  it('sends the proxy no credentials if the setting contains none', async () => {
    const bare = open({ proxy: `http://127.0.0.1:${portOf(proxy)}/` });
    await bare.fetch(`http://pictures.example.org:${portOf(plain)}/`, signal);
    assert.deepEqual(
      asked.map(({ authorization }) => authorization),
      [undefined],
    );
  });

  it('never sends the proxy a forbidden address', async () => {
    const fetcher = open({ resolve: () => Promise.resolve(['10.0.0.1']) });
    for (const url of [
      'http://inside.example.org/',
      'http://169.254.169.254/',
      'http://2852039166/',
      'https://nas/',
    ])
      await assert.rejects(fetcher.fetch(url, signal), { code: 'url_not_public' }, url);
    assert.deepEqual(asked, []);
  });

  it('keeps TLS connections encrypted from the service to the image host', async () => {
    const shop = openCertificateShop();
    after(() => shop.close());
    const root = shop.makeRoot('Proxy Root');
    const wish = { commonName: 'pictures.example.org', purpose: 'serverAuth' };
    const made = shop.issue(root, wish);
    const ca = readFileSync(root.certificatePath, 'utf8');
    const pair = { key: readFileSync(made.keyPath), cert: readFileSync(made.certificatePath) };
    const secure = await listen(createTlsServer(pair, (_req, res) => res.end('sealed')));
    const url = `https://pictures.example.org:${portOf(secure)}/`;
    assert.equal((await open({ ca }).fetch(url, signal)).toString(), 'sealed');
    await assert.rejects(open().fetch(url, signal), { code: 'url_fetch_failed' });
    const other = `https://other.example.org:${portOf(secure)}/`;
    await assert.rejects(open({ ca }).fetch(other, signal), { code: 'url_fetch_failed' });
  });

  it('leads to url_fetch_failed if the proxy refuses or is unreachable', async () => {
    status = 403;
    const failed = { code: 'url_fetch_failed', message: /proxy/ };
    await assert.rejects(open().fetch(`http://pictures.example.org:${portOf(plain)}/`, signal), failed);
    await assert.rejects(
      open({ proxy: 'http://127.0.0.1:1/' }).fetch('http://a.example.org/', signal),
      failed,
    );
  });
});
