// Tests lists for scans over HTTP: errors that refuse the whole list, and errors of single images.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request, type IncomingMessage } from 'node:http';
import { setTimeout } from 'node:timers/promises';
import { eraseAccount } from '../../../src/accounts/erase.js';
import { readKeyId } from '../../../src/accounts/key-text.js';
import { findKey } from '../../../src/accounts/keys.js';
import { discardReceived } from '../../../src/service/scans/create-items.js';
import { createImageRetention } from '../../../src/storage/images/image-retention.js';
import { openImageStore } from '../../../src/storage/images/open-image-store.js';
import { sharedPostgres } from '../../support/databases.js';
import { makeFolder } from '../../support/folders.js';
import { countWaiting } from '../../support/scaler.js';
import { openScanBench, ScanCaller, waitForNoLists, type ScanBench } from '../../support/scans.js';
import { assertError, postJson, type Answer } from '../../support/service.js';
import { fixture } from '../../support/telltale.js';

const MIB = 1_048_576;

/** Returns an object with many members, which take long to parse. */
const names = (count: number): object =>
  Object.fromEntries(Array.from({ length: count }, (_, index) => [`n${index}`, 1]));

describe('the list of images for a scan', function () {
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

  it('is refused as a whole with the number of the faulty line, and nothing is stored', async () => {
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
    await refused(
      'https://example.org/1\nhttps://example.org/2\n',
      /a CSV header with a column 'url' .* in line 1 of the list/,
    );
    await refused(
      'name,price\na,1\n',
      /a CSV header with a column 'url' or 'image_url', or JSON objects, in line 1/,
    );
    await refused('', /contains no image/);
    await refused('\n \n\n', /contains no image/);
    await refused('url,ref\n', /contains no image/);
    await refused(
      '{"url":"https://example.org/1"}\nhttps://example.org/2\n',
      /line 2 of the list is not a JSON object/,
    );
    await refused('url\n"https://example.org/1\n', /line 2/);
    await refused(
      'url\nhttps://example.org/"1"\n',
      /^The list is not valid CSV: Invalid Opening Quote: a quote is found .* at line 2$/,
    );
    await refused(readFileSync(fixture('png/scene.png')), /The list is a binary file/);
    await waitForNoLists(bench);
  });

  it('is refused if it has more images than the plan allows', async () => {
    const own = new ScanCaller(bench.service.url, await bench.service.newKey({ plan: 'starter' }));
    const most = `url\n${'https://example.org/1\n'.repeat(1000)}`;
    const list = `${most}https://example.org/1\n`;
    assertError(
      await answerOf(await own.postList(list)),
      403,
      'plan_required',
      /line 1002 .* at most 1000 items/,
    );
    await waitForNoLists(bench);
    const taken = await answerOf(await own.postList(most));
    assert.equal(taken.status, 202, taken.text);
    await own.cancel(taken.body.id);
  });

  it('may be CSV with quotes and line breaks, and may mix good and bad addresses', async () => {
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

  it('is counted in the number of waiting images, by which workers are scaled', async () => {
    const count = () => countWaiting(bench.service.database);
    assert.equal(await count(), 0);
    const { id } = await caller.start(['https://example.org/1', 'https://example.org/2', 'none']);
    assert.equal(await count(), 2);
    await caller.cancel(id);
    assert.equal(await count(), 0);
  });

  it('ends immediately without a charge if no image can be checked', async () => {
    const response = await caller.postList(
      '{"url":"none"}\n{"ref":"no address"}\n{"url":"https://a.example","ref":"\\u0000"}\n',
    );
    const scan = (await response.json()) as { id: string; state: string; errors: object };
    assert.equal(scan.state, 'finished');
    assert.deepEqual(scan.errors, { invalid_url: 2, invalid_request: 1 });
    assert.equal((await caller.results(scan.id)).length, 3);
  });

  it('is stored in inserts of at most about 500,000 characters, however long its addresses are', async () => {
    const address = `https://example.org/${'a'.repeat(8000)}`;
    const { id } = await caller.start(Array.from({ length: 200 }, () => address));
    // Each insert is a transaction of its own, so the rows of one insert have the same xmin.
    const { rows } = await bench.service.database.run((queries) =>
      queries.raw<{ rows: { items: number; characters: number }[] }>(
        `select count(*)::integer as items, sum(length(address))::integer as characters
           from scan_items where scan_id = ? group by xmin::text`,
        [id],
      ),
    );
    await caller.cancel(id);
    assert.equal(
      rows.reduce((sum, { items }) => sum + items, 0),
      200,
    );
    const largest = Math.max(...rows.map(({ characters }) => characters));
    assert.ok(largest >= 400_000 && largest <= 510_000, `${largest} characters in one insert`);
  });

  it('may be sent in JSON with options; an ambiguous body is refused', async () => {
    const url = `${bench.service.url}/v1/scans`;
    const items = [{ url: 'https://example.org/1', ref: 'a' }, { url: 'https://example.org/2' }];
    const begun = await postJson(url, key, { items, profile: 'strict', include: ['thresholds'] });
    assert.equal(begun.status, 202, begun.text);
    await caller.cancel((begun.body as unknown as { id: string }).id);
    const bodies: readonly [unknown, RegExp][] = [
      [{}, /exactly one of items and source but received neither/],
      [{ items, source: 's3://bucket/a' }, /received both/],
      [{ items: [] }, /contains no image/],
      [{ items: [{ url: 1 }] }, /a string/],
      [{ items, profile: 'lenient' }, /profile/],
      [{ items, store: true }, /'store' is not known here/],
      [{ items: [...items, { url: 'x', ...names(2000) }] }, /more than 1000 members and items/],
      [{ items, ...names(100_000) }, /more than 1000 members and items/],
      [{ items: [{ url: 'x'.repeat(70_000) }, ...items] }, /an item has more than 65536 bytes/],
      [{ source: 'https://example.org' }, /s3:\/\/BUCKET\/PREFIX/],
      [{ source: 's3://other/prefix' }, /bucket of this service's store/],
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
    await waitForNoLists(bench);
  });

  it('is not discarded once it has become a scan, even if the client never received the response', async () => {
    const { id } = await caller.start(['https://example.org/1']);
    await discardReceived(bench.service.database, id);
    assert.equal((await caller.cancel(id)).counts.cancelled, 1);
    const { database } = bench.service;
    const items = await database.run((queries) =>
      queries('scan_items').where({ scan_id: id }).select('position'),
    );
    assert.deepEqual(items, [{ position: 1 }]);
  });

  it('leaves nothing behind if its account is erased while it arrives', async () => {
    const { url, database } = bench.service;
    const own = await bench.service.newKey({ plan: 'scale' });
    const accountId = (await findKey(database, readKeyId(own)!))!.accountId;
    const sending = request(`${url}/v1/scans`, {
      method: 'POST',
      headers: { authorization: `Bearer ${own}`, 'content-type': 'multipart/form-data; boundary=b' },
    });
    const answered = once(sending, 'response') as Promise<[IncomingMessage]>;
    const items = '{"url":"https://example.org/1"}\n'.repeat(3000);
    sending.write('--b\r\nContent-Disposition: form-data; name="file"; filename="list"\r\n\r\n');
    sending.write(items);
    const readItems = () => database.run((queries) => queries('scan_items').limit(1).select('position'));
    while ((await readItems()).length === 0) await setTimeout(20);
    const store = await openImageStore({ kind: 'folder', path: makeFolder('erased-list') });
    await eraseAccount(database, createImageRetention(database, store, 30), accountId);
    sending.end(`${items}\r\n--b--\r\n`);
    const [{ statusCode }] = await answered;
    assert.equal(statusCode, 401);
    await waitForNoLists(bench);
  });

  it('leaves nothing behind if the client disconnects while sending', async () => {
    const sending = request(`${bench.service.url}/v1/scans`, {
      method: 'POST',
      headers: { authorization: `Bearer ${key}`, 'content-type': 'multipart/form-data; boundary=b' },
    });
    sending.on('error', () => undefined);
    sending.write('--b\r\nContent-Disposition: form-data; name="file"; filename="list"\r\n\r\n');
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
    await waitForNoLists(bench);
  });
});
