// Lists of scans over HTTP: what is refused whole, with its line, and what is an error of one item alone.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { setTimeout } from 'node:timers/promises';
import type { PresentedScan } from '../../src/scans/present.js';
import { serve } from '../support/telltale-serve.js';
import { sharedPostgres } from '../support/databases.js';
import { openScanBench, ScanCaller, type ScanBench } from '../support/scans.js';
import { assertError, openBench, postJson, type Answer } from '../support/service.js';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const MIB = 1_048_576;
/** What the service may need more for a list: its heap as it turns over. 69 when this was written (the list has 53). */
const MOST_MORE_MIB = 100;

describe('the list of a scan', function () {
  this.timeout(300_000);
  let bench: ScanBench;
  let key: string;
  let caller: ScanCaller;

  before(async function () {
    const postgres = await sharedPostgres();
    if (postgres === null) return this.skip();
    bench = await openScanBench(postgres);
    key = await bench.service.newKey({ plan: 'scale' });
    caller = new ScanCaller(bench.service.url, key);
  });
  after(() => bench.close());

  const answerOf = async (response: Response): Promise<Answer> => {
    const text = await response.text();
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: JSON.parse(text) as Answer['body'],
    };
  };
  const refused = async (list: BlobPart, message: RegExp): Promise<void> =>
    assertError(await answerOf(await caller.postList(list)), 400, 'invalid_request', message);

  /** Waits until nothing is left of lists that became no scan: they are deleted while the caller has his answer. */
  const waitForNothing = async (): Promise<void> => {
    const { database } = bench.service;
    while (
      (await database.run((queries) => queries('scans').where({ state: 'receiving' }).select('id'))).length >
      0
    )
      await setTimeout(20);
    await database.run(async (queries) => {
      const orphans = await queries('scan_items')
        .whereNotIn('scan_id', queries('scans').select('id'))
        .count<{ count: number }[]>('* as count');
      assert.deepEqual(orphans, [{ count: 0 }]);
    });
  };

  it('is refused whole, with its line, and nothing stays of it', async () => {
    const good = Buffer.from('{"url":"https://example.org/1"}\n');
    const notUtf8 = Buffer.concat([good, good, Buffer.from([0x7b, 0xff, 0xfe, 0x7d, 10]), good]);
    await refused(notUtf8, /line 3 of the list is not UTF-8/);
    await refused(
      Buffer.concat([Buffer.from('url\nhttps://a.example/'), Buffer.from([0xff, 10])]),
      /line 2 of the list is not UTF-8/,
    );
    await refused(
      `{"url":"https://example.org/1"}\n${'x'.repeat(10 * MIB)}\n`,
      /line 2 of the list has more than 65536 bytes/,
    );
    await refused(`url\n"${'x'.repeat(10 * MIB)}"\n`, /line \d+ of the list has more than 65536 bytes/);
    await refused('https://example.org/1\nhttps://example.org/2\n', /line 1 of the list is no header of CSV/);
    await refused(
      'name,price\na,1\n',
      /line 1 of the list is no header of CSV with a column 'url' or 'image_url'/,
    );
    await refused('', /empty/);
    await refused('\n \n\n', /empty/);
    await refused('url,ref\n', /empty/);
    await refused(
      '{"url":"https://example.org/1"}\nhttps://example.org/2\n',
      /line 2 of the list is not a JSON object/,
    );
    await refused('url\n"https://example.org/1\n', /line 2/);
    await waitForNothing();
  });

  it('has at most 1,000,000 items; the line of the next one is named', async () => {
    const answer = await stream(bench.service.url, pictures(1_000_001));
    assert.equal(answer.status, 400);
    assert.match(answer.text, /line 1000001 of the list has item 1000001; a scan has at most 1000000 items/);
    await waitForNothing();
  });

  it('is never in memory: a million lines need as much as some batches', async function () {
    if (process.platform !== 'linux') return this.skip();
    // In a process of its own, since this one makes the list.
    const served = await serve({ ...bench.env, TELLTALE_LOG: 'error' });
    try {
      const { pid } = served.process;
      assert.ok(pid);
      assert.equal((await fetch(`${served.url}/healthz`)).status, 200);
      const before = residentMemory(pid);
      const { status, text } = await stream(served.url, pictures(1_000_000));
      const after = residentMemory(pid);
      assert.equal(status, 202, text);
      const { id, counts } = JSON.parse(text) as PresentedScan;
      assert.equal(counts.waiting, 1_000_000);
      await caller.cancel(id);
      const more = (after.most - before.now) / MIB;
      assert.ok(more < MOST_MORE_MIB, `${more.toFixed(0)} MiB more`);
    } finally {
      await served.end();
    }
  });

  it('is refused where the plan allows fewer items', async () => {
    const own = new ScanCaller(bench.service.url, await bench.service.newKey({ plan: 'starter' }));
    const list = `url\n${'https://example.org/1\n'.repeat(1001)}`;
    assertError(
      await answerOf(await own.postList(list)),
      403,
      'plan_required',
      /line 1002 .* at most 1000 items/,
    );
    await waitForNothing();
  });

  it('may be CSV with quotes and line breaks, and holds good and bad addresses side by side', async () => {
    const list = [
      '\uFEFFname,ref,image_url',
      '"a ""quoted"" name, with a comma",one,https://example.org/1',
      '"a name\nover two lines",two,https://example.org/2',
      '',
      'bad,three,ftp://example.org/3',
      'worse,four,',
      'inside,five,https://user:secret@example.org/5',
      'short',
    ].join('\r\n');
    const response = await caller.postList(list);
    assert.equal(response.status, 202);
    const { id, counts } = (await response.json()) as { id: string; counts: object };
    assert.deepEqual(counts, { items: 6, waiting: 2, checked: 0, failed: 4, cancelled: 0 });
    const entries = await caller.results(id);
    assert.deepEqual(
      entries.map(({ line, ref, error }) => [line, ref, error?.code]),
      [
        [6, 'three', 'invalid_url'],
        [7, 'four', 'invalid_url'],
        [8, 'five', 'invalid_url'],
        [9, undefined, 'invalid_url'],
      ],
    );
    assert.ok(!JSON.stringify(entries).includes('secret'));
    await caller.cancel(id);
  });

  it('ends at once where no item can be checked, and costs nothing', async () => {
    const response = await caller.postList(
      '{"url":"none"}\n{"ref":"no address"}\n{"url":"https://a.example","ref":"\\u0000"}\n',
    );
    const scan = (await response.json()) as { id: string; state: string; errors: object };
    assert.equal(scan.state, 'finished');
    assert.deepEqual(scan.errors, { invalid_url: 2, invalid_request: 1 });
    assert.equal((await caller.results(scan.id)).length, 3);
  });

  it('may stand in JSON, with options; a body that can not be meant is refused', async () => {
    const url = `${bench.service.url}/v1/scans`;
    const items = [{ url: 'https://example.org/1', ref: 'a' }, { url: 'https://example.org/2' }];
    const begun = await postJson(url, key, { items, profile: 'strict', include: ['thresholds'] });
    assert.equal(begun.status, 202, begun.text);
    await caller.cancel((begun.body as unknown as { id: string }).id);
    const bodies: readonly [unknown, RegExp][] = [
      [{}, /exactly one of items and source but received neither/],
      [{ items, source: 's3://bucket/a' }, /received both/],
      [{ items: [] }, /empty/],
      [{ items: [{ url: 1 }] }, /a string/],
      [{ items, profile: 'lenient' }, /profile/],
      [{ items, store: true }, /'store' is not known here/],
      [{ source: 'https://example.org' }, /s3:\/\/BUCKET\/PREFIX/],
      [{ source: 's3://other/prefix' }, /not this service's store/],
    ];
    for (const [body, message] of bodies)
      assertError(await postJson(url, key, body), 400, 'invalid_request', message);
    const text = await caller.call('', {
      method: 'POST',
      body: 'url',
      headers: { 'content-type': 'text/csv' },
    });
    assertError(await answerOf(text), 415, 'unsupported_media_type');
    const none = await caller.call('', { method: 'POST', body: new FormData() });
    assert.equal(none.status, 400);
    await waitForNothing();
  });

  it('leaves nothing behind where its sender goes away', async () => {
    const sending = request(`${bench.service.url}/v1/scans`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'multipart/form-data; boundary=b' },
    });
    sending.on('error', () => undefined);
    sending.write(HEAD);
    sending.write('{"url":"https://example.org/1"}\n'.repeat(5000));
    const readReceived = () =>
      bench.service.database.run((queries) =>
        queries('scan_items')
          .whereIn('scan_id', queries('scans').where({ state: 'receiving' }).select('id'))
          .limit(1)
          .select('position'),
      );
    while ((await readReceived()).length === 0) await setTimeout(20);
    sending.destroy();
    await waitForNothing();
  });

  const HEAD = '--b\r\nContent-Disposition: form-data; name="file"; filename="list"\r\n\r\n';

  /** Sends a list that is never in memory here, either. */
  async function stream(url: string, chunks: Iterable<Buffer>): Promise<{ status: number; text: string }> {
    const sending = request(`${url}/v1/scans`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'multipart/form-data; boundary=b' },
    });
    const answered = once(sending, 'response');
    const body = function* (): Generator<Buffer> {
      yield Buffer.from(HEAD);
      yield* chunks;
      yield Buffer.from('\r\n--b--\r\n');
    };
    Readable.from(body()).pipe(sending);
    const [response] = (await answered) as [Readable & { statusCode: number }];
    let text = '';
    for await (const chunk of response) text += String(chunk);
    return { status: response.statusCode, text };
  }
});

