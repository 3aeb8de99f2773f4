// Tests a quota that is used up during a scan: the scan keeps the checks that it has reserved.
import assert from 'node:assert/strict';
import { sharedPostgres } from '../../support/databases.js';
import { SCENE_JPEG } from '../../support/images.js';
import { ITEMS } from '../../support/scan-workers.js';
import {
  openInternet,
  openScanBench,
  ScanCaller,
  type Internet,
  type ScanBench,
} from '../../support/scans.js';
import { assertError, postForm } from '../../support/service.js';

const PLAN = 'starter';
/** Monthly quota of the plan. */
const QUOTA = 5000;
/** Checks that are left in addition to those that the scan has reserved. */
const LEFT = 3;
const FAILING = 2;

describe('a monthly quota that is used up during a scan', function () {
  this.timeout(1_800_000);
  let bench: ScanBench;
  let internet: Internet;

  before(async function () {
    const postgres = await sharedPostgres();
    if (postgres === null) return this.skip();
    internet = await openInternet((req, res) => {
      if (req.url?.startsWith('/scene')) res.end(SCENE_JPEG);
      else res.writeHead(500).end();
    });
    bench = await openScanBench(postgres);
  });
  after(async () => {
    await bench.close();
    internet.close();
  });

  it('stops HTTP checks but not the scan, which charges each result once and returns the unused reserve', async () => {
    const { database, url } = bench.service;
    const key = await bench.service.newKey({ plan: PLAN, account: 'nearly spent' });
    const { account_id } = await database.run((queries) =>
      queries('api_keys').where({ plan: PLAN }).first<{ account_id: string }>('account_id'),
    );
    const used = QUOTA - ITEMS - LEFT;
    await database.run(
      (queries) =>
      queries('usage_periods').insert({ account_id, plan: PLAN, period: new Date().toISOString().slice(0, 7), checks: used, reserved: 0 }), // prettier-ignore
    );
    const usage = () =>
      database.run((queries) =>
        queries('usage_periods')
          .where({ account_id, plan: PLAN })
          .first<{ checks: number; reserved: number }>('checks', 'reserved'),
      );
    const check = () => postForm(`${url}/v1/check`, key, 'file', [SCENE_JPEG]);

    const caller = new ScanCaller(url, key);
    const base = `http://127.0.0.1:${internet.port}`;
    const { id } = await caller.start(
      Array.from({ length: ITEMS }, (_, index) => `${base}/${index < FAILING ? '500' : 'scene'}?${index}`),
    );
    await bench.startWorker();
    await caller.wait(id, ({ counts }) => counts.checked >= ITEMS / 4);
    for (let count = 0; count < LEFT; count += 1) assert.equal((await check()).status, 200);
    assertError(await check(), 429, 'quota_exceeded');
    const midway = await caller.read(id);
    assert.equal(midway.state, 'running', 'used up midway');
    const { checks, reserved } = await usage();
    assert.equal(checks + reserved, QUOTA);

    const ended = await caller.wait(id);
    assert.deepEqual(ended.errors, { url_fetch_failed: FAILING });
    const results = ITEMS - FAILING;
    assert.equal(ended.counts.checked, results);
    assert.deepEqual(await usage(), { checks: used + LEFT + results, reserved: 0 });
    const entries = await caller.results(id);
    assert.equal(new Set(entries.map(({ line }) => line)).size, ITEMS);
    const charged = await database.run((queries) =>
      queries('checks').where({ account_id, request_id: id }).select<{ id: string }[]>('id'),
    );
    assert.deepEqual(charged.map((row) => row.id).sort(), entries.flatMap((entry) => entry.id ?? []).sort());
    assert.equal(charged.length, results);

    // Failed images cost nothing, so their checks become available again, and no others.
    for (let count = 0; count < FAILING; count += 1) assert.equal((await check()).status, 200);
    assertError(await check(), 429, 'quota_exceeded');
  });
});
