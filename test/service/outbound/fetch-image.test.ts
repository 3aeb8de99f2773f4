// Tests fetching over real sockets: a local server stands for the internet, and a test resolver for name
// servers.
import assert from 'node:assert/strict';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { gzipSync } from 'node:zlib';
import { createImageFetcher, type ImageFetcher } from '../../../src/service/outbound/fetch-image.js';
import type { FetcherOptions } from '../../../src/service/outbound/guarded-agent.js';
import { isPublicAddress } from '../../../src/service/outbound/fetch-allow.js';
import { MAX_IMAGE_BYTES } from '../../../src/library/base/limits.js';
import { openFlood } from '../../support/endless.js';

const MIB = 1_048_576;

describe('fetching an image_url', () => {
  let server: Server;
  let port: number;
  let handle: (req: IncomingMessage, res: ServerResponse) => void;
  const seen: IncomingMessage[] = [];
  const fetchers: ImageFetcher[] = [];

  before((done) => {
    server = createServer((req, res) => {
      seen.push(req);
      handle(req, res);
    }).listen(0, '127.0.0.1', () => {
      port = (server.address() as AddressInfo).port;
      done();
    });
  });
  beforeEach(() => {
    seen.length = 0;
    handle = (_req, res) => res.end('picture');
  });
  after(async () => {
    for (const fetcher of fetchers) await fetcher.close();
    server.closeAllConnections();
    server.close();
  });

  /** Creates a fetcher that treats 127.0.0.1 as a public host, and all other addresses as in production. */
  function open(options: FetcherOptions = {}): ImageFetcher {
    const fetcher = createImageFetcher({
      resolve: () => Promise.resolve(['127.0.0.1']),
      isAllowed: (address) => address === '127.0.0.1' || isPublicAddress(address),
      ...options,
    });
    fetchers.push(fetcher);
    return fetcher;
  }

  const get = (
    path = '/',
    options: FetcherOptions = {},
    signal = new AbortController().signal,
  ): Promise<Buffer> => open(options).fetch(`http://pictures.example.org:${port}${path}`, signal);
  const rejects = (work: Promise<unknown>, code: string, message?: RegExp): Promise<void> =>
    assert.rejects(work, (error: { code?: string; message: string }) => {
      assert.equal(error.code, code, error.message);
      if (message) assert.match(error.message, message);
      return true;
    });

  it('requests the file uncompressed and without credentials, and returns its bytes', async () => {
    assert.equal(String(await get('/a.jpg?b=c')), 'picture');
    const [request] = seen;
    assert.equal(request!.url, '/a.jpg?b=c');
    assert.equal(request!.headers.host, `pictures.example.org:${port}`);
    assert.equal(request!.headers['accept-encoding'], 'identity');
    assert.equal(request!.headers.authorization, undefined);
    assert.equal(request!.headers.cookie, undefined);
  });

  it('ignores proxy environment variables', async () => {
    const saved = { ...process.env };
    Object.assign(process.env, {
      HTTP_PROXY: 'http://127.0.0.1:9',
      http_proxy: 'http://127.0.0.1:9',
      ALL_PROXY: 'http://127.0.0.1:9',
    });
    try {
      assert.equal(String(await get()), 'picture');
    } finally {
      process.env = saved;
    }
  });

  it('refuses every spelling of a non-public address', async () => {
    const spellings = [
      'http://127.0.0.1/', 'http://127.1/', 'http://2130706433/', 'http://0x7f000001/', 'http://0177.0.0.1/', 'http://0/',
      'http://[::1]/', 'http://[::ffff:127.0.0.1]/', 'http://[::ffff:7f00:1]/', 'http://[64:ff9b::7f00:1]/', 'http://[2002:7f00:1::]/',
      'http://[2001:0:7f00:1::]/', 'http://169.254.169.254/latest/', 'http://100.64.0.1/', 'http://localhost/', 'http://localhost./',
      'http://metadata.google.internal/', 'http://①②⑦.⓪.⓪.①/', 'http://intranet/', 'https://10.0.0.1:8443/',
    ]; // prettier-ignore
    const fetcher = open({
      isAllowed: isPublicAddress,
      resolve: () => Promise.reject(new Error('no look-up is needed')),
    });
    for (const url of spellings)
      await rejects(fetcher.fetch(url, new AbortController().signal), 'url_not_public');
    assert.equal(seen.length, 0);
  });

  it('refuses a host name if one of its addresses is private', async () => {
    for (const addresses of [
      ['10.0.0.1'],
      ['8.8.8.8', '10.0.0.1'],
      ['8.8.8.8', '::1'],
      ['2606:4700::1', 'fe80::1'],
    ]) {
      await rejects(
        get('/', { isAllowed: isPublicAddress, resolve: () => Promise.resolve(addresses) }),
        'url_not_public',
      );
    }
    assert.equal(seen.length, 0);
  });

  it('connects to the address that was checked, even if the host name has another address afterwards', async () => {
    let lookups = 0;
    const resolve = (): Promise<string[]> =>
      Promise.resolve((lookups += 1) === 1 ? ['127.0.0.1'] : ['10.0.0.1']);
    assert.equal(String(await get('/', { resolve })), 'picture');
    assert.equal(lookups, 1);
  });

  it('checks the target of each redirect like the first address', async () => {
    const targets = ['http://169.254.169.254/', 'http://[::1]/', 'http://localhost/', 'http://10.0.0.1/'];
    for (const location of targets) {
      handle = (_req, res) => res.writeHead(302, { location }).end();
      await rejects(get(), 'url_not_public');
    }
    for (const location of ['ftp://example.org/', 'file:///etc/passwd', 'http://user:pw@example.org/', '']) {
      handle = (_req, res) => res.writeHead(302, { location }).end();
      await rejects(get(), 'url_fetch_failed');
    }
  });

  it('explains what is wrong with an invalid redirect', async () => {
    handle = (_req, res) => res.writeHead(302).end();
    await rejects(get(), 'url_fetch_failed', /redirects to nowhere/);
    for (const [location, told] of [
      ['', /to nowhere/],
      ['http://[', /to nowhere/],
      ['ftp://example.org/', /to something other than a plain http or https address/],
    ] as const) {
      handle = (_req, res) => res.writeHead(302, { location }).end();
      await rejects(get(), 'url_fetch_failed', told);
    }
  });

  it('closes the connection of a response that it does not need', async () => {
    for (const status of [302, 404]) {
      const closed = new Promise<void>((resolve) => {
        handle = (req, res) => {
          if (req.url === '/next') return void res.end('picture');
          res.on('close', resolve);
          res.writeHead(status, { location: '/next' }).write('x');
        };
      });
      // The time limit is longer than the test may take, so that it does not end the response.
      const work = get('/', { timeoutMs: 600_000 });
      if (status === 302) await work;
      else await rejects(work, 'url_fetch_failed');
      await closed;
    }
  });

  it('tries the next address of a host only if the previous one is unreachable', async () => {
    const isAllowed = (address: string): boolean => address.startsWith('127.');
    for (const addresses of [
      ['127.0.0.2', '127.0.0.1'],
      ['127.0.0.1', '127.0.0.2'],
    ])
      assert.equal(
        String(await get('/', { isAllowed, resolve: () => Promise.resolve(addresses) })),
        'picture',
      );
    await rejects(
      get('/', { isAllowed, resolve: () => Promise.resolve([]) }),
      'url_fetch_failed',
      /no address/,
    );
  });

  it('fetches a C2PA manifest under the same rules, up to 1 MiB', async () => {
    const manifest = (accountId?: string): Promise<Uint8Array> =>
      open().fetchManifest(`http://pictures.example.org:${port}/m`, new AbortController().signal, accountId);
    handle = (_req, res) => res.end(Buffer.alloc(MIB));
    assert.equal((await manifest()).byteLength, MIB);
    assert.equal(seen[0]!.headers.accept, 'application/c2pa');
    assert.equal((await manifest('account')).byteLength, MIB);
    handle = (_req, res) => res.end(Buffer.alloc(MIB + 1));
    await rejects(manifest(), 'url_fetch_failed', /more than 1048576 bytes/);
  });

  it('requests the address of a redirect unchanged, escaped or not', async () => {
    const names = [
      [Buffer.from('/für/é.jpg?q=日'), '/f%C3%BCr/%C3%A9.jpg?q=%E6%97%A5'],
      [Buffer.from('/caf\xe9.jpg', 'latin1'), '/caf%E9.jpg'],
      [Buffer.from('/%C3%A9.jpg'), '/%C3%A9.jpg'],
    ] as const;
    for (const [name, asked] of names) {
      handle = (req, res) => {
        if (req.url === '/') res.writeHead(302, { location: name.toString('latin1') }).end();
        else res.end(req.url);
      };
      assert.equal(String(await get('/')), asked);
    }
  });

  it('follows five redirects and refuses the sixth', async () => {
    handle = (req, res) => {
      const left = Number(req.url!.slice(1));
      if (left === 0) res.end('arrived');
      else res.writeHead(307, { location: `/${left - 1}` }).end();
    };
    assert.equal(String(await get('/5')), 'arrived');
    await rejects(get('/6'), 'url_fetch_failed', /more than 5 times/);
  });

  it('refuses a status other than 200 and reports the status', async () => {
    handle = (_req, res) => res.writeHead(404).end();
    await rejects(get(), 'url_fetch_failed', /404/);
  });

  it('refuses a compressed body, whatever its size after decompression', async () => {
    handle = (_req, res) =>
      res.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(50 * MIB)));
    await rejects(get(), 'url_fetch_failed', /compressed/);
  });

  for (const coding of ['GZip', 'x-gzip', 'deflate', 'br', 'zstd', 'base64, gzip'])
    it(`refuses a response with Content-Encoding '${coding}'`, async () => {
      handle = (_req, res) => res.writeHead(200, { 'content-encoding': coding }).end('x');
      await rejects(get(), 'url_fetch_failed', /compressed/);
    });

  for (const coding of [
    '',
    'Identity',
    'base64',
    'UTF-8',
    'aws-chunked',
    'none',
    'binary',
    '8bit',
    'utf8, identity',
  ])
    it(`reads the bytes of a response with Content-Encoding '${coding}' unchanged`, async () => {
      handle = (_req, res) => res.writeHead(200, { 'content-encoding': coding }).end('image');
      assert.equal(String(await get()), 'image');
    });

  it('accepts a body declared as uncompressed and a body of exactly 20 MB', async () => {
    handle = (_req, res) => res.writeHead(200, { 'content-encoding': 'identity' }).end('picture');
    assert.equal(String(await get()), 'picture');
    const largest = Buffer.alloc(MAX_IMAGE_BYTES);
    handle = (_req, res) => res.writeHead(200, { 'content-length': largest.byteLength }).end(largest);
    assert.equal((await get()).byteLength, MAX_IMAGE_BYTES);
  });

  it('stops reading at 20 MB, whether or not the response stated its length', async () => {
    handle = (_req, res) => res.writeHead(200, { 'content-length': String(21 * MIB) }).write('x');
    await rejects(get(), 'image_too_large');
    const flood = openFlood();
    handle = flood.handle;
    await rejects(get(), 'image_too_large');
    assert.ok(!flood.wasTaken(), 'the rest was never sent');
  });

  it('times out if a host never finishes or never starts its response', async () => {
    handle = (_req, res) => void res.write('x');
    await rejects(get('/', { timeoutMs: 300 }), 'url_fetch_failed', /within 0.3 s/);
    handle = () => undefined;
    await rejects(get('/', { timeoutMs: 300 }), 'url_fetch_failed');
    await rejects(
      get('/', { timeoutMs: 300, resolve: () => new Promise(() => undefined) }),
      'url_fetch_failed',
    );
  });

  it('reports unknown host names, refused connections, invalid HTTP and TLS failures differently', async () => {
    const noName = Object.assign(new Error('x'), { code: 'ENOTFOUND' });
    await rejects(get('/', { resolve: () => Promise.reject(noName) }), 'url_fetch_failed', /host name/);
    const signal = new AbortController().signal;
    await rejects(open().fetch('http://pictures.example.org:1/', signal), 'url_fetch_failed', /refused/);
    await rejects(open().fetch(`https://pictures.example.org:${port}/`, signal), 'url_fetch_failed');
  });

  it('fetches 100 images at once, while further requests wait', async () => {
    const held: ServerResponse[] = [];
    handle = (_req, res) => held.push(res);
    const fetcher = open({ timeoutMs: 50_000 });
    const url = `http://pictures.example.org:${port}/`;
    const work = Array.from({ length: 120 }, () => fetcher.fetch(url, new AbortController().signal));
    const until = async (count: number): Promise<void> => {
      while (seen.length < count) await new Promise((resolve) => setTimeout(resolve, 5));
    };
    await until(100);
    await new Promise((resolve) => setTimeout(resolve, 100));
    assert.equal(seen.length, 100);
    held.shift()?.end('picture');
    await until(101);
    handle = (_req, res) => res.end('picture');
    for (const response of held) response.end('picture');
    assert.equal((await Promise.all(work)).length, 120);
  });

  it('stops when the caller aborts', async () => {
    handle = () => undefined;
    const controller = new AbortController();
    const work = get('/', {}, controller.signal);
    setTimeout(() => controller.abort(new Error('gone')), 50);
    await assert.rejects(work, /gone/);
  });
});
