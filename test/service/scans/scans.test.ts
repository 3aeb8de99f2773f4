// Tests scans over HTTP with a worker in this process: results, refusals, charges and returned quota.
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { findKey, revokeKey } from '../../../src/accounts/keys.js';
import { readKeyId } from '../../../src/accounts/key-text.js';
import { keepHashes } from '../../../src/accounts/seen/seen.js';
import type { ScanEvent } from '../../../src/service/scans/scan.js';
import { overturn } from '../../support/history.js';
import { sharedPostgres } from '../../support/databases.js';
import { makeBmp, SCENE_JPEG } from '../../support/images.js';
import {
  assertSettled,
  openInternet,
  openScanBench,
  ScanCaller,
  waitForNoLists,
  type Internet,
  type ScanBench,
} from '../../support/scans.js';
import { postForm } from '../../support/service.js';

describe('scans over HTTP', function () {
  this.timeout(300_000);
  let bench: ScanBench;
  let internet: Internet;
  let base: string;
  const events: ScanEvent[] = [];

  before(async function () {
    const postgres = await sharedPostgres();
    if (postgres === null) return this.skip();
    internet = await openInternet((req, res) => {
      const path = req.url ?? '';
      if (path.startsWith('/scene')) res.end(SCENE_JPEG);
      else if (path.startsWith('/small')) res.end(makeBmp(100, 100));
      else if (path.startsWith('/500')) res.writeHead(500).end();
      else if (path.startsWith('/inside')) res.writeHead(302, { location: 'http://169.254.169.254/' }).end();
      else if (path.startsWith('/hang')) return;
      else res.writeHead(404).end();
    });
    base = `http://pictures.example.org:${internet.port}`;
    bench = await openScanBench(postgres);
    await bench.startWorker({
      listener: (_queries, event) => {
        events.push(event);
        return Promise.resolve();
      },
    });
  });
  after(async () => {
    await bench.close();
    internet.close();
  });

  const newCaller = async (plan = 'scale'): Promise<ScanCaller> =>
    new ScanCaller(bench.service.url, await bench.service.newKey({ plan }));

  it('return one result per image, good or bad, and charge only for results', async () => {
    const caller = await newCaller();
    const urls = [
      ...Array.from({ length: 8 }, (_, index) => `${base}/scene?${index}`),
      'not an address',
      `${base}/small`,
      `${base}/500`,
      `${base}/inside`,
      `${base}/missing`,
    ];
    const begun = await caller.start(urls);
    assert.match(begun.id, /^scn_[0-9A-HJKMNP-TV-Z]{26}$/);
    assert.equal(begun.state, 'queued');
    assert.deepEqual(begun.counts, { items: 13, waiting: 12, checked: 0, failed: 1, cancelled: 0 });
    const ended = await caller.wait(begun.id);
    assert.equal(ended.state, 'finished');
    assert.deepEqual(ended.counts, { items: 13, waiting: 0, checked: 8, failed: 5, cancelled: 0 });
    assert.deepEqual(ended.errors, {
      invalid_url: 1,
      image_too_small: 1,
      url_fetch_failed: 2,
      url_not_public: 1,
    });
    assert.ok((ended.items_per_second ?? 0) > 0 && ended.started_at && ended.ended_at);
    const entries = await assertSettled(bench, caller, begun.id);
    const byLine = new Map(entries.map((entry) => [entry.line, entry]));
    assert.equal(byLine.get(9)?.error?.code, 'invalid_url');
    assert.equal(byLine.get(12)?.error?.code, 'url_not_public');
    for (const [line, { ref }] of byLine) assert.equal(ref, `item-${line}`);
    const found = (await (await caller.call('/../checks?ref=item-1')).json()) as { checks: { id: string }[] };
    assert.deepEqual(
      found.checks.map(({ id }) => id),
      [byLine.get(1)?.id],
    );
    const mine = events.filter(({ scan }) => scan.id === begun.id);
    assert.equal(mine.at(-1)?.type, 'scan.finished');
    assert.equal(mine.filter(({ type }) => type === 'scan.finished').length, 1);
    assert.ok(mine.length >= 3 && mine.length <= 11);
    assert.deepEqual(
      ((await (await caller.call()).json()) as { scans: { id: string }[] }).scans.map(({ id }) => id),
      [begun.id],
    );
  });

  it('mark a result as overturned and count it separately after a granted appeal', async () => {
    const { database } = bench.service;
    const key = await bench.service.newKey({ plan: 'scale' });
    const { accountId } = (await findKey(database, readKeyId(key)!))!;
    const caller = new ScanCaller(bench.service.url, key);
    const { id } = await caller.start([`${base}/scene?1`, `${base}/scene?2`]);
    const before = (await caller.wait(id)).assessments!;
    const [first, second] = await caller.results(id);
    const [found] = Object.entries(before).find(([, count]) => count === 2)!;
    for (let appeals = 0; appeals < 2; appeals += 1) await overturn(database, accountId, first!.id!);
    assert.deepEqual(await caller.results(id), [{ ...first, appeal: 'overturned' }, second]);
    assert.deepEqual((await caller.read(id)).assessments, { ...before, [found]: 1, overturned: 1 });
  });

  it('store a hash of each image for later recognition, if the account has enabled hashes', async () => {
    const { database, url } = bench.service;
    const key = await bench.service.newKey({ plan: 'scale' });
    const { accountId } = (await findKey(database, readKeyId(key)!))!;
    const caller = new ScanCaller(url, key);
    const scan = async (...names: string[]): Promise<void> => {
      const { id } = await caller.start(names.map((name) => `${base}/${name}`));
      await caller.wait(id);
    };
    const countHashes = () =>
      database.run((queries) => queries('seen_images').where({ account_id: accountId }).pluck('id'));
    await scan('scene?unkept');
    assert.deepEqual(await countHashes(), []);
    await keepHashes(database, accountId, true);
    await scan('scene?kept', 'small');
    const kept = await countHashes();
    assert.equal(kept.length, 1);
    const ask = () => postForm(`${url}/v1/check?include=seen`, key, 'file', [SCENE_JPEG]);
    let answer = await ask();
    // The service keeps a key and its account's settings in memory for half a second, so the setting may not
    // apply yet.
    while (answer.status !== 200) answer = await ask();
    const checks = answer.body.details?.seen?.checks ?? [];
    assert.deepEqual(
      checks.map(({ id, difference }) => [id, difference]),
      [[kept[0], 0]],
      answer.text,
    );
  });

  it('are visible only to their own account', async () => {
    const { id } = await (await newCaller()).start([`${base}/scene`]);
    const other = await newCaller();
    for (const [path, init] of [
      [`/${id}`, {}],
      [`/${id}`, { method: 'DELETE' }],
      [`/${id}/results`, {}],
    ] as const)
      assert.equal((await other.call(path, init)).status, 404);
  });

  it('start once per Idempotency-Key, whether repeated requests are concurrent or come later', async () => {
    const caller = await newCaller();
    const headers = { 'idempotency-key': 'catalogue-1' };
    const list = `url,ref\n${base}/scene?1,a\n${base}/scene?2,b\n`;
    const answers = await Promise.all(Array.from({ length: 3 }, () => caller.postList(list, {}, headers)));
    answers.push(await caller.postList(list, {}, headers));
    const texts = await Promise.all(answers.map((answer) => answer.text()));
    assert.deepEqual(
      answers.map(({ status }) => status),
      [202, 202, 202, 202],
    );
    assert.equal(new Set(texts).size, 1, texts.join('\n'));
    assert.equal(answers.filter(({ headers: received }) => received.get('idempotent-replayed')).length, 3);
    const { id } = JSON.parse(texts[0]!) as { id: string };
    await caller.wait(id);
    await assertSettled(bench, caller, id);
    await waitForNoLists(bench);
    const other = await caller.postList(`${list}${base}/scene?3,c\n`, {}, headers);
    assert.equal(other.status, 409);
  });

  it('reserve quota that neither checks nor other scans can use, and return the unused rest', async () => {
    const caller = await newCaller('starter');
    const account = await bench.service.database.run((queries) =>
      queries('api_keys')
        .where({ plan: 'starter' })
        .orderBy('created_at', 'desc')
        .first<{ account_id: string }>('account_id'),
    );
    const month = new Date().toISOString().slice(0, 7);
    await bench.service.database.run((queries) =>
      queries('usage_periods').insert({
        account_id: account.account_id,
        plan: 'starter',
        period: month,
        checks: 4990,
        reserved: 0,
      }),
    );
    const many = Array.from({ length: 11 }, (_, index) => `${base}/scene?${index}`);
    const refused = await caller.postList(`url\n${many.join('\n')}`);
    assert.equal(refused.status, 429);
    assert.match(await refused.text(), /quota_exceeded.*10 are left; this call needs 11/);
    const urls = [...many.slice(0, 8), `${base}/500?1`, `${base}/500?2`];
    const { id } = await caller.start(urls);
    const second = await caller.postList(`url\n${base}/scene`);
    assert.equal(second.status, 429);
    assert.equal(second.headers.get('retry-after'), '60');
    assert.match(await second.text(), /rate_limited.*1 scan at once/);
    const usage = (await bench.service.database.run((queries) =>
      queries('usage_periods').where(account).first(),
    )) as { checks: number; reserved: number };
    assert.equal(usage.checks + usage.reserved, 5000);
    await caller.wait(id);
    const after = await bench.service.database.run((queries) =>
      queries('usage_periods')
        .where(account)
        .first<{ checks: number; reserved: number }>('checks', 'reserved'),
    );
    assert.deepEqual(after, { checks: 4998, reserved: 0 });
  });

  it('stop halfway when cancelled, and keep finished results', async () => {
    const caller = await newCaller();
    const { id } = await caller.start(Array.from({ length: 36 }, (_, index) => `${base}/scene?${index}`));
    await caller.wait(id, ({ counts }) => counts.checked >= 8);
    const cancelled = await caller.cancel(id);
    assert.equal(cancelled.state, 'cancelled');
    assert.equal(cancelled.counts.waiting, 0);
    const { checked } = cancelled.counts;
    assert.deepEqual((await caller.cancel(id)).counts, cancelled.counts);
    // The result of the image that was in the engine when the scan was cancelled is discarded.
    const next = await caller.start([`${base}/scene`]);
    await caller.wait(next.id);
    const after = await caller.read(id);
    assert.equal(after.counts.checked, checked);
    assert.equal(after.counts.cancelled, 36 - checked - after.counts.failed);
    assert.equal((await caller.results(id)).length, checked);
  });

  it('stop if their API key is revoked, and return the unused quota', async () => {
    const key = await bench.service.newKey({ plan: 'growth', account: 'revoked midway' });
    const caller = new ScanCaller(bench.service.url, key);
    const { id } = await caller.start(Array.from({ length: 36 }, (_, index) => `${base}/scene?${index}`));
    await caller.wait(id, ({ counts }) => counts.checked >= 4);
    await revokeKey(bench.service.database, key.slice(8, 16));
    // It takes up to a second until a process knows that a key was revoked.
    while ((await caller.call(`/${id}`)).status !== 401) await setTimeout(50);
    const other = new ScanCaller(
      bench.service.url,
      await bench.service.newKey({ plan: 'growth', account: 'revoked midway' }),
    );
    const ended = await other.wait(id);
    assert.equal(ended.state, 'cancelled');
    assert.match(ended.reason ?? '', /revoked/);
    assert.ok(ended.counts.cancelled > 0);
    await assertSettled(bench, other, id);
  });

  it('let a short list of another account overtake a long list', async () => {
    const [big, small] = [await newCaller(), await newCaller()];
    const long = await big.start(Array.from({ length: 200 }, (_, index) => `${base}/scene?${index}`));
    await big.wait(long.id, ({ counts }) => counts.checked >= 5);
    const short = await small.start(Array.from({ length: 4 }, (_, index) => `${base}/scene?${index}`));
    assert.equal((await small.wait(short.id)).counts.checked, 4);
    assert.equal((await big.read(long.id)).state, 'running');
    await big.cancel(long.id);
  });

  it('require an API key with the scope scan and a plan that includes scans', async () => {
    const key = await bench.service.newKey({ scopes: ['check'] });
    assert.equal((await new ScanCaller(bench.service.url, key).call()).status, 403);
    const free = await newCaller('free');
    const refused = await free.postList(`url\n${base}/scene`);
    assert.equal(refused.status, 403);
    assert.match(await refused.text(), /plan_required/);
  });

  it('are listed in pages, as are their results', async () => {
    const caller = await newCaller();
    const ids: string[] = [];
    for (const line of [1, 2, 3])
      ids.unshift((await caller.start([`${base}/scene?${line}`, `${base}/none`])).id);
    const pagesOf = async (path: string): Promise<Response[]> => {
      const pages: Response[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const page: Response = await caller.call(`${path}${cursor && `&cursor=${cursor}`}`);
        assert.equal(page.status, 200);
        pages.push(page);
        cursor = page.headers.get('next-cursor');
      }
      return pages;
    };
    const lists = (await Promise.all((await pagesOf('?limit=2')).map((page) => page.json()))) as {
      scans: { id: string }[];
      next: string | null;
    }[];
    assert.deepEqual(
      lists.map(({ scans }) => scans.map(({ id }) => id)),
      [ids.slice(0, 2), ids.slice(2)],
    );
    assert.deepEqual(
      lists.map(({ next }) => next),
      [ids[1], null],
    );
    // `before` is the former name of the parameter.
    const older = (await (await caller.call(`?before=${ids[1]}`)).json()) as { scans: { id: string }[] };
    assert.deepEqual(
      older.scans.map(({ id }) => id),
      ids.slice(2),
    );
    const [id = ''] = ids;
    await caller.wait(id);
    const pages = await Promise.all((await pagesOf(`/${id}/results?limit=1`)).map((page) => page.text()));
    assert.deepEqual(
      pages.map((page) => page.trim().split('\n').length),
      [1, 1],
    );
    for (const path of ['?limit=101', '?cursor=abc', `/${id}/results?limit=10001`])
      assert.equal((await caller.call(path)).status, 400, path);
  });

  it('return an error if an identifier contains a NUL character', async () => {
    const caller = await newCaller();
    for (const [path, method] of [
      ['/%00', 'GET'],
      ['/%00', 'DELETE'],
      ['/%00/results', 'GET'],
      ['?before=%00', 'GET'],
    ] as const) {
      const response = await caller.call(path, { method });
      assert.equal(response.status, 400, path);
      assert.match(await response.text(), /"code":"invalid_request"/);
    }
  });

  it('return an error if the database cannot read the results', async () => {
    const caller = await newCaller();
    const { id } = await caller.start([`${base}/scene`]);
    await caller.wait(id);
    const { database } = bench.service;
    // Without time limits, because the request waits about half as long as a transaction may be idle.
    await database.longTransaction(async (queries) => {
      await queries.raw('lock table scan_items in access exclusive mode');
      const response = await caller.call(`/${id}/results`);
      assert.equal(response.status, 503);
      assert.match(await response.text(), /"code":"unavailable"/);
    });
    assert.equal((await caller.results(id)).length, 1);
  });

  it('are counted on /metrics', async () => {
    const text = await (await fetch(`${bench.service.url}/metrics`)).text();
    assert.match(text, /telltale_scan_items\{outcome="waiting"\} \d+/);
    assert.match(text, /telltale_scan_items\{outcome="result"\} [1-9]\d*/);
    assert.match(text, /telltale_scan_items\{outcome="url_fetch_failed"\} [1-9]\d*/);
  });
});
