// Tests failures during a scan: dead workers, an outage, a restarted service, bad hosts and bad images.
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { findPostgres, startPostgres, type PostgresServer } from '../../support/postgres.js';
import { SCENE_JPEG } from '../../support/images.js';
import { endWorker, HAS_TIME, ITEMS, ScanWorkers } from '../../support/scan-workers.js';
import {
  assertSettled,
  openInternet,
  openScanBench,
  ScanCaller,
  type Internet,
  type ScanBench,
} from '../../support/scans.js';

const KILLS = Math.max(2, Math.floor(ITEMS / 100));
const ITEMS_BETWEEN_KILLS = Math.max(3, Math.floor(ITEMS / 20));

describe('a scan with failures', function () {
  this.timeout(900_000);
  let postgres: PostgresServer;
  let bench: ScanBench;
  let internet: Internet;
  let base: string;
  let workers: ScanWorkers;
  /** Addresses that were requested and whose response never ends. */
  const hung: string[] = [];

  before(async function () {
    const bin = findPostgres();
    if (bin === null) return this.skip();
    postgres = await startPostgres(bin);
    internet = await openInternet((req, res) => {
      const path = req.url ?? '';
      if (path.startsWith('/scene')) res.end(SCENE_JPEG);
      else if (path.startsWith('/hang')) hung.push(path);
      else res.writeHead(500).end();
    });
    base = `http://127.0.0.1:${internet.port}`;
    bench = await openScanBench(postgres);
    workers = new ScanWorkers(bench);
  });
  after(async () => {
    workers.killAll();
    await bench.close();
    internet.close();
    postgres.close();
  });

  const newCaller = async (): Promise<ScanCaller> =>
    new ScanCaller(bench.service.url, await bench.service.newKey());
  const scenes = (count: number): string[] =>
    Array.from({ length: count }, (_, index) => `${base}/scene?${index}`);

  it('completes even if its workers are killed several times', async () => {
    const caller = await newCaller();
    const { id } = await caller.start(scenes(ITEMS));
    for (let kills = 0; kills < KILLS; kills += 1) {
      const { counts } = await caller.read(id);
      const victim = workers.spawn();
      // Waits for a number of checks instead of a time, so that the kill always happens in the middle of the
      // scan.
      await caller.wait(id, (scan) => scan.counts.checked >= counts.checked + ITEMS_BETWEEN_KILLS);
      await endWorker(victim, 'SIGKILL');
      assert.equal((await caller.read(id)).state, 'running');
      assert.ok((await workers.countTaken()) > 0, 'it took something with it');
      await workers.endLeases();
    }
    const worker = workers.spawn();
    const ended = await caller.wait(id);
    assert.equal(ended.counts.checked, ITEMS);
    await assertSettled(bench, caller, id);
    await endWorker(worker, 'SIGTERM');
    assert.equal(worker.exitCode, 0);
  });

  it('waits while the database is unavailable', async () => {
    const caller = await newCaller();
    const worker = await bench.startWorker();
    const { id } = await caller.start(scenes(ITEMS));
    await caller.wait(id, ({ counts }) => counts.checked >= 3);
    postgres.stop();
    await setTimeout(HAS_TIME ? 20_000 : 3000);
    postgres.start();
    const ended = await caller.wait(id);
    assert.equal(ended.counts.checked, ITEMS);
    await assertSettled(bench, caller, id);
    await worker.stop();
  });

  it('reports an error for an image whose worker died three times, and checks the other images', async () => {
    const caller = await newCaller();
    const { id } = await caller.start(scenes(6));
    // Sets the state in which three workers have died while checking one image.
    await bench.service.database.run((queries) =>
      queries('scan_items').where({ scan_id: id, position: 3 }).update({ tries: 3 }),
    );
    await bench.service.database.run((queries) =>
      queries('scan_items').where({ scan_id: id, position: 4 }).update({ tries: 2 }),
    );
    const worker = await bench.startWorker();
    const ended = await caller.wait(id);
    assert.deepEqual(ended.errors, { internal_error: 1 });
    const entries = await assertSettled(bench, caller, id);
    assert.equal(entries.find(({ line }) => line === 3)?.error?.code, 'internal_error');
    await worker.stop();
  });

  it('gives an image more time than a check over HTTP, because scans have lower priority', async () => {
    const hasty = await openScanBench(postgres, { deadlineMs: 1 });
    try {
      const caller = new ScanCaller(hasty.service.url, await hasty.service.newKey());
      await hasty.startWorker();
      const { id } = await caller.start(scenes(2));
      assert.equal((await caller.wait(id)).counts.checked, 2);
    } finally {
      await hasty.close();
    }
  });

  it('limits the time spent on hosts that fail or do not respond', async () => {
    const caller = await newCaller();
    const worker = await bench.startWorker(HAS_TIME ? {} : { timeoutMs: 3000 });
    const urls = [
      ...Array.from({ length: 5 }, (_, index) => `${base}/hang?${index}`),
      `${base}/500`,
      ...scenes(3),
    ];
    const { id } = await caller.start(urls);
    const ended = await caller.wait(id);
    assert.deepEqual(ended.counts, { items: 9, waiting: 0, checked: 3, failed: 6, cancelled: 0 });
    assert.deepEqual(ended.errors, { url_fetch_failed: 6 });
    assert.equal(
      hung.length,
      5,
      'each is asked once, in one turn: a fetch that came to nothing is an answer',
    );
    await assertSettled(bench, caller, id);
    await worker.stop();
  });
});
