// Tests scans of a prefix of the operator's own bucket, on a real S3-compatible server.
import assert from 'node:assert/strict';
import { openBucket, type Bucket } from '../../support/bucket.js';
import { sharedPostgres } from '../../support/databases.js';
import { makeBmp, SCENE_JPEG } from '../../support/images.js';
import {
  assertSettled,
  openScanBench,
  ScanCaller,
  waitForNoLists,
  type ScanBench,
} from '../../support/scans.js';
import { ScanWorkers } from '../../support/scan-workers.js';
import { serve } from '../../support/telltale-serve.js';
import { ensureAccount, setScanPrefix } from '../../../src/accounts/accounts.js';
import type { PresentedScan } from '../../../src/service/scans/scan.js';
import { createS3Source } from '../../../src/storage/images/s3-source.js';

const KEPT = 'acc_01ARZ3NDEKTSV4RRFFQ69G5FAV/img_01ARZ3NDEKTSV4RRFFQ69G5FAV';

describe('a scan of images in the operator’s bucket', function () {
  this.timeout(300_000);
  let bench: ScanBench;
  let bucket: Bucket;

  before(async function () {
    const postgres = await sharedPostgres();
    if (postgres === null) return this.skip();
    bucket = await openBucket('catalogue');
    bench = await openScanBench(postgres, { store: { kind: 's3', bucket: bucket.name, prefix: 'kept' } });
    for (const name of ['a.jpg', 'b c+ä.jpg', 'deep/er/c.jpg']) await bucket.put(`shoes/${name}`, SCENE_JPEG);
    await bucket.put('shoes/small.bmp', makeBmp(100, 100));
    await bucket.put('shoes/readme.txt', Buffer.from('no image'));
    await bucket.put('shoes/folder/', Buffer.alloc(0));
    // Images that this service stored for callers, and images that an earlier one stored under another prefix
    // or none.
    for (const prefix of ['kept/', 'before/deep/', '']) await bucket.put(prefix + KEPT, SCENE_JPEG);
    await bucket.put('shoes-2/e.jpg', SCENE_JPEG);
    await bucket.put('shirts/d.jpg', SCENE_JPEG);
  });
  after(() => bench.close());

  let accounts = 0;
  /** Returns a caller whose account may read objects below `prefix`. */
  const newCaller = async (prefix: string): Promise<ScanCaller> => {
    const { service } = bench;
    const { id, name } = await ensureAccount(service.database, `reader ${(accounts += 1)}`);
    await setScanPrefix(service.database, id, prefix);
    return new ScanCaller(service.url, await service.newKey({ account: name }));
  };
  const post = (
    caller: ScanCaller,
    source: string,
    headers: Record<string, string> = {},
  ): Promise<Response> =>
    caller.call('', {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body: JSON.stringify({ source }),
    });
  const scan = async (caller: ScanCaller, source: string): Promise<PresentedScan> => {
    const answer = await post(caller, source);
    const text = await answer.text();
    assert.equal(answer.status, 202, text);
    return caller.wait((JSON.parse(text) as PresentedScan).id);
  };

  it('waits while the object store is unreachable, and loses no image', async () => {
    const caller = await newCaller('shoes');
    const answer = await post(caller, `s3://${bucket.name}/shoes/deep/`);
    const { id } = (await answer.json()) as PresentedScan;
    // The list was read before the outage, and no worker runs yet, so every object is requested during the
    // outage.
    const outage = await bucket.takeAway();
    const env = { ...bench.env, TELLTALE_STORE_URL: `s3://${bucket.name}/kept` };
    const workers = new ScanWorkers({ ...bench, env });
    workers.spawn();
    const isTried = () => outage.cutOff >= 6;
    await caller.wait(id, ({ state }) => isTried() || state === 'finished');
    assert.ok(isTried(), 'it was not given up');
    await outage.end();
    const { counts, errors } = await caller.wait(id);
    assert.deepEqual([counts.checked, counts.failed, errors], [1, 0, {}]);
    await assertSettled(bench, caller, id);
    workers.killAll();
    await bench.startWorker();
  });

  it('checks every object whose name starts with the prefix, and names the object in each result', async () => {
    const caller = await newCaller('shoes');
    const { id, counts, errors } = await scan(caller, `s3://${bucket.name}/shoes/`);
    assert.deepEqual(counts, { items: 5, waiting: 0, checked: 3, failed: 2, cancelled: 0 });
    assert.deepEqual(errors, { image_too_small: 1, unsupported_format: 1 });
    const entries = await assertSettled(bench, caller, id);
    const codes = entries.map(({ ref, error }) => [ref, error?.code]).sort();
    assert.deepEqual(codes, [
      ['shoes/a.jpg', undefined],
      ['shoes/b c+ä.jpg', undefined],
      ['shoes/deep/er/c.jpg', undefined],
      ['shoes/readme.txt', 'unsupported_format'],
      ['shoes/small.bmp', 'image_too_small'],
    ]);
  });

  it('is refused outside the account’s own prefix, and a new account has no prefix', async () => {
    const refuse = async (prefix: string, below: string, message: RegExp): Promise<void> => {
      const answer = await post(await newCaller(prefix), `s3://${bucket.name}${below}`);
      const text = await answer.text();
      assert.equal(answer.status, 400, `${prefix} ${below}: ${text}`);
      assert.match(text, message);
    };
    for (const below of ['', '/', '/shoes/'])
      await refuse('', below, /invalid_request.*nothing of the bucket.*telltale accounts prefix/);
    for (const below of ['', '/', '/sh', '/shoes', '/shoes-2/', '/shirts/', '//shoes/', `/kept/${KEPT}`])
      await refuse('shoes', below, /invalid_request.*below s3:\/\/catalogue\/shoes\/ alone/);
    await waitForNoLists(bench);
    const { counts } = await scan(await newCaller('shoes/'), `s3://${bucket.name}/shoes/deep`);
    assert.equal(counts.items, 1);
  });

  it('skips the images that the service itself stores in the bucket, under any prefix', async () => {
    const caller = await newCaller('/');
    const { id } = await scan(caller, `s3://${bucket.name}`);
    const refs = (await assertSettled(bench, caller, id)).map(({ ref }) => ref ?? '');
    assert.equal(refs.length, 7);
    assert.ok(refs.includes('shirts/d.jpg') && !refs.some((ref) => ref.includes('acc_')));
    const source = createS3Source(bucket.name);
    const { signal } = new AbortController();
    for (const prefix of ['kept/', 'before/deep/', ''])
      await assert.rejects(source.read(prefix + KEPT, signal), { code: 'url_fetch_failed' });
    assert.deepEqual(Buffer.from(await source.read('shirts/d.jpg', signal)), SCENE_JPEG);
    source.close();
  });

  it('returns the first response to a repeated Idempotency-Key, although the bucket has changed or is unreachable', async () => {
    const caller = await newCaller('/');
    const repeat = (folder: string) =>
      post(caller, `s3://${bucket.name}/${folder}/`, { 'idempotency-key': 'growing' });
    await bucket.put('growing/a.jpg', SCENE_JPEG);
    const first = await repeat('growing');
    const body = await first.text();
    assert.equal(first.status, 202, body);
    await caller.cancel((JSON.parse(body) as PresentedScan).id);
    const assertRepeated = async (): Promise<void> => {
      const answer = await repeat('growing');
      assert.equal(await answer.text(), body);
      assert.equal(answer.headers.get('idempotent-replayed'), 'true');
    };
    await bucket.put('growing/b.jpg', SCENE_JPEG);
    await assertRepeated();
    assert.match(await (await repeat('shoes')).text(), /idempotency_mismatch/);
    const outage = await bucket.takeAway();
    await assertRepeated();
    assert.equal(outage.cutOff, 0);
    await outage.end();
    await waitForNoLists(bench);
  });

  it('is refused if no object name starts with the prefix', async () => {
    const answer = await post(await newCaller('/'), `s3://${bucket.name}/hats/`);
    assert.equal(answer.status, 400);
    assert.match(await answer.text(), /no object below the prefix/);
  });

  it('is refused with unavailable if the object store is unreachable', async () => {
    const served = await serve({ ...bench.env, TELLTALE_STORE_URL: `s3://${bucket.name}/kept` });
    await bucket.close();
    const { id, name } = await ensureAccount(bench.service.database, 'reader of nothing');
    await setScanPrefix(bench.service.database, id, '/');
    const caller = new ScanCaller(served.url, await bench.service.newKey({ account: name }));
    const answer = await post(caller, `s3://${bucket.name}/shoes/`);
    assert.equal(answer.status, 503);
    assert.match(await answer.text(), /unavailable.*the store could not be listed/);
    await waitForNoLists(bench);
    await served.end();
  });
});
