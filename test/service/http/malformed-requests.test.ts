// Tests typical mistakes of clients, sent over raw sockets and by curl: each gets a JSON error or a clean
// close.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { connect } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder } from '../../support/folders.js';
import { makeBmp, SCENE_JPEG } from '../../support/images.js';
import { assertError, openBench, postForm, send, type ServiceBench } from '../../support/service.js';

const run = promisify(execFile);
const MIB = 1_048_576;

describe('a malformed request', () => {
  let bench: ServiceBench;
  let key: string;
  const folder = makeFolder('habits');

  before(async () => {
    bench = await openBench();
    key = await bench.newKey();
  });
  after(() => bench.close());

  const post = (body: BodyInit, contentType: string, path = '/v1/check'): ReturnType<typeof send> =>
    send(`${bench.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': contentType },
      body,
    });

  /** Sends raw bytes, and reads until the server closes the connection. */
  function sendRaw(text: string | Buffer): Promise<string> {
    const { hostname, port } = new URL(bench.url);
    return new Promise((resolve) => {
      let received = '';
      const socket = connect(Number(port), hostname, () => socket.write(text));
      const finish = (): void => {
        socket.destroy();
        resolve(received);
      };
      socket.setEncoding('utf8').on('data', (chunk: string) => (received += chunk));
      socket.on('close', finish).on('error', finish);
    });
  }

  const errorOf = (response: string): { status: number; code: string } => {
    const [head, body] = response.split('\r\n\r\n');
    return {
      status: Number(head!.split(' ')[1]),
      code: (JSON.parse(body!) as { error: { code: string } }).error.code,
    };
  };

  /** Runs curl with the API key. Its output has the body and the status on separate lines. */
  async function curl(...args: string[]): Promise<{ status: number; code: string }> {
    const all = ['-sS', '-w', '\n%{http_code}', '-H', `Authorization: Bearer ${key}`, ...args];
    const { stdout } = await run('curl', all, { maxBuffer: 10 * MIB });
    const at = stdout.lastIndexOf('\n');
    const body = JSON.parse(stdout.slice(0, at)) as { error?: { code: string } };
    return { status: Number(stdout.slice(at + 1)), code: body.error?.code ?? 'ok' };
  }

  it('is refused if its JSON is truncated, empty, not an object, not UTF-8, deeply nested or contains __proto__', async () => {
    const bodies = ['{', '', '[]', '"x"', 'null', '{"image_b64": "AAAA"', '{image_b64: 1}', "{'image_b64': 'AAAA'}", '{"__proto__": {"image_b64": "AAAA"}}', '['.repeat(100_000)]; // prettier-ignore
    for (const body of bodies) assertError(await post(body, 'application/json'), 400, 'invalid_request');
    assertError(
      await post(new Uint8Array([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d]), 'application/json'),
      400,
      'invalid_request',
      /UTF-8/,
    );
    const wide = JSON.stringify({ image_url: `http://example.org/${'a'.repeat(3_000_000)}` });
    assertError(await post(wide, 'application/json'), 400, 'invalid_request', /in addition to its images/);
    const quotes = `{"image_b64": "${'\\"'.repeat(5_000_000)}"}`;
    assertError(await post(quotes, 'application/json'), 400, 'invalid_base64');
  });

  it('is refused if its content type is wrong', async () => {
    for (const type of ['text/plain', 'application/x-www-form-urlencoded', 'image/jpeg', 'application/xml']) {
      assertError(await post(new Uint8Array(SCENE_JPEG), type), 415, 'unsupported_media_type');
    }
    const bare = await send(`${bench.url}/v1/check`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}` },
    });
    assertError(bare, 415, 'unsupported_media_type');
    assertError(await post('x', 'multipart/form-data'), 400, 'invalid_request', /boundary/);
  });

  it('is refused if its form is truncated or has missing, empty, unknown, repeated or too many field names', async () => {
    const part = (name: string, value: string): string =>
      `--b\r\nContent-Disposition: form-data; ${name}\r\n\r\n${value}\r\n`;
    const form = (text: string): ReturnType<typeof send> => post(text, 'multipart/form-data; boundary=b');
    const file = part('name="file"; filename="a"', 'not an image');
    assertError(await form(file), 400, 'invalid_request', /ends early/);
    assertError(await form(''), 400, 'invalid_request');
    assertError(await form('--b--\r\n'), 400, 'invalid_request', /no image/);
    assertError(await form(`${part('filename="a"', 'x')}--b--`), 400, 'invalid_request');
    assertError(await form(`${file}${part('name=""', 'x')}--b--`), 400, 'invalid_request', /not known/);
    assertError(
      await form(`${part('name="image"; filename="a"', 'x')}--b--`),
      400,
      'invalid_request',
      /'image'/,
    );
    assertError(
      await form(`${part('name="image_b64"', 'AAAA')}--b--`),
      400,
      'invalid_request',
      /'image_b64'/,
    );
    assertError(await form(`${part('name="file"; filename="a"', '')}--b--`), 400, 'invalid_request', /empty/);
    assertError(
      await form(`${file}${part('name="store"', '1')}${part('name="store"', '0')}--b--`),
      400,
      'invalid_request',
      /different values/,
    );
    assertError(
      await form(`${file}${part('name="store"', '1').repeat(30)}--b--`),
      400,
      'invalid_request',
      /fields/,
    );
    assertError(await form(`${file}${part('name="store"', 'yes')}--b--`), 400, 'invalid_request', /'store'/);
    assertError(await form(`${part('name="file"', 'no file name')}--b--`), 415, 'unsupported_format');
    assertError(await form(`${file}--b--\r\nafterwards`), 415, 'unsupported_format');
  });

  it('is refused if curl sends a 30 MB body, whether with Content-Length, in chunks or as JSON', async () => {
    const path = join(folder, 'large.bmp');
    writeFileSync(path, Buffer.concat([makeBmp(300, 300)], 30 * MIB));
    const too_large = { status: 413, code: 'image_too_large' };
    assert.deepEqual(await curl('-F', `file=@${path}`, `${bench.url}/v1/check`), too_large);
    assert.deepEqual(
      await curl('-H', 'Transfer-Encoding: chunked', '-F', `file=@${path}`, `${bench.url}/v1/check`),
      too_large,
    );
    assert.deepEqual(await curl('-H', 'Expect:', '-F', `file=@${path}`, `${bench.url}/v1/check`), too_large);
    writeFileSync(path, `{"image_b64":"${'A'.repeat(30 * MIB)}"}`);
    const json = ['-H', 'Content-Type: application/json', '--data-binary', `@${path}`];
    assert.deepEqual(await curl(...json, `${bench.url}/v1/check`), too_large);
    assert.deepEqual(await curl(...json, `${bench.url}/v1/check/batch`), {
      status: 400,
      code: 'invalid_request',
    });
  });

  it('is not assumed if a request comes in chunks without Content-Length', async () => {
    const path = join(folder, 'scene.jpg');
    writeFileSync(path, SCENE_JPEG);
    const answer = await curl(
      '-H',
      'Transfer-Encoding: chunked',
      '-F',
      `file=@${path}`,
      '-F',
      'store=0',
      `${bench.url}/v1/check`,
    );
    assert.deepEqual(answer, { status: 200, code: 'ok' });
  });

  it('is refused with a JSON error if it has 20,000 bytes of headers; 10,000 bytes are accepted', async () => {
    const { status } = await send(`${bench.url}/healthz`, { headers: { 'x-long': 'a'.repeat(10_000) } });
    assert.equal(status, 200);
    const response = await sendRaw(
      `GET /healthz HTTP/1.1\r\nHost: a\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`,
    );
    assert.deepEqual(errorOf(response), { status: 400, code: 'invalid_request' });
    assert.match(response, /X-Request-Id: req_/);
  });

  it('gets a JSON error even if it is not valid HTTP', async () => {
    const requests = [
      'hello\r\n\r\n',
      'GET / HTTP/1.1\r\n\r\n',
      'GET /healthz HTTP/1.1\r\nHost: a\r\nContent-Length: x\r\n\r\n',
      'POST /v1/check HTTP/1.1\r\nHost: a\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n',
      'GET /healthz HTTP/1.1\r\nHost: a\r\nbad header\r\n\r\n',
      'GET /healthz HTTP/1.1\r\nHost: a\r\nhost: b\r\n\r\n',
      'CONNECT example.org:443 HTTP/1.1\r\nHost: a\r\n\r\n',
      'POST /v1/check HTTP/1.1\r\nHost: a\r\nExpect: 200-maybe\r\n\r\n',
    ];
    for (const request of requests) {
      assert.deepEqual(errorOf(await sendRaw(request)), { status: 400, code: 'invalid_request' }, request);
    }
    const badChunk = `POST /v1/check HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n`;
    assert.deepEqual(errorOf(await sendRaw(badChunk)), { status: 400, code: 'invalid_request' });
  });

  it('leaves the connection usable if it was refused in the middle of its body', async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 });
    const sockets = new Set<unknown>();
    const ask = (method: string, path: string, body?: string): Promise<number> =>
      new Promise((resolve, reject) => {
        const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
        const sent = request(`${bench.url}${path}`, { agent, method, headers }, (response) => {
          response.resume().on('end', () => resolve(response.statusCode ?? 0));
        });
        sent.on('socket', (socket) => sockets.add(socket)).on('error', reject);
        sent.end(body);
      });
    const wide = JSON.stringify({ image_url: 'a'.repeat(3 * MIB) });
    for (let time = 0; time < 12; time += 1) {
      assert.equal(await ask('POST', '/v1/check', wide), 400);
      assert.equal(await ask('GET', '/healthz'), 200);
    }
    assert.equal(sockets.size, 1);
    agent.destroy();
  });

  it('gets not_found or method_not_allowed for an odd path or method', async () => {
    assertError(await send(`${bench.url}/%00%ff/../v1`), 404, 'not_found');
    assertError(await send(`${bench.url}/v1/check/`), 405, 'method_not_allowed');
    assertError(await send(`${bench.url}/v1/check`, { method: 'DELETE' }), 405, 'method_not_allowed');
    assertError(await send(`${bench.url}/v1/usage`, { method: 'OPTIONS' }), 405, 'method_not_allowed');
    const response = await sendRaw('BREW /v1/check HTTP/1.1\r\nHost: a\r\n\r\n');
    assert.match(response, /"code":"(invalid_request|method_not_allowed)"/);
  });

  it('gets a response and frees its request slot if its body stalls or arrives very slowly', async () => {
    const { hostname, port } = new URL(bench.url);
    const head = `POST /v1/check HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{"image`;
    const sendSlowly = async (drop: string): Promise<void> => {
      const socket = connect(Number(port), hostname, () => socket.write(head));
      const dripping = setInterval(() => socket.write(drop), 500);
      let received = '';
      for await (const chunk of socket.setEncoding('utf8')) {
        received += chunk as string;
        if (received.endsWith('}')) break;
      }
      clearInterval(dripping);
      assert.match(received, /"code":"invalid_request","message":"the body arrived too slowly/);
    };
    await Promise.all(Array.from({ length: 8 }, (_, index) => sendSlowly(index === 0 ? ' ' : '')));
    assert.equal((await postForm(`${bench.url}/v1/check`, key, 'file', [SCENE_JPEG])).status, 200);
  });

  it('is refused if it announces a content type but has no body', async () => {
    for (const [path, code] of [
      ['/v1/check', 'invalid_request'],
      ['/v1/check/batch', 'invalid_request'],
    ] as const) {
      const response = await sendRaw(
        `POST ${path} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${key}\r\nContent-Type: application/json\r\nConnection: close\r\n\r\n`,
      );
      assert.deepEqual(errorOf(response), { status: 400, code });
    }
  });

  it('is refused if its Host header is not an address', async () => {
    const response = await sendRaw(
      'POST /console/api/session HTTP/1.1\r\nHost: [\r\nOrigin: http://a\r\nContent-Length: 0\r\nConnection: close\r\n\r\n',
    );
    assert.deepEqual(errorOf(response), { status: 400, code: 'invalid_request' });
  });
});
