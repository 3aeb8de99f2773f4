// Tests the Model Context Protocol over HTTP, with its official client and with hostile clients.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { openCertificateShop } from '../../support/certificates.js';
import { SCENE_JPEG } from '../../support/images.js';
import {
  assertError,
  openBench,
  postForm,
  postJson,
  send,
  type Answer,
  type ServiceBench,
} from '../../support/service.js';
import { ROOT } from '../../support/telltale.js';

interface Reply {
  readonly isError?: boolean;
  readonly content: readonly { readonly type: string; readonly text?: string; readonly data?: string }[];
  readonly structuredContent: {
    readonly id: string;
    readonly is_ai: boolean;
    readonly holds: boolean;
    readonly findings: readonly { readonly about: string; readonly holds: boolean | null }[];
    readonly error?: { readonly code: string; readonly message: string };
  };
}

const base64 = SCENE_JPEG.toString('base64');
const textOf = ({ content }: Reply): string => content[0]?.text ?? '';

describe('POST /mcp, the service for AI assistants', function () {
  this.timeout(120_000);
  let bench: ServiceBench;
  /** A server that stands for the internet, which only tests can allow. */
  let internet: Server;
  let site: string;
  const shop = openCertificateShop();
  const clients: Client[] = [];

  before(async () => {
    const root = shop.makeRoot('News Root');
    const made = shop.issue(root, { commonName: 'news.example.org', purpose: 'serverAuth' });
    const pair = { key: readFileSync(made.keyPath), cert: readFileSync(made.certificatePath) };
    internet = createServer(pair, ({ url }, res) => {
      if (url !== '/hangs.jpg') res.end(SCENE_JPEG);
    });
    await new Promise<void>((resolve) => internet.listen(0, '127.0.0.1', resolve));
    site = `https://news.example.org:${(internet.address() as AddressInfo).port}`;
    const fetcher = {
      resolve: () => Promise.resolve(['127.0.0.1']),
      isAllowed: (address: string) => address === '127.0.0.1',
      ca: readFileSync(root.certificatePath, 'utf8'),
    };
    bench = await openBench('sqlite', {}, { fetcher });
  });
  afterEach(async () => {
    for (const client of clients.splice(0)) await client.close();
  });
  after(async () => {
    await bench.close();
    internet.closeAllConnections();
    internet.close();
    shop.close();
  });

  const open = async (
    key: string,
    mode: 'legacy' | { readonly pin: string } = 'legacy',
    headers: Record<string, string> = {},
  ): Promise<Client> => {
    const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } });
    const transport = new StreamableHTTPClientTransport(new URL(`${bench.url}/mcp`), {
      requestInit: { headers: { authorization: `Bearer ${key}`, ...headers } },
    });
    await client.connect(transport);
    clients.push(client);
    return client;
  };
  const call = async (client: Client, name: string, args: Record<string, unknown>): Promise<Reply> =>
    (await client.callTool({ name, arguments: args })) as unknown as Reply;
  const usedBy = async (key: string): Promise<number> => {
    const { body } = await send(`${bench.url}/v1/usage`, { headers: { authorization: `Bearer ${key}` } });
    return body.checks.used;
  };
  const post = (key: string, body: string, headers: Record<string, string> = {}): Promise<Answer> =>
    send(`${bench.url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json', ...headers },
      body,
    });
  const calling = (name: string, args: object): string =>
    JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } });
  const checking = (args: object): string => calling('check_image', args);
  const replyOf = ({ text }: Answer): Reply => (JSON.parse(text) as { result: Reply }).result;
  /** Returns the error code of a refused tool call. */
  const codeOf = (answer: Answer): string | undefined => replyOf(answer).structuredContent.error?.code;

  for (const mode of ['legacy', { pin: '2026-07-28' }] as const)
    it(`serves the official MCP client (${JSON.stringify(mode)}), charges and stores the check`, async () => {
      const key = await bench.newKey();
      const client = await open(key, mode);
      const { tools } = await client.listTools();
      assert.deepEqual(tools.map(({ name }) => name).sort(), [
        'check_image',
        'check_picture',
        'explain_check',
        'verify_record',
      ]);
      for (const { inputSchema } of tools)
        assert.ok(!Object.hasOwn(inputSchema.properties ?? {}, 'path'), 'no tool takes a path');
      const reply = await call(client, 'check_image', { base64, heat_map: true });
      assert.match(textOf(reply), /^No AI detected \(chk_/);
      assert.match(textOf(reply), /^Limits: .*no proof/m);
      assert.equal(reply.content[1]?.type, 'image');
      assert.equal(Buffer.from(reply.content[1].data ?? '', 'base64').toString('hex', 0, 3), 'ffd8ff');
      assert.equal(await usedBy(key), 1);
      const { id } = reply.structuredContent;
      const past = await send(`${bench.url}/v1/checks/${id}`, {
        headers: { authorization: `Bearer ${key}` },
      });
      assert.equal(past.body.is_ai, false);
      const explained = await call(client, 'explain_check', { id });
      assert.match(
        textOf(explained),
        /The image as a whole: score [\d.]+, below its threshold [\d.]+\. Its false-positive rate/,
      );
      const stranger = await open(await bench.newKey(), mode);
      const hidden = await call(stranger, 'explain_check', { id });
      assert.equal(hidden.structuredContent.error?.code, 'not_found', 'checks of others stay hidden');
    });

  it('responds with JSON to a single message that was sent without an MCP client', async () => {
    const key = await bench.newKey();
    const answer = await post(key, checking({ base64, profile: 'strict' }));
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'application/json; charset=utf-8');
    assert.equal(answer.headers.get('cache-control'), 'no-store');
    assert.ok(answer.headers.get('ratelimit'));
    assert.match(textOf(replyOf(answer)), /profile strict/);
    const notified = await fetch(`${bench.url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', method: 'notifications/initialized' }),
    });
    assert.equal(notified.status, 202);
    assert.equal(await notified.text(), '');
  });

  it('fetches image addresses like /v1, returns a heat map image and stores the address as the check’s name', async () => {
    const key = await bench.newKey();
    const reply = replyOf(await post(key, checking({ url: `${site}/scene.jpg?secret=1`, heat_map: true })));
    assert.equal(reply.structuredContent.is_ai, false, textOf(reply));
    assert.equal(reply.content[1]?.type, 'image');
    const { id } = reply.structuredContent;
    const rows: unknown = await bench.database.run((queries) => queries('checks').where({ id }));
    assert.match(JSON.stringify(rows), /news\.example\.org:\d+\/scene\.jpg"/);
  });

  it('charges only once per Idempotency-Key', async () => {
    const key = await bench.newKey({ plan: 'growth' });
    const headers = { 'idempotency-key': 'once' };
    const first = await post(key, checking({ base64 }), headers);
    const second = await post(key, checking({ base64 }), headers);
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
    assert.equal(replyOf(second).structuredContent.id, replyOf(first).structuredContent.id);
    assert.equal(await usedBy(key), 1);
    assert.equal(
      codeOf(await post(key, checking({ base64, profile: 'strict' }), headers)),
      'idempotency_mismatch',
    );
  });

  it('verifies a record given as text, and repeats its check if the image is given', async () => {
    const key = await bench.newKey();
    const made = await postForm(`${bench.url}/v1/check`, key, 'file', [SCENE_JPEG], { include: 'record' });
    const { record } = (made.body as unknown as { details: { record: object } }).details;
    const held = replyOf(
      await post(key, calling('verify_record', { record: JSON.stringify(record), base64 })),
    );
    assert.equal(held.structuredContent.holds, true, textOf(held));
    assert.ok(held.structuredContent.findings.some(({ about }) => about === 'verdict'));
    assert.equal(await usedBy(key), 2);
    const changed = JSON.stringify(record).replace('No AI detected', 'AI detected');
    const broken = replyOf(await post(key, calling('verify_record', { record: changed })));
    assert.equal(broken.structuredContent.holds, false);
    assert.equal(codeOf(await post(key, calling('verify_record', { record: '{}' }))), 'invalid_record');
  });

  it('charges a verified record only once per Idempotency-Key, until its repeated check is erased', async () => {
    const key = await bench.newKey();
    const checked = await postForm(`${bench.url}/v1/check`, key, 'file', [SCENE_JPEG], { include: 'record' });
    const { record } = (checked.body as unknown as { details: { record: object } }).details;
    const text = JSON.stringify(record);
    const verify = (args: object): Promise<Answer> =>
      post(key, calling('verify_record', { record: text, ...args }), { 'idempotency-key': 'v1' });
    // Nothing is charged without the image, so the key stays free.
    assert.equal(replyOf(await verify({})).structuredContent.holds, true);
    const first = await verify({ base64 });
    const second = await verify({ base64 });
    assert.equal(first.headers.get('idempotent-replayed'), null);
    assert.equal(second.headers.get('idempotent-replayed'), 'true');
    assert.equal(second.text, first.text);
    assert.ok(replyOf(first).structuredContent.findings.some(({ about }) => about === 'verdict'));
    assert.equal(await usedBy(key), 2);

    const other = Buffer.concat([SCENE_JPEG, Buffer.alloc(16)]).toString('base64');
    for (const args of [{ base64: other }, { base64, record: `${text} ` }, {}])
      assert.equal(codeOf(await verify(args)), 'idempotency_mismatch');
    const image = await post(key, checking({ base64 }), { 'idempotency-key': 'v1' });
    assert.equal(codeOf(image), 'idempotency_mismatch');
    assert.equal(await usedBy(key), 2);

    const headers = { authorization: `Bearer ${key}` };
    const { text: list } = await send(`${bench.url}/v1/checks`, { headers });
    const [newest] = (JSON.parse(list) as { checks: { id: string }[] }).checks;
    await send(`${bench.url}/v1/checks/${newest?.id}`, { method: 'DELETE', headers });
    assert.equal((await verify({ base64 })).headers.get('idempotent-replayed'), null);
    assert.equal(await usedBy(key), 3);
  });

  it('enforces API key, scope, request rate and quota', async () => {
    const unknown = await post('tt_live_none', checking({ base64 }));
    assertError(unknown, 401, 'unauthorized');
    assert.equal(unknown.headers.get('www-authenticate'), 'Bearer');
    assertError(
      await post(await bench.newKey({ scopes: ['usage'] }), checking({ base64 })),
      403,
      'forbidden',
    );
    const hasty = await bench.newKey({ plan: 'free' });
    // Far more requests than the burst, because the plan allows another one each second.
    const answers = await Promise.all(Array.from({ length: 25 }, () => post(hasty, '{}')));
    const late = answers.find(({ status }) => status === 429);
    assert.ok(late, 'the burst of the plan is five');
    assertError(late, 429, 'rate_limited');
    assert.ok(late.headers.get('retry-after'));
  });

  it('logs a disconnected client as disconnected, not as an error', async () => {
    const key = await bench.newKey();
    const caller = new AbortController();
    const before = bench.logged.length;
    const lines = (): Record<string, unknown>[] =>
      bench.logged.slice(before).map((line) => JSON.parse(line) as Record<string, unknown>);
    const call = { name: 'check_image', arguments: { url: `${site}/hangs.jpg` } };
    const fetched = once(internet, 'request');
    const asked = fetch(`${bench.url}/mcp`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
      body: JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: call }),
      signal: caller.signal,
    });
    await fetched;
    caller.abort();
    await assert.rejects(asked);
    const ended = () => lines().filter(({ path }) => path === '/mcp');
    while (ended().length === 0) await setTimeout(5);
    assert.deepEqual(
      ended().map(({ status, code }) => [status, code]),
      [[499, 'caller_gone']],
    );
    assert.deepEqual(
      lines().filter(({ level }) => Number(level) >= 50),
      [],
    );
    const usage = await send(`${bench.url}/v1/usage`, { headers: { authorization: `Bearer ${key}` } });
    assert.equal(usage.body.checks.used, 0);
  });

  it('reads no file of the server and no internal address', async () => {
    const key = await bench.newKey();
    const refused = async (args: object): Promise<string> => textOf(replyOf(await post(key, checking(args))));
    const file = join(ROOT, 'test/fixtures/images/jpeg/scene.jpg');
    assert.match(await refused({ path: file }), /path/);
    assert.match(await refused({ path: file, base64 }), /path/, 'beside an image, too');
    assert.equal(codeOf(await post(key, checking({ url: `file://${file}` }))), 'invalid_url');
    assert.equal(codeOf(await post(key, checking({ url: 'http://example.org/a.jpg' }))), 'invalid_url');
    assert.equal(codeOf(await post(key, checking({ url: 'https://10.0.0.1/a.jpg' }))), 'url_not_public');
    assert.equal(codeOf(await post(key, checking({ base64: file }))), 'invalid_base64');
    assert.equal(codeOf(await post(key, calling('verify_record', { record: file }))), 'invalid_record');
    const folder = await post(key, calling('check_folder', { path: ROOT }));
    assert.match(folder.text, /check_folder not found|Unknown tool/i);
    assert.equal(await usedBy(key), 0);
  });

  it('reports refused images with the error codes of /v1', async () => {
    const key = await bench.newKey();
    const small = readFileSync(join(ROOT, 'samples/portrait-too-small.png')).toString('base64');
    assert.equal(codeOf(await post(key, checking({}))), 'invalid_request');
    assert.equal(codeOf(await post(key, checking({ base64, url: `${site}/a.jpg` }))), 'invalid_request');
    assert.equal(codeOf(await post(key, checking({ base64: 'AAAA' }))), 'unsupported_format');
    assert.equal(codeOf(await post(key, checking({ base64: 'a-_b' }))), 'invalid_base64');
    assert.equal(codeOf(await post(key, checking({ base64: small }))), 'image_too_small');
    assert.equal(codeOf(await post(key, calling('explain_check', { id: 'chk_unknown' }))), 'not_found');
    assert.equal(await usedBy(key), 0);
    const lines = bench.logged.map((line) => JSON.parse(line) as { path?: string; code?: string });
    assert.ok(
      lines.some(({ path, code }) => path === '/mcp' && code === 'image_too_small'),
      'the log has the code',
    );
  });

  it('refuses invalid messages before doing any work', async () => {
    const key = await bench.newKey();
    const types = ['text/plain', 'multipart/form-data; boundary=b', 'application/x-www-form-urlencoded'];
    for (const type of types)
      assertError(
        await post(key, checking({ base64 }), { 'content-type': type }),
        415,
        'unsupported_media_type',
      );
    assertError(await post(key, 'no json'), 400, 'invalid_request');
    assertError(await post(key, `[${checking({ base64 })}]`), 400, 'invalid_request', /a list/);
    assertError(await post(key, '7'), 400, 'invalid_request');
    assertError(await post(key, '['.repeat(100_000)), 400, 'invalid_request');
    const nested = `{"jsonrpc":"2.0","id":1,"method":"ping","params":${'{"a":'.repeat(50_000)}1${'}'.repeat(50_001)}`;
    assertError(await post(key, nested), 400, 'invalid_request');
    assertError(await post(key, `{"id":"${'x'.repeat(200_000)}"}`), 400, 'invalid_request');
    assertError(await post(key, checking({ base64: 'A'.repeat(40_000_000) })), 413, 'image_too_large');
    const most = Math.ceil((20 * 1_048_576) / 3) * 4;
    assert.equal(codeOf(await post(key, checking({ base64: 'A'.repeat(most + 4) }))), 'image_too_large');
    const two = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"check_image","arguments":{"base64":"AAAA","base64":"AAAA"}}}`;
    assertError(await post(key, two), 400, 'invalid_request');
    for (const body of [
      '{}',
      '{"jsonrpc":"1.0","id":1,"method":"ping"}',
      '{"jsonrpc":"2.0","id":{},"method":[]}',
    ])
      assert.equal((await post(key, body)).status, 400, body);
    for (const args of [{ base64: 7 }, { base64, heat_map: 'yes' }, { base64, profile: 'x' }, [], null])
      assert.ok((await post(key, checking(args as object))).status < 500, JSON.stringify(args));
    assert.equal(await usedBy(key), 0);
  });

  it('offers no stream and no subscription', async () => {
    const key = await bench.newKey();
    const headers = { authorization: `Bearer ${key}`, accept: 'text/event-stream' };
    for (const method of ['GET', 'DELETE']) {
      const answer = await send(`${bench.url}/mcp`, { method, headers });
      assertError(answer, 405, 'method_not_allowed');
      assert.equal(answer.headers.get('allow'), 'POST');
    }
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': {},
    };
    const listening = JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'subscriptions/listen',
      params: { _meta, notifications: { toolsListChanged: true } },
    });
    const answer = await post(key, listening, {
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'subscriptions/listen',
    });
    assert.match(answer.text, /Subscription limit reached/);
  });

  it('refuses requests from pages of other sites, even if Host and Origin match', async () => {
    const key = await bench.newKey();
    for (const origin of ['https://evil.example', 'null', 'http://localhost.evil.example'])
      assertError(await post(key, checking({ base64 }), { origin }), 403, 'forbidden', /Origin/);
    // Uses a raw request, because fetch would replace the Host header.
    const rebound = await new Promise<number | undefined>((resolve, reject) => {
      const headers = { host: 'evil.example', origin: 'http://evil.example', authorization: `Bearer ${key}` };
      request(`${bench.url}/mcp`, { method: 'POST', headers }, (res) => {
        res.resume();
        resolve(res.statusCode);
      })
        .on('error', reject)
        .end('{}');
    });
    assert.equal(rebound, 403);
    const own = await post(key, checking({ base64: 'AAAA' }), { origin: 'http://localhost:6274' });
    assert.equal(codeOf(own), 'unsupported_format');
    const named = await openBench('sqlite', { publicUrl: 'https://telltale.example' });
    try {
      const ask = (origin: string): Promise<Answer> =>
        postJson(`${named.url}/mcp`, 'tt_live_none', {}, { origin });
      assertError(await ask('https://telltale.example'), 401, 'unauthorized');
      assertError(await ask('http://localhost'), 403, 'forbidden');
    } finally {
      await named.close();
    }
  });
});
