// Tests an image that crashes every process that checks it, among many good images.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { sharedPostgres } from '../../support/databases.js';
import { SCENE_JPEG } from '../../support/images.js';
import { ITEMS, ScanWorkers, endWorker } from '../../support/scan-workers.js';
import {
  assertSettled,
  openInternet,
  openScanBench,
  ScanCaller,
  type Internet,
  type ScanBench,
} from '../../support/scans.js';

const POISON = 'poison of test/service/scans/poison.test.ts';

describe('an image that crashes the workers of a scan', function () {
  this.timeout(1_800_000);
  let bench: ScanBench;
  let internet: Internet;
  let workers: ScanWorkers;

  before(async function () {
    const postgres = await sharedPostgres();
    if (postgres === null) return this.skip();
    internet = await openInternet((req, res) => {
      res.end(req.url === '/poison' ? Buffer.concat([SCENE_JPEG, Buffer.from(POISON)]) : SCENE_JPEG);
    });
    bench = await openScanBench(postgres);
    workers = new ScanWorkers(bench);
  });
  after(async () => {
    workers.killAll();
    await bench.close();
    internet.close();
  });

  it('gets an error after three crashes, and every other image gets its result', async () => {
    const base = `http://127.0.0.1:${internet.port}`;
    const urls = Array.from({ length: ITEMS }, (_, index) => `${base}/scene?${index}`);
    const line = Math.floor(ITEMS / 2);
    urls[line - 1] = `${base}/poison`;
    const caller = new ScanCaller(bench.service.url, await bench.service.newKey());
    const { id } = await caller.start(urls);

    const deaths: (string | null)[] = [];
    const state = { isOver: false };
    let worker = workers.spawn(POISON);
    /** Starts a new worker for each one that died, as a container platform does. */
    const supervising = (async () => {
      for (;;) {
        await once(worker, 'exit');
        if (state.isOver) return;
        deaths.push(worker.signalCode);
        await workers.endLeases();
        worker = workers.spawn(POISON);
      }
    })();
    const ended = await caller.wait(id);
    state.isOver = true;
    await endWorker(worker, 'SIGTERM');
    await supervising;

    assert.deepEqual(deaths, ['SIGABRT', 'SIGABRT', 'SIGABRT']);
    assert.deepEqual(ended.errors, { internal_error: 1 });
    assert.deepEqual(ended.counts, { items: ITEMS, waiting: 0, checked: ITEMS - 1, failed: 1, cancelled: 0 });
    const entries = await assertSettled(bench, caller, id);
    assert.equal(entries.find(({ error }) => error)?.line, line);
  });
});
