// Tests the traces of `telltale serve` as operators run it: with and without the OTEL_* settings, and at
// shutdown.
import assert from 'node:assert/strict';
import { fileURLToPath } from 'node:url';
import { startCanary } from '../../support/canary.js';
import { startCollector, type Collector } from '../../support/collector.js';
import { makeFolder } from '../../support/folders.js';
import { SCENE_JPEG } from '../../support/images.js';
import { postForm } from '../../support/service.js';
import { serve } from '../../support/telltale-serve.js';
import { runTelltale } from '../../support/telltale.js';

const LOADED = fileURLToPath(new URL('../../preload/loaded.mjs', import.meta.url));

describe('tracing in telltale serve', () => {
  const folder = makeFolder('otel');
  let collector: Collector;
  let key: string;

  before(async () => {
    collector = await startCollector();
    const args = ['keys', 'create', '--account', 'traced', '--plan', 'scale', '--json'];
    const { stdout } = await runTelltale(args, { env: { TELLTALE_DATA_DIR: folder } });
    key = (JSON.parse(stdout) as { key: string }).key;
  });
  after(() => {
    collector.close();
  });

  /**
   * Checks an image, stops the service, and returns the names of the OpenTelemetry packages that it loaded.
   */
  const checkAndStop = async (env: Record<string, string>): Promise<string> => {
    const settings = { TELLTALE_DATA_DIR: folder, TELLTALE_THREADS: '1', ...env };
    const served = await serve(settings, [], [LOADED]);
    const { status } = await postForm(`${served.url}/v1/check`, key, 'file', [SCENE_JPEG]);
    assert.equal(status, 200);
    assert.equal(await served.end('SIGTERM'), 0);
    const [, names] = /^loaded: (.*)$/m.exec(served.log()) ?? [];
    assert.ok(names !== undefined, served.log());
    return names;
  };

  it('sends remaining traces before the process ends, named and sampled by the standard settings', async () => {
    const names = await checkAndStop({
      OTEL_EXPORTER_OTLP_ENDPOINT: `${collector.url}/otlp/`,
      OTEL_EXPORTER_OTLP_HEADERS: 'x-tenant=studio',
      OTEL_SERVICE_NAME: 'pictures',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=staging',
      // The export interval is longer than the test, so that traces are sent only at shutdown.
      OTEL_BSP_SCHEDULE_DELAY: '3600000',
    });
    assert.ok(names.includes('@opentelemetry/sdk-trace'), 'what is loaded can be told');
    assert.equal(collector.sent.length, 1);
    const [{ path, headers, body }] = collector.sent as [(typeof collector.sent)[0]];
    assert.equal(path, '/otlp/v1/traces');
    assert.deepEqual([headers['content-type'], headers['x-tenant']], ['application/x-protobuf', 'studio']);
    // Protobuf contains strings as plain bytes, so they can be searched.
    for (const text of ['POST /v1/check', 'inference', 'pictures', 'staging']) assert.ok(body.includes(text));
  });

  it('loads no tracing code and connects to no host unless enabled', async () => {
    const canary = await startCanary();
    try {
      assert.equal(await checkAndStop({}), '');
      const endpoint = { OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${canary.port}` };
      assert.equal(await checkAndStop({ ...endpoint, OTEL_SDK_DISABLED: 'true' }), '');
      assert.equal(canary.visits(), 0);
    } finally {
      await canary.close();
    }
  });

  it('does not delay the end of the process, whatever the collector does', async () => {
    collector.mood = 'hang';
    const patient = { OTEL_BSP_EXPORT_TIMEOUT: '3600000', OTEL_EXPORTER_OTLP_TIMEOUT: '3600000' };
    await checkAndStop({ OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, ...patient });
    collector.mood = 'take';
  });
});
