// Tests the typed client with the real service, through a proxy that can simulate failures.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { createReadStream } from 'node:fs';
import { createServer, request, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { inspect, promisify } from 'node:util';
import { Telltale, TelltaleError, type TelltaleOptions } from '../../client/src/index.js';
import { ERROR_STATUS } from '../../src/library/base/error-codes.js';
import { buildOpenApi } from '../../src/service/http/openapi/openapi.js';
import { SCENE_JPEG } from '../support/images.js';
import { openBench, type ServiceBench } from '../support/service.js';
import { fixture, ROOT } from '../support/telltale.js';

const IMAGE = fixture('png/scene.png');
const SMALL = join(ROOT, 'samples/portrait-too-small.png');

/**
 * Function that may handle a request instead of the service. If it returns false, the service gets the
 * request.
 */
type Fault = (req: IncomingMessage, res: ServerResponse) => boolean;

describe('telltale-client', () => {
  let bench: ServiceBench;
  let line: Server;
  let baseUrl: string;
  let key: string;
  let faults: Fault[] = [];
  let seen: { path: string; method: string; idempotencyKey: string | undefined }[] = [];

  const client = (options: Partial<TelltaleOptions> = {}): Telltale =>
    new Telltale({ baseUrl, apiKey: key, ...options });
  const codeOf = async (work: Promise<unknown>): Promise<unknown> => {
    const error: unknown = await work.then(
      () => assert.fail('it should have been refused'),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof TelltaleError, String(error));
    return error.code;
  };
  const usedChecks = async (): Promise<number> => (await client().usage()).checks.used;

  before(async () => {
    bench = await openBench();
    line = createServer((req, res) => {
      // Ignores a request that an earlier test abandoned: it may arrive late.
      if (req.headers.authorization === `Bearer ${key}`) {
        seen.push({
          path: (req.url ?? '').split('?')[0]!,
          method: req.method ?? '',
          idempotencyKey: req.headers['idempotency-key'] as string | undefined,
        });
        if (faults.shift()?.(req, res) === true) return;
      }
      passOn(req, (answer) => {
        res.writeHead(answer.statusCode ?? 0, answer.headers);
        answer.pipe(res);
      });
    }).listen(0, '127.0.0.1');
    await once(line, 'listening');
    baseUrl = `http://127.0.0.1:${(line.address() as AddressInfo).port}/`;
  });

  beforeEach(async () => {
    faults = [];
    key = await bench.newKey({ scopes: ['check', 'usage', 'scan'] });
    seen = [];
  });

  after(async () => {
    line.close();
    line.closeAllConnections();
    await bench.close();
  });

  function passOn(req: IncomingMessage, onAnswer: (answer: IncomingMessage) => void): void {
    const { method, headers, url } = req;
    req.pipe(request(bench.url + (url ?? ''), { method, headers }, onAnswer));
  }

  const answer =
    (status: number, body: object, headers: Record<string, string> = {}): Fault =>
    (req, res) => {
      req.resume().once('end', () => res.writeHead(status, headers).end(JSON.stringify(body)));
      return true;
    };

  it('checks an image given as a path, file URL, bytes, Blob or stream', async () => {
    const blob = new Blob([new Uint8Array(SCENE_JPEG)]);
    const forms = [
      IMAGE,
      pathToFileURL(IMAGE),
      SCENE_JPEG,
      new Uint8Array(SCENE_JPEG),
      new Uint8Array(SCENE_JPEG).buffer,
      blob,
      new File([blob], 'scene.jpg'),
      blob.stream(),
      createReadStream(IMAGE),
    ];
    const widths: number[] = [];
    for (const form of forms) {
      const result = await client().check(form, { profile: 'strict', include: ['thresholds', 'timings'] });
      assert.match(result.id, /^chk_/);
      assert.equal(result.profile, 'strict');
      assert.deepEqual(Object.keys(result.details ?? {}).sort(), ['thresholds', 'timings']);
      widths.push(result.image.width);
    }
    assert.equal(new Set(widths).size, 1);
  });

  it('passes an image address to the service, and reports the service’s error if the service cannot fetch the address', async () => {
    assert.equal(await codeOf(client().check('http://127.0.0.1/x.jpg')), 'url_not_public');
    assert.equal(await codeOf(client().check(new URL('http://10.0.0.1/x.jpg'))), 'url_not_public');
  });

  it('rejects with the code, status and request id of an error response', async () => {
    const error = (await client()
      .check(SMALL)
      .catch((reason: unknown) => reason)) as TelltaleError;
    assert.deepEqual([error.code, error.status], ['image_too_small', 422]);
    assert.match(error.requestId!, /^req_/);
    assert.match(error.message, /200 × 200 px/);
    assert.equal(await codeOf(client({ apiKey: 'tt_live_wrong' }).check(IMAGE)), 'unauthorized');
  });

  it('sends batches of images as a form, and as JSON if they contain addresses', async () => {
    const files = await client().checkBatch([IMAGE, SMALL]);
    assert.ok('is_ai' in files.results[0]! && 'error' in files.results[1]!);
    const mixed = await client().checkBatch([SCENE_JPEG, 'http://127.0.0.1/x.jpg']);
    const [first, second] = mixed.results;
    assert.ok(first && 'is_ai' in first && second && 'error' in second);
    assert.equal(second.error.code, 'url_not_public');
    assert.equal(await codeOf(client().checkBatch([])), 'invalid_batch');
  });

  it('lets a program choose the result of a check made with a sandbox key', async () => {
    const tester = client({ apiKey: await bench.newKey({ sandbox: true }), maxRetries: 0 });
    const bytes = new Uint8Array([1, 2, 3]);
    const result = await tester.check(bytes, { sandbox: 'face', include: ['assessment'] });
    assert.deepEqual([result.fired, result.sandbox], [['face_specialist'], true]);
    assert.equal(result.details?.assessment, 'likely_ai');
    const batch = await tester.checkBatch([bytes, 'https://example.com/a.jpg'], { sandbox: 'unclear' });
    assert.deepEqual([batch.results.length, batch.sandbox], [2, true]);
    assert.equal(await codeOf(tester.check(bytes, { sandbox: 'rate_limited' })), 'rate_limited');
    for await (const { error } of tester.checkMany([bytes], { sandbox: 'too_small' }))
      assert.equal(error?.code, 'image_too_small');
    assert.equal(await codeOf(client().check(IMAGE, { sandbox: 'ai' })), 'invalid_request');
  });

  it('returns the results of many images in order, including errors, and reads each image only when needed', async () => {
    let taken = 0;
    const images = function* () {
      for (const image of [IMAGE, SMALL, IMAGE, IMAGE, IMAGE, IMAGE, IMAGE, IMAGE]) {
        taken += 1;
        yield image;
      }
    };
    const outcomes: unknown[] = [];
    for await (const { image, result, error } of client().checkMany(images(), { concurrency: 3 })) {
      outcomes.push([image, result?.is_ai ?? error?.code]);
      assert.ok(taken <= outcomes.length + 3, `${taken} taken, ${outcomes.length} given`);
      if (outcomes.length === 4) break;
    }
    assert.deepEqual(outcomes, [[IMAGE, false], [SMALL, 'image_too_small'], [IMAGE, false], [IMAGE, false]]); // prettier-ignore
  });

  it('reports a missing, unreadable or empty file as that image’s error, and checks the others', async () => {
    const empty = new Uint8Array();
    const images = [IMAGE, 'no-such-file.jpg', ROOT, empty, IMAGE];
    const outcomes: unknown[] = [];
    for await (const { result, error } of client().checkMany(images))
      outcomes.push(result?.is_ai ?? error?.code);
    assert.deepEqual(outcomes, [false, 'image_unreadable', 'image_unreadable', 'invalid_request', false]);
    await assert.rejects(client().check('no-such-file.jpg'), { code: 'ENOENT' });
  });

  it('ends checkMany immediately if the API key may not check images', async () => {
    faults = Array.from({ length: 4 }, () =>
      answer(403, { error: { code: 'forbidden', message: 'no scope' } }),
    );
    assert.equal(await codeOf(client().checkMany([IMAGE, IMAGE]).next()), 'forbidden');
  });

  it('removes white space around the API key', async () => {
    assert.equal((await client({ apiKey: ` ${key}\r\n` }).usage()).checks.used, 0);
  });

  it('refuses a missing address of the service and an address without http', () => {
    for (const baseUrl of [undefined as unknown as string, '127.0.0.1:8080', 'localhost:8080', 'ftp://host'])
      assert.throws(() => client({ baseUrl }), /TypeError: Expected the address .* but received \S+$/);
    for (const path of ['/telltale', './telltale', '']) assert.ok(client({ baseUrl: path }));
  });

  for (const status of [500, 502, 503, 504])
    it(`retries a request after status ${status}`, async () => {
      faults = [(_req, res) => Boolean(res.writeHead(status).end('<h1>Try again</h1>'))];
      assert.equal((await client().usage()).checks.used, 0);
      assert.equal(seen.length, 2);
    });

  for (const status of [400, 501, 505])
    it(`does not retry a request after status ${status}`, async () => {
      faults = [(_req, res) => Boolean(res.writeHead(status).end('<h1>No</h1>'))];
      assert.equal(await codeOf(client().usage()), 'invalid_response');
      assert.equal(seen.length, 1);
    });

  it('ends checkMany immediately on an error that every image would cause', async () => {
    key = await bench.newKey({ plan: 'nothing left' });
    const outcomes = client().checkMany(Array.from({ length: 50 }, () => IMAGE));
    assert.equal(await codeOf(outcomes.next()), 'plan_required');
    assert.ok(seen.length <= 5);
  });

  it('charges a check only once if the response was lost and the request is repeated', async () => {
    // The service checks the image and charges it, but the response is lost.
    faults = [
      (req, res) => {
        passOn(req, (lost) => lost.resume().once('end', () => res.destroy()));
        return true;
      },
    ];
    const result = await client().check(IMAGE);
    assert.match(result.id, /^chk_/);
    assert.equal(seen.length, 2);
    assert.ok(seen[0]!.idempotencyKey);
    assert.equal(seen[0]!.idempotencyKey, seen[1]!.idempotencyKey);
    assert.equal(await usedChecks(), 1);
    await client().check(IMAGE);
    assert.notEqual(seen.at(-1)!.idempotencyKey, seen[0]!.idempotencyKey);
  });

  it('waits for the time in Retry-After before it retries after status 429 or 503', async () => {
    const busy = { error: { code: 'overloaded', message: 'later' } };
    const often = { error: { code: 'rate_limited', message: 'slower' } };
    faults = [answer(503, busy, { 'retry-after': '1' }), answer(429, often, { 'retry-after': new Date(Date.now() + 2500).toUTCString() })]; // prettier-ignore
    const startMs = Date.now();
    await client().check(IMAGE);
    assert.equal(seen.length, 3);
    assert.ok(Date.now() - startMs >= 1000);
  });

  it('gives up after the configured number of retries, and immediately if a retry cannot help', async () => {
    const busy = answer(503, { error: { code: 'overloaded', message: 'later' } });
    faults = [busy, busy];
    assert.equal(await codeOf(client({ maxRetries: 1 }).check(IMAGE)), 'overloaded');
    assert.equal(seen.length, 2);
    const spent = answer(429, { error: { code: 'quota_exceeded', message: 'spent' } });
    faults = [spent, spent];
    assert.equal(await codeOf(client().check(IMAGE)), 'quota_exceeded');
    assert.equal(seen.length, 3);
    faults = [answer(503, { error: { code: 'unavailable', message: 'long' } }, { 'retry-after': '3600' })];
    assert.equal(await codeOf(client().check(IMAGE)), 'unavailable');
    assert.equal(seen.length, 4);
  });

  it('stops during a pause or a request if the program aborts, and rejects with the program’s reason', async () => {
    const busy = answer(503, { error: { code: 'overloaded', message: 'later' } }, { 'retry-after': '60' });
    for (const fault of [busy, () => true] as Fault[]) {
      faults = [fault];
      const controller = new AbortController();
      const reason = new Error('enough');
      const work = client().check(IMAGE, { signal: controller.signal });
      setTimeout(() => controller.abort(reason), 200);
      await assert.rejects(work, reason);
    }
  });

  it('limits the time of each attempt, and reports responses that do not come from Telltale', async () => {
    faults = [() => true];
    assert.equal(await codeOf(client({ timeoutMs: 1000, maxRetries: 0 }).usage()), 'timed_out');
    assert.equal(
      await codeOf(client({ baseUrl: 'http://127.0.0.1:9', maxRetries: 0 }).usage()),
      'connection_failed',
    );
    faults = [(_req, res) => Boolean(res.writeHead(502).end('<h1>Bad gateway</h1>'))];
    assert.equal(await codeOf(client({ maxRetries: 0 }).usage()), 'invalid_response');
    faults = [(_req, res) => Boolean(res.writeHead(302, { location: 'http://127.0.0.1:9/' }).end())];
    assert.equal(await codeOf(client({ maxRetries: 0 }).usage()), 'connection_failed');
  });

  it('never prints the API key', async () => {
    const telltale = client({ maxRetries: 0 });
    faults = [(_req, res) => Boolean(res.destroy())];
    const error: unknown = await telltale.usage().catch((reason: unknown) => reason);
    const shown = [inspect(telltale, { depth: 9, showHidden: true }), JSON.stringify(telltale), inspect(error, { depth: 9 })]; // prettier-ignore
    for (const text of shown) assert.ok(!text.includes(key), text);
  });

  it('returns the bytes of a checked image, and its error as an error', async () => {
    const bytes = Uint8Array.from([0xff, 0xd8, 0xff, 0]);
    faults = [(_req, res) => Boolean(res.writeHead(200, { 'content-type': 'image/jpeg' }).end(bytes))];
    assert.deepEqual(await client().checks.appealImage('chk_1'), bytes);
  });

  it('supports every route of the OpenAPI document', async () => {
    await client().check(IMAGE);
    await client().checkBatch([IMAGE]);
    await client().usage({ from: '2026-11-01', to: '2026-11-02' });
    const { checks } = client();
    await checks.list();
    await checks.findSeen(new Blob(['x'])).catch(() => undefined);
    for (const call of [
      checks.get('chk_1'),
      checks.erase('chk_1'),
      checks.feedback('chk_1', { isAi: true }),
      checks.appeals('chk_1'),
      checks.appeal('chk_1', new Blob(['x'])),
      checks.appealImage('chk_1'),
      checks.appealLink('chk_1'),
      checks.appealLinks('chk_1'),
      checks.revokeAppealLink('chk_1', 'lnk_1'),
      checks.withdrawAppeal('chk_1', 'apl_1'),
    ])
      assert.equal(await codeOf(call), 'not_found');
    // On SQLite the service refuses scans. test/client/scans.test.ts covers successful ones.
    const { scans } = client();
    for (const call of [
      scans.create([IMAGE]),
      scans.list(),
      scans.get('scn_1'),
      scans.cancel('scn_1'),
      scans.results('scn_1').next(),
    ])
      // prettier-ignore
      assert.equal(await codeOf(call), 'not_configured');
    const paths = (buildOpenApi('0.0.0').paths ?? {}) as Record<string, object>;
    const documented = Object.entries(paths).flatMap(([path, methods]) =>
      Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`),
    );
    const reached = seen.map(({ method, path }) => {
      const names = path
        .replace(/\/(scn|chk)_1/, '/{id}')
        .replace('/lnk_1', '/{link}')
        .replace('/apl_1', '/{appeal}');
      return `${method} ${names}`;
    });
    assert.deepEqual(reached.sort(), documented.sort());
  });

  it('declares every error code that the service returns', async () => {
    for (const [code, status] of Object.entries(ERROR_STATUS)) {
      faults = [answer(status, { error: { code, message: 'so' } })];
      assert.equal(await codeOf(client({ maxRetries: 0 }).usage()), code);
    }
  });

  it('runs the Node example as documented, and the Python example runs without a client library', async () => {
    const env = { ...process.env, TELLTALE_URL: baseUrl.replace(/\/$/, ''), TELLTALE_KEY: key };
    const run = promisify(execFile);
    const node = await run(process.execPath, [join(ROOT, 'examples/node/check-many.mjs'), IMAGE, SMALL], {
      env,
    });
    assert.equal(
      node.stdout,
      `${IMAGE}: No AI detected\n${SMALL}: refused (image_too_small)\n1 checks used this month\n`,
    );
    faults = [answer(503, { error: { code: 'overloaded', message: 'later' } }, { 'retry-after': '1' })];
    const python = await run('python3', [join(ROOT, 'examples/python/check.py'), IMAGE, SMALL], { env });
    assert.equal(python.stdout, `${IMAGE}: No AI detected\n${SMALL}: refused (image_too_small)\n`);
  });
});
