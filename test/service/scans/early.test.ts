// Tests that lists which can't become scans are refused before anything is written: here the tables accept no
// rows.
import assert from 'node:assert/strict';
import { sharedPostgres } from '../../support/databases.js';
import { openScanBench, ScanCaller, type ScanBench } from '../../support/scans.js';

const listOf = (items: number): string =>
  `url\n${Array.from({ length: items }, (_, index) => `https://example.org/${index}\n`).join('')}`;

describe('a list that cannot become a scan', function () {
  this.timeout(60_000);
  let bench: ScanBench;

  before(async function () {
    const postgres = await sharedPostgres();
    if (postgres === null) return this.skip();
    bench = await openScanBench(postgres);
    await raw(`create function refuse() returns trigger language plpgsql as
      'begin raise exception ''nothing may be written''; end'`);
  });
  after(() => bench.close());

  const raw = (statement: string): Promise<unknown> =>
    bench.service.database.run((queries) => queries.raw(statement));
  const refuseRows = (table: string): Promise<unknown> =>
    raw(`create trigger refuse before insert on ${table} for each row execute function refuse()`);
  const acceptRows = (table: string): Promise<unknown> => raw(`drop trigger refuse on ${table}`);
  const use = (plan: string, checks: number): Promise<unknown> =>
    bench.service.database.run((queries) => queries('usage_periods').where({ plan }).update({ checks }));
  const expect = async (answer: Response, status: number, words: RegExp): Promise<void> => {
    const text = await answer.text();
    assert.equal(answer.status, status, text);
    assert.match(text, words);
  };

  it('is refused before it is read if too many scans run, but a repeated request gets its stored response', async () => {
    const caller = new ScanCaller(bench.service.url, await bench.service.newKey({ plan: 'starter' }));
    const once = { 'idempotency-key': 'once' };
    const first = await caller.postList(listOf(3), {}, once);
    assert.equal(first.status, 202);
    const body = await first.text();
    for (const table of ['scans', 'scan_items']) await refuseRows(table);
    try {
      const refused = await caller.postList(listOf(3));
      assert.ok(refused.headers.get('retry-after'));
      await expect(refused, 429, /rate_limited.*1 scan at once/);
      const twin = await caller.postList(listOf(3), {}, once);
      assert.deepEqual([twin.status, await twin.text()], [202, body]);
      await expect(await caller.postList(listOf(4), {}, once), 409, /idempotency_mismatch/);
    } finally {
      for (const table of ['scans', 'scan_items']) await acceptRows(table);
    }
  });

  it('is refused before it is read if the quota is used up or too small', async () => {
    const caller = new ScanCaller(bench.service.url, await bench.service.newKey({ plan: 'growth' }));
    await caller.cancel((await caller.start(['https://example.org/'])).id);
    await refuseRows('scan_items');
    try {
      await use('growth', 50_000 - 10);
      await expect(
        await caller.postList(listOf(5000)),
        429,
        /quota_exceeded.*10 are left; this call needs 11/,
      );
      await refuseRows('scans');
      await use('growth', 50_000);
      await expect(await caller.postList(listOf(1)), 429, /quota_exceeded.*0 are left/);
      await acceptRows('scans');
    } finally {
      await acceptRows('scan_items');
    }
  });
});
