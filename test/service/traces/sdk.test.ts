// Tests how the standard settings affect the OpenTelemetry SDK, without a service.
import assert from 'node:assert/strict';
import { pino } from 'pino';
import { openTraces } from '../../../src/service/traces/span.js';
import { startCollector, type Collector } from '../../support/collector.js';

describe('the set-up of tracing', () => {
  let collector: Collector;
  beforeEach(async () => {
    collector = await startCollector();
  });
  afterEach(() => collector.close());

  /** Records a trace of two spans with the settings `env` and returns the log lines. */
  const makeTrace = async (env: Record<string, string>): Promise<string[]> => {
    Object.assign(process.env, env);
    const logged: string[] = [];
    const log = pino({ base: null }, { write: (line: string) => void logged.push(line) });
    const setting = { url: `${collector.url}/v1/traces`, protocol: 'http/json' } as const;
    const traces = await openTraces(setting, 'telltale-worker', log).finally(() => {
      for (const name of Object.keys(env)) Reflect.deleteProperty(process.env, name);
    });
    const span = traces.begin('work', 'CONSUMER', { number: 1, texts: ['a', 'b'] });
    assert.match(span.traceId ?? '', /^[0-9a-f]{32}$/);
    span.begin('part').end();
    span.fail('internal_error', { isFault: true });
    span.end();
    await traces.sdk.close();
    return logged;
  };

  it('names the service after the program or as the setting says', async () => {
    assert.deepEqual(await makeTrace({}), []);
    await makeTrace({ OTEL_SERVICE_NAME: 'pictures', OTEL_RESOURCE_ATTRIBUTES: 'service.name=x,team=a%2Cb' });
    const [own, , asked] = collector.spans;
    assert.equal(own?.resource['service.name'], 'telltale-worker');
    assert.match(String(own.resource['service.version']), /^\d/);
    assert.deepEqual([asked?.resource['service.name'], asked?.resource.team], ['pictures', 'a,b']);
  });

  it('exports span kinds, attributes and errors', async () => {
    await makeTrace({});
    const [work] = await collector.waitFor('work');
    const [part] = await collector.waitFor('part');
    assert.deepEqual(
      [work?.kind, work?.status, work?.facts],
      [5, 2, { number: 1, texts: ['a', 'b'], 'error.type': 'internal_error' }],
    );
    assert.deepEqual([part?.parentSpanId, part?.kind, part?.status], [work?.spanId, 1, 0]);
  });

  it('creates no trace that the sampler rejects', async () => {
    assert.deepEqual(await makeTrace({ OTEL_TRACES_SAMPLER: 'always_off' }), []);
    assert.deepEqual(collector.sent, []);
  });

  it('logs an unsupported setting and continues', async () => {
    const [line = '', ...others] = await makeTrace({ OTEL_TRACES_SAMPLER: 'sometimes' });
    assert.deepEqual(others, []);
    assert.match(line, /"from":"OpenTelemetry","msg":"OTEL_TRACES_SAMPLER value .*sometimes/);
    await collector.waitFor('work');
  });
});