/** A list, made as it is read. */
function* pictures(count: number): Generator<Buffer> {
  for (let from = 0; from < count; from += 1000) {
    const lines = Array.from({ length: Math.min(1000, count - from) }, (_, index) => {
      const name = from + index;
      return `{"url":"https://example.org/${name}.jpg","ref":"${name}"}\n`;
    });
    yield Buffer.from(lines.join(''));
  }
}

/** Bytes of a process that are in memory: now, and the most so far. Linux alone. */
function residentMemory(pid: number): { readonly now: number; readonly most: number } {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]) * 1024;
  return { now: read('VmRSS'), most: read('VmHWM') };
}

describe('scans on SQLite', () => {
  it('are not set up, and say how they would be', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'telltale-scans-'));
    const bench = await openBench({ kind: 'sqlite', path: join(folder, 'telltale.sqlite') }, { threads: 1 });
    try {
      const caller = new ScanCaller(bench.url, await bench.newKey());
      for (const [path, method] of [
        ['', 'POST'],
        ['', 'GET'],
        ['/scn_1', 'GET'],
        ['/scn_1', 'DELETE'],
        ['/scn_1/results', 'GET'],
      ] as const) {
        const response = await caller.call(path, { method });
        assert.equal(response.status, 501);
        assert.match(
          await response.text(),
          /not_configured.*TELLTALE_DATABASE_URL=postgres:.*telltale worker/,
        );
      }
    } finally {
      await bench.close();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});
