// Tests traces of background work: images of scans and webhook deliveries.
import assert from 'node:assert/strict';
import { pino } from 'pino';
import { openTraces, type Traces } from '../../../src/service/traces/span.js';
import { startCollector, type CollectedSpan, type Collector } from '../../support/collector.js';
import { sharedPostgres } from '../../support/databases.js';
import { SCENE_JPEG } from '../../support/images.js';
import {
  openInternet,
  openScanBench,
  ScanCaller,
  type Internet,
  type ScanBench,
} from '../../support/scans.js';
import { WebhookBench } from '../../support/webhooks.js';

describe('traces of background work', () => {
  let collector: Collector;
  let scans: ScanBench;
  let webhooks: WebhookBench;
  let internet: Internet;
  let traces: Traces;

  before(async function () {
    const postgres = await sharedPostgres();
    if (postgres === null) return this.skip();
    process.env.OTEL_BSP_SCHEDULE_DELAY = '20';
    collector = await startCollector();
    const setting = { url: `${collector.url}/v1/traces`, protocol: 'http/json' } as const;
    internet = await openInternet((req, res) => {
      if (req.url?.startsWith('/scene')) res.end(SCENE_JPEG);
      else res.writeHead(404).end();
    });
    scans = await openScanBench(postgres, { traces: setting });
    await scans.startWorker({ listener: () => Promise.resolve() });
    webhooks = await WebhookBench.open(postgres);
    traces = await openTraces(setting, 'telltale-worker', pino({ level: 'silent' }));
  });
  after(async () => {
    delete process.env.OTEL_BSP_SCHEDULE_DELAY;
    await scans.close();
    await webhooks.close();
    await traces.sdk.close();
    collector.close();
    internet.close();
  });

  const partsOf = (parent?: CollectedSpan): CollectedSpan[] =>
    collector.spans.filter(({ parentSpanId }) => parentSpanId === parent?.spanId);

  it('cover each image of a scan in its own trace, with its steps or its error', async () => {
    const caller = new ScanCaller(scans.service.url, await scans.service.newKey());
    const base = `http://pictures.example.org:${internet.port}`;
    const { id } = await caller.start([`${base}/scene?token=s3cret`, `${base}/gone`]);
    await caller.wait(id);
    const items = await collector.waitFor('scan item', 2);
    const [good, bad] = items.sort(
      (a, b) => Number(a.facts['telltale.position']) - Number(b.facts['telltale.position']),
    );
    assert.notEqual(good?.traceId, bad?.traceId);
    for (const item of items) {
      assert.deepEqual([item.kind, item.parentSpanId, item.facts['telltale.scan_id']], [5, undefined, id]);
      assert.equal(item.resource['service.name'], 'telltale-worker');
    }
    assert.deepEqual(
      partsOf(good)
        .map(({ name }) => name)
        .sort(),
      ['credentials', 'decode', 'faces', 'fetch', 'inference', 'wait'],
    );
    assert.match(String(good?.facts['telltale.check_id']), /^chk_/);
    assert.deepEqual([bad?.facts['error.type'], bad?.status], ['url_fetch_failed', 0]);
    assert.deepEqual(
      partsOf(bad).map(({ name, facts }) => [name, facts]),
      [['fetch', { 'server.address': 'pictures.example.org', 'error.type': 'url_fetch_failed' }]],
    );
    assert.ok(!collector.sent.some(({ body }) => body.includes('s3cret') || body.includes('/scene')));
  });

  it('cover each webhook attempt with its response, and send the receiver no trace header', async () => {
    const endpoint = await webhooks.make();
    let answers = 0;
    webhooks.receiver.answer((_req, res) => {
      answers += 1;
      res.writeHead(answers === 1 ? 500 : 204).end();
    });
    await webhooks.work(
      async () => {
        await webhooks.emitEvent(endpoint.accountId);
        await webhooks.whenEnded(endpoint);
      },
      { traces },
    );
    const tries = await collector.waitFor('webhook delivery', 2);
    assert.deepEqual(
      tries.map(({ kind, status, facts }) => [
        kind,
        status,
        facts['telltale.try'],
        facts['http.response.status_code'],
        facts['error.type'],
        facts['telltale.event'],
      ]),
      [
        [3, 2, 1, 500, '500', 'scan.finished'],
        [3, 0, 2, 204, undefined, 'scan.finished'],
      ],
    );
    for (const { facts } of tries) assert.match(String(facts['telltale.delivery_id']), /^whd_/);
    const arrivals = await webhooks.receiver.waitFor(endpoint.path, 2);
    for (const { headers } of arrivals) assert.ok(!('traceparent' in headers) && !('tracestate' in headers));
    assert.ok(!collector.sent.some(({ body }) => body.includes(endpoint.secret)));
  });
});
