// Tests scans through the typed client, with a real service, worker and PostgreSQL, local images and a
// webhook receiver.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pino } from 'pino';
import { Telltale, type TelltaleError, verifyWebhook, type Scan, type ScanEntry, type ScanInput } from '../../client/src/index.js'; // prettier-ignore
import { findAccount } from '../../src/accounts/accounts.js';
import { startScanWorker } from '../../src/service/worker.js';
import { createEndpoint } from '../../src/service/webhooks/endpoints.js';
import { sharedPostgres } from '../support/databases.js';
import { makeFolder } from '../support/folders.js';
import { SCENE_JPEG } from '../support/images.js';
import { openBench, testConfig, type ServiceBench } from '../support/service.js';
import { openReceiver, type Receiver } from '../support/webhook-receiver.js';

describe('scans with telltale-client', function () {
  this.timeout(600_000);
  let bench: ServiceBench;
  let images: Server;
  const folder = makeFolder('scans');
  let image: string;
  let telltale: Telltale;
  let receiver: Receiver;
  const endings: (() => unknown)[] = [];

  before(async function () {
    const server = await sharedPostgres();
    if (server === null) return this.skip();
    images = createServer((req, res) => {
      if (req.url === '/missing.jpg') res.writeHead(404).end();
      else res.end(SCENE_JPEG);
    }).listen(0, '127.0.0.1');
    await once(images, 'listening');
    endings.push(() => images.close());
    image = `http://127.0.0.1:${(images.address() as AddressInfo).port}/scene.jpg`;
    const database = { kind: 'postgres', url: server.createDatabase() } as const;
    bench = await openBench(database);
    endings.push(() => bench.close());
    receiver = await openReceiver();
    endings.push(() => receiver.close());
    const worker = await startScanWorker(testConfig(folder, database), {
      log: pino({ level: 'silent' }),
      fetcher: { isAllowed: () => true },
      webhooks: receiver.world,
    });
    endings.push(() => worker.stop());
    const key = await bench.newKey({ account: 'scanner', plan: 'scale', scopes: ['scan'] });
    telltale = new Telltale({ baseUrl: bench.url, apiKey: key });
  });
  after(async () => {
    for (const end of endings.reverse()) await end();
  });

  const collect = async (scan: Scan): Promise<ScanEntry[]> => {
    const entries: ScanEntry[] = [];
    for await (const entry of telltale.scans.results(scan.id)) entries.push(entry);
    return entries;
  };

  it('accept a list of images in every form in which a program may hold the list', async () => {
    const path = join(folder, 'list.csv');
    writeFileSync(path, `url,ref\n${image},a\n`);
    const jsonl = `${JSON.stringify({ url: image, ref: 'a' })}\n`;
    const items = function* () {
      yield { url: new URL(image), ref: 'a' };
    };
    const forms: ScanInput[] = [
      [{ url: image, ref: 'a' }],
      items(),
      Readable.from(items()) as AsyncIterable<{ url: URL }>,
      path,
      new Blob([jsonl]),
      new TextEncoder().encode(jsonl),
      new Blob([jsonl]).stream(),
      Readable.from([Buffer.from(jsonl.slice(0, 10)), Buffer.from(jsonl.slice(10))]),
    ];
    const check = async (form: ScanInput): Promise<void> => {
      const scan = await telltale.scans.create(form, { profile: 'strict', include: ['thresholds'] });
      assert.match(scan.id, /^scn_/);
      const [entry, ...others] = await collect(scan);
      assert.ok(entry && 'is_ai' in entry && others.length === 0);
      assert.deepEqual([entry.ref, entry.profile, Object.keys(entry.details ?? {})], ['a', 'strict', ['thresholds']]); // prettier-ignore
    };
    // The plan allows only five scans at a time.
    for (const some of [forms.slice(0, 4), forms.slice(4)]) await Promise.all(some.map(check));
    await assert.rejects(telltale.scans.create(image), TypeError);
    await assert.rejects(telltale.scans.create('s3://bucket/prefix'), { code: 'invalid_request' });
    await assert.rejects(telltale.scans.create([]), { code: 'invalid_request' });
  });

  it('end with one result per image, labelled with the image’s reference, and notify the account’s webhook', async () => {
    const account = await findAccount(bench.database, 'scanner');
    const { secret } = await createEndpoint(bench.database, {
      accountId: account!.id,
      url: `${receiver.url}/scans`,
    });
    const wanted = Array.from({ length: 10 }, (_, at) => `ref ${at}`);
    const missing = image.replace('scene', 'missing');
    const list = wanted.map((ref, at) => ({ url: at === 7 ? missing : image, ref }));
    const begun = await telltale.scans.create(list);
    let looks = 0;
    const ended = await telltale.scans.wait(begun.id, { onProgress: () => (looks += 1) });
    assert.deepEqual([ended.state, ended.counts.checked, ended.counts.failed], ['finished', 9, 1]);
    assert.ok(looks > 0);
    const entries = await collect(ended);
    assert.deepEqual(entries.map(({ ref }) => ref).sort(), [...wanted].sort());
    const [refused, ...rest] = entries.flatMap((entry) => ('error' in entry ? [entry.error.code] : []));
    assert.deepEqual([refused, rest], ['url_fetch_failed', []]);
    assert.deepEqual((await telltale.scans.list())[0], ended);
    for (;;) {
      const arrivals = await receiver.waitFor('/scans', 1);
      const events = await Promise.all(
        arrivals.map(({ headers, body }) => verifyWebhook(headers, body, secret)),
      );
      const finished = events.find((event) => event.type === 'scan.finished');
      if (!finished) continue;
      assert.deepEqual([finished.data.id, finished.data.state], [begun.id, 'finished']);
      const progress = events.filter(({ type }) => type === 'scan.progress');
      assert.ok(progress.length >= 1 && progress.length <= 10);
      break;
    }
  });

  it('can be cancelled, read without waiting and aborted by a signal', async () => {
    const scan = await telltale.scans.create(Array.from({ length: 300 }, () => image));
    const controller = new AbortController();
    const waiting = telltale.scans.wait(scan.id, { signal: controller.signal });
    controller.abort(new Error('enough'));
    await assert.rejects(waiting, /enough/);
    for await (const entry of telltale.scans.results(scan.id, { follow: false })) assert.ok(entry.line >= 1);
    const cancelled = await telltale.scans.cancel(scan.id);
    assert.equal(cancelled.state, 'cancelled');
    assert.equal((await telltale.scans.get(scan.id)).state, 'cancelled');
    const { counts } = await telltale.scans.wait(scan.id);
    assert.equal((await collect(scan)).length, counts.checked + counts.failed);
  });

  it('reject with the error code that the service returned', async () => {
    const codeOf = (work: Promise<unknown>) => work.then(() => null, (error: unknown) => (error as TelltaleError).code); // prettier-ignore
    assert.equal(await codeOf(telltale.scans.get('scn_00000000000000000000000000')), 'not_found');
    assert.equal(await codeOf(telltale.scans.cancel('../usage')), 'not_found');
    assert.equal(await codeOf(telltale.scans.results('scn_1').next()), 'not_found');
    const poor = new Telltale({
      baseUrl: bench.url,
      apiKey: await bench.newKey({ plan: 'free', scopes: ['scan'] }),
    });
    assert.equal(await codeOf(poor.scans.create([image])), 'plan_required');
  });
});
