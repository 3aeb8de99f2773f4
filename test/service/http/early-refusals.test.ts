// Tests uploads that are refused before their body was read. Many clients close the connection without
// reading the response.
import assert from 'node:assert/strict';
import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { connect, createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { env } from 'node:process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { request } from 'undici';
import { makeFolder } from '../../support/folders.js';
import { openBench, type ServiceBench } from '../../support/service.js';

const run = promisify(execFile);
const UPLOAD = fileURLToPath(new URL('../../support/upload.py', import.meta.url));
const FORM = 'multipart/form-data; boundary=b';
/**
 * More bytes than the buffers of a connection hold, so that the client is still sending when it is refused.
 */
const LARGE = 22 * 1_048_576;

/** A request that several kinds of clients can send. */
interface Upload {
  readonly base: string;
  readonly path: string;
  readonly key: string;
  readonly type: string;
}

/** Sends the uploads one after the other and returns `<status> <code>` of each response. */
type Client = (uploads: readonly Upload[]) => Promise<string[]>;

const python =
  (client: string): Client =>
  async (uploads) => {
    const args = uploads.flatMap(({ base, path, key, type }) => [`${base}${path}`, key, type]);
    return (await run('/usr/bin/python3', [UPLOAD, client, String(LARGE), ...args])).stdout
      .trim()
      .split('\n');
  };

const each =
  (send: (upload: Upload) => Promise<string>): Client =>
  async (uploads) => {
    const answers: string[] = [];
    for (const upload of uploads) answers.push(await send(upload));
    return answers;
  };

/** Returns `<status> <code>` for a response. */
const brief = (status: number, body: string): string =>
  `${status} ${(JSON.parse(body) as { error: { code: string } }).error.code}`;

describe('an upload that is refused before the service reads the body', () => {
  const folder = makeFolder('early');
  let bench: ServiceBench;
  let narrow: ServiceBench;
  let nginx: { readonly url: string; readonly process: ChildProcess };
  let bodyFile: string;
  let keys: Record<'scale' | 'starter' | 'hasty', string>;

  const curl = (...options: readonly string[]): Client =>
    each(async ({ base, path, key, type }) => {
      const headers = ['-H', `Authorization: Bearer ${key}`, '-H', `Content-Type: ${type}`, '-H', 'Expect:'];
      const args = ['-sS', '-w', '\n%{http_code}', ...options, ...headers, '--data-binary', `@${bodyFile}`];
      const { stdout } = await run('curl', [...args, `${base}${path}`]);
      const at = stdout.lastIndexOf('\n');
      return brief(Number(stdout.slice(at + 1)), stdout.slice(0, at));
    });

  const CLIENTS: Readonly<Record<string, Client>> = {
    "Python's http.client": python('http.client'),
    "Python's urllib": python('urllib'),
    "Python's requests": python('requests'),
    'HTTP/1.0': python('http10'),
    curl: curl('-H', 'Connection: close'),
    'curl, HTTP/1.0': curl('--http1.0'),
    'curl, chunked': curl('-H', 'Connection: close', '-H', 'Transfer-Encoding: chunked'),
    undici: each(async ({ base, path, key, type }) => {
      const { statusCode, body } = await request(`${base}${path}`, {
        method: 'POST',
        reset: true,
        headers: { authorization: `Bearer ${key}`, 'content-type': type },
        body: Buffer.alloc(LARGE, 'x'),
      });
      return brief(statusCode, await body.text());
    }),
    'curl through nginx': (uploads) => curl()(uploads.map((upload) => ({ ...upload, base: nginx.url }))),
  };

  before(async () => {
    bodyFile = join(folder, 'body');
    writeFileSync(bodyFile, Buffer.alloc(LARGE + 8 * 1_048_576, 'x'));
    const database = { kind: 'sqlite', path: join(folder, 'telltale.sqlite') } as const;
    bench = await openBench(database);
    narrow = await openBench(database, { threads: 1, queueLimit: 0 });
    keys = {
      scale: await bench.newKey(),
      // One plan has no batches. The other allows one request per second.
      starter: await bench.newKey({ plan: 'starter' }),
      hasty: await bench.newKey({ plan: 'free' }),
    };
    nginx = await startNginx(bench.url, folder);
  });

  after(async () => {
    nginx.process.kill('SIGTERM');
    await bench.close();
    await narrow.close();
  });

  /** Returns uploads that are refused early, each with the expected response. */
  const refusals = (): readonly (readonly [Upload, string])[] => {
    const { scale, starter } = keys;
    const base = bench.url;
    return [
      [{ base, path: '/v1/check', key: 'nonsense', type: FORM }, '401 unauthorized'],
      [{ base, path: '/v1/check/batch', key: 'nonsense', type: FORM }, '401 unauthorized'],
      [{ base, path: '/v1/check/batch', key: starter, type: FORM }, '403 plan_required'],
      [{ base, path: '/v1/check', key: scale, type: FORM }, '413 image_too_large'],
      [{ base, path: '/v1/check', key: scale, type: 'text/plain' }, '415 unsupported_media_type'],
      [{ base, path: '/v1/check/batch', key: scale, type: 'text/plain' }, '415 unsupported_media_type'],
    ];
  };

  for (const [name, client] of Object.entries(CLIENTS)) {
    it(`still gets the error response if sent by ${name}`, async () => {
      assert.deepEqual(
        await client(refusals().map(([upload]) => upload)),
        refusals().map(([, expected]) => expected),
      );
    });
  }

  it('gets status 429 if too many requests arrive per second', async () => {
    const headers = { authorization: `Bearer ${keys.hasty}` };
    assert.equal((await fetch(`${bench.url}/v1/usage`, { headers })).status, 200);
    // Empties the key's token bucket for the whole test, because the plan allows another request each second.
    await bench.database.run((queries) =>
      queries('rate_limits')
        .where({ plan: 'free' })
        .update({ full_at: Date.now() + 60_000 }),
    );
    const upload = { base: bench.url, path: '/v1/check', key: keys.hasty, type: 'text/plain' };
    assert.deepEqual(await CLIENTS['curl']!([upload]), ['429 rate_limited']);
  });

  it('gets status 503 if no request slot is free', async () => {
    const { hostname, port } = new URL(narrow.url);
    const other = await bench.newKey();
    const headOf = (key: string): string =>
      `POST /v1/check HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 10000000\r\n\r\n{`;
    // The unfinished bodies of one account take six of the twelve slots.
    const holders = Array.from({ length: 12 }, (_, place) => {
      const socket = connect(Number(port), hostname, () =>
        socket.write(headOf(place < 6 ? keys.scale : other)),
      );
      return socket.on('error', () => undefined);
    });
    // If a body arrived more slowly, it would lose its slot.
    const pace = setInterval(() => {
      for (const holder of holders) holder.write(' '.repeat(20_000));
    }, 2000);
    try {
      const isFull = async (): Promise<boolean> =>
        /^telltale_places_taken 12$/m.test(await (await fetch(`${narrow.url}/metrics`)).text());
      while (!(await isFull())) await new Promise((resolve) => setTimeout(resolve, 20));
      for (const key of [keys.scale, other])
        for (const name of ["Python's http.client", 'HTTP/1.0', 'curl', 'undici']) {
          const upload = { base: narrow.url, path: '/v1/check', key, type: FORM };
          assert.deepEqual(await CLIENTS[name]!([upload]), ['503 overloaded'], name);
        }
    } finally {
      clearInterval(pace);
      for (const holder of holders) holder.destroy();
    }
  });

  it('ends with a closed connection if the client never stops sending', async () => {
    const { hostname, port } = new URL(bench.url);
    const head = `POST /v1/check HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 1000000000\r\n\r\n`;
    const answer = await new Promise<string>((resolve) => {
      let received = '';
      const socket = connect({ port: Number(port), host: hostname, allowHalfOpen: true }, () =>
        socket.write(head),
      );
      const drip = setInterval(() => socket.write('x'), 50);
      socket.setEncoding('utf8').on('data', (text: string) => (received += text));
      socket
        .on('error', () => undefined)
        .on('close', () => {
          clearInterval(drip);
          resolve(received);
        });
    });
    assert.match(answer, /^HTTP\/1\.1 401 .*"code":"unauthorized"/s);
  });
});

/** Starts nginx with default settings: HTTP/1.0 and `Connection: close` to its upstream, request bodies unbuffered. */
async function startNginx(upstream: string, folder: string): Promise<{ url: string; process: ChildProcess }> {
  const port = await findFreePort();
  const path = join(folder, 'nginx.conf');
  writeFileSync(
    path,
    `daemon off; master_process off; pid ${folder}/nginx.pid; error_log ${folder}/nginx.log;
    events {}
    http {
      access_log off; client_max_body_size 100m;
      client_body_temp_path ${folder}/nginx-body; proxy_temp_path ${folder}/nginx-proxy;
      fastcgi_temp_path ${folder}/f; uwsgi_temp_path ${folder}/u; scgi_temp_path ${folder}/s;
      server { listen 127.0.0.1:${port}; location / { proxy_pass ${upstream}; proxy_request_buffering off; } }
    }`,
  );
  const process = spawn('nginx', ['-c', path, '-p', folder, '-e', `${folder}/nginx.log`], {
    stdio: 'inherit',
    // A user's path on Debian lacks /usr/sbin, which contains nginx.
    env: { ...env, PATH: `${env.PATH}:/usr/sbin` },
  });
  const url = `http://127.0.0.1:${port}`;
  for (let time = 0; time < 200; time += 1) {
    if (
      await fetch(`${url}/healthz`).then(
        ({ ok }) => ok,
        () => false,
      )
    )
      return { url, process };
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  process.kill('SIGTERM');
  throw new Error('nginx did not start');
}

function findFreePort(): Promise<number> {
  return new Promise((resolve) => {
    const server = createServer().listen(0, '127.0.0.1', () => {
      const { port } = server.address() as AddressInfo;
      server.close(() => resolve(port));
    });
  });
}
