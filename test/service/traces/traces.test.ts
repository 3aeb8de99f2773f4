// Tests traces of requests that a collector receives: their parents, their contents, and what they must not
// contain.
import assert from 'node:assert/strict';
import { startCollector, type CollectedSpan, type Collector } from '../../support/collector.js';
import { makeBmp, SCENE_JPEG } from '../../support/images.js';
import { openInternet, type Internet } from '../../support/scans.js';
import { openBench, postForm, postJson, type ServiceBench } from '../../support/service.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const PARENT = '00f067aa0ba902b7';

describe('traces of requests', function () {
  this.timeout(60_000);
  let bench: ServiceBench;
  let collector: Collector;
  let internet: Internet;
  let key: string;

  before(async () => {
    collector = await startCollector();
    internet = await openInternet((req, res) => {
      if (req.url?.startsWith('/scene')) res.end(SCENE_JPEG);
      else res.writeHead(404).end();
    });
    process.env.OTEL_BSP_SCHEDULE_DELAY = '20';
    bench = await openBench(
      'sqlite',
      { traces: { url: `${collector.url}/v1/traces`, protocol: 'http/json' } },
      {
        fetcher: {
          resolve: () => Promise.resolve(['127.0.0.1']),
          isAllowed: (address: string) => address === '127.0.0.1',
        },
      },
    );
    key = await bench.newKey();
  });
  after(async () => {
    delete process.env.OTEL_BSP_SCHEDULE_DELAY;
    await bench.close();
    collector.close();
    internet.close();
  });

  const check = (headers: Record<string, string> = {}): ReturnType<typeof postForm> =>
    postForm(`${bench.url}/v1/check`, key, 'file', [SCENE_JPEG], {}, headers);
  const requestOf = async (id: string | null): Promise<CollectedSpan> =>
    (await collector.waitFor(({ facts, kind }) => kind === 2 && facts['telltale.request_id'] === id))[0]!;
  const partsOf = (parent: CollectedSpan): CollectedSpan[] =>
    collector.spans.filter(({ parentSpanId }) => parentSpanId === parent.spanId);
  /** Returns the only child span with this name, and asserts that it lies within its parent. */
  const partOf = (parent: CollectedSpan, name: string): CollectedSpan => {
    const [part, ...others] = partsOf(parent).filter((span) => span.name === name);
    assert.ok(
      part && others.length === 0,
      `${name}: ${partsOf(parent)
        .map((span) => span.name)
        .join()}`,
    );
    return part;
  };

  it('continue the caller’s trace, and contain the steps of a check as spans', async () => {
    const answer = await check({ traceparent: `00-${TRACE}-${PARENT}-01`, 'x-request-id': 'mine-1' });
    assert.equal(answer.status, 200);
    const request = await requestOf('mine-1');
    assert.deepEqual([request.traceId, request.parentSpanId], [TRACE, PARENT]);
    assert.equal(request.name, 'POST /v1/check');
    const { 'telltale.account': account, ...facts } = request.facts;
    assert.match(String(account), /./);
    assert.deepEqual(facts, {
      'http.request.method': 'POST',
      'http.route': '/v1/check',
      'http.response.status_code': 200,
      'telltale.request_id': 'mine-1',
      'telltale.plan': 'scale',
    });
    assert.equal(request.resource['service.name'], 'telltale');
    for (const stage of ['authenticate', 'queue', 'receive', 'record']) partOf(request, stage);
    const image = partOf(request, 'check');
    assert.deepEqual(image.facts, {
      'telltale.check_id': answer.body.id,
      'telltale.position': 0,
      'telltale.format': 'jpeg',
      'telltale.profile': 'balanced',
      'telltale.is_ai': answer.body.is_ai,
      'telltale.fired': answer.body.fired,
      'telltale.views': image.facts['telltale.views'],
    });
    assert.deepEqual(
      partsOf(image)
        .map(({ name }) => name)
        .sort(),
      ['credentials', 'decode', 'faces', 'inference', 'wait'],
    );
    for (const part of [...partsOf(request), ...partsOf(image)]) {
      assert.equal(part.traceId, TRACE);
      // Tolerates two microseconds, because nanoseconds since the epoch exceed the precision of a double.
      assert.ok(part.startMs >= request.startMs - 0.002 && part.endMs >= part.startMs, part.name);
      assert.ok(part.endMs <= request.endMs + 0.002, part.name);
    }
    assert.ok(partOf(image, 'decode').startMs >= partOf(image, 'wait').endMs - 0.002);
  });

  it('start a new trace if the caller’s trace header is missing or invalid', async () => {
    const received = [
      undefined,
      'nonsense',
      `00-${TRACE}-${PARENT}`,
      `00-${'0'.repeat(32)}-${PARENT}-01`,
      `ff-${TRACE}-${PARENT}-01`,
      `00-${TRACE.toUpperCase()}-${PARENT}-01`,
      `00-${TRACE}-${PARENT}-01, 00-${TRACE}-${PARENT}-01`,
      'x'.repeat(8000),
    ];
    const ids = new Set<string>();
    for (const traceparent of received) {
      const answer = await check(traceparent === undefined ? {} : { traceparent });
      assert.equal(answer.status, 200);
      const request = await requestOf(answer.headers.get('x-request-id'));
      assert.equal(request.parentSpanId, undefined);
      assert.match(request.traceId, /^[0-9a-f]{32}$/);
      assert.notEqual(request.traceId, TRACE);
      ids.add(request.traceId);
    }
    assert.equal(ids.size, received.length);
  });

  it('are not sent if the caller’s trace is not sampled', async () => {
    const unsampled = await check({ traceparent: `00-${TRACE}-${PARENT}-00`, 'x-request-id': 'unsampled' });
    assert.equal(unsampled.status, 200);
    // Waits for the trace of a later request, so that an earlier one would have arrived.
    await requestOf((await check()).headers.get('x-request-id'));
    assert.equal(
      collector.spans.filter(({ facts }) => facts['telltale.request_id'] === 'unsampled').length,
      0,
    );
  });

  it('describe each image of a batch, with the error codes of failed images', async () => {
    const address = `http://pictures.example.org:${internet.port}`;
    const images = [
      { image_url: `${address}/scene?token=s3cret` },
      { image_url: `${address}/gone` },
      { image_b64: makeBmp(100, 100).toString('base64') },
    ];
    const answer = await postJson(`${bench.url}/v1/check/batch`, key, { images });
    assert.equal(answer.status, 200, answer.text);
    const request = await requestOf(answer.headers.get('x-request-id'));
    assert.equal(request.name, 'POST /v1/check/batch');
    const pictures = partsOf(request)
      .filter(({ name }) => name === 'check')
      .sort((a, b) => Number(a.facts['telltale.position']) - Number(b.facts['telltale.position']));
    assert.deepEqual(
      pictures.map(({ facts, status }) => [facts['error.type'], status]),
      [
        [undefined, 0],
        ['url_fetch_failed', 0],
        ['image_too_small', 0],
      ],
    );
    assert.deepEqual(partOf(pictures[0]!, 'fetch').facts, { 'server.address': 'pictures.example.org' });
    assert.equal(partOf(pictures[1]!, 'fetch').facts['error.type'], 'url_fetch_failed');
  });

  it('contain the error code of a refused request', async () => {
    const answer = await postForm(`${bench.url}/v1/check`, 'tt_live_none', 'file', [SCENE_JPEG]);
    assert.equal(answer.status, 401);
    const request = await requestOf(answer.headers.get('x-request-id'));
    assert.deepEqual([request.facts['error.type'], request.status], ['unauthorized', 0]);
    assert.equal(partOf(request, 'authenticate').facts['error.type'], 'unauthorized');
  });

  it('leave out monitoring requests, and name unknown paths only by their method', async () => {
    for (const path of ['/healthz', '/readyz', '/metrics']) await fetch(bench.url + path);
    const strange = await fetch(`${bench.url}/hidden/place?q=s3cret`, {
      headers: { 'x-request-id': 'lost' },
    });
    assert.equal(strange.status, 404);
    const request = await requestOf('lost');
    assert.deepEqual([request.name, request.facts['error.type']], ['GET', 'not_found']);
    const routes = collector.spans.map(({ facts }) => facts['http.route']);
    assert.ok(routes.every((route) => route !== '/healthz' && route !== '/readyz' && route !== '/metrics'));
  });

  it('contain no API key, no part of an address beyond its host and no unknown path', () => {
    const text = collector.sent.map(({ body }) => body.toString('utf8')).join('\n');
    assert.ok(text.includes('pictures.example.org'));
    for (const secret of [key, 's3cret', '/scene', '/hidden', 'picture.bin', '127.0.0.1'])
      assert.ok(!text.includes(secret), secret);
  });

  it('are named by their trace id in every log line of the request', async () => {
    const answer = await check({ traceparent: `00-${TRACE}-${PARENT}-01` });
    const id = answer.headers.get('x-request-id');
    await requestOf(id);
    const lines = bench.logged.map((line) => JSON.parse(line) as Record<string, unknown>);
    const [line] = lines.filter(({ msg, request_id }) => msg === 'request' && request_id === id);
    assert.equal(line?.trace_id, TRACE);
  });
});
