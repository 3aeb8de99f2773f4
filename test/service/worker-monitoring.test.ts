// Tests the monitoring of a scan worker on its own port.
import assert from 'node:assert/strict';
import { pino } from 'pino';
import { startScanWorker, type ScanWorker } from '../../src/service/worker.js';
import { preventReaders } from '../support/credential-reader.js';
import { sharedPostgres } from '../support/databases.js';
import { makeFolder } from '../support/folders.js';
import { send, testConfig } from '../support/service.js';

describe('the monitoring port of a scan worker', function () {
  this.timeout(120_000);
  const folder = makeFolder('monitoring');
  let worker: ScanWorker | undefined;

  before(async function () {
    const server = await sharedPostgres();
    if (server === null) return this.skip();
    const config = testConfig(
      folder,
      { kind: 'postgres', url: server.createDatabase() },
      { threads: 1, memoryMb: 200 },
    );
    worker = await startScanWorker(config, { log: pino({ level: 'silent' }), monitoringPort: 0 });
  });

  after(async () => {
    await worker?.stop();
  });

  it('reports liveness, readiness and current work', async () => {
    const get = (path: string, init = {}): Promise<Response> =>
      fetch(`http://127.0.0.1:${worker?.monitoringPort ?? 0}${path}`, init);
    assert.deepEqual(await (await get('/healthz')).json(), { status: 'ok' });
    const ready = (await (await get('/readyz?now')).json()) as Record<string, string>;
    assert.equal(ready.status, 'ready');
    assert.match(ready.model ?? '', /^telltale-/);
    const metrics = await (await get('/metrics')).text();
    for (const name of [
      'telltale_build_info{',
      'telltale_engine_running 0',
      'telltale_engine_memory_budget_bytes 200000000',
      'telltale_engine_memory_bytes 0',
      'telltale_engine_memory_waits_total 0',
      'telltale_webhook_deliveries_waiting 0',
      'telltale_scan_items{',
    ])
      assert.ok(metrics.includes(name), name);
    assert.deepEqual(
      [
        (await get('/v1/check')).status,
        (await get('/__proto__')).status,
        (await get('/metrics', { method: 'POST' })).status,
      ],
      [404, 404, 405],
    );
  });

  it('responds to /readyz with 503 and the reason while no credential reader can start', async () => {
    const get = () => send(`http://127.0.0.1:${worker?.monitoringPort ?? 0}/readyz`);
    const allow = await preventReaders();
    const refused = await get();
    allow();
    assert.equal(refused.status, 503);
    assert.match(refused.body.error.message, /Content Credentials.*--allow-child-process$/);
    assert.equal((await get()).status, 200);
  });
});
