// Tests an unreachable, slow or overloaded trace collector: no check is delayed or lost, and the log mentions
// it once.
import assert from 'node:assert/strict';
import { setTimeout } from 'node:timers/promises';
import { startCollector, type Collector } from '../../support/collector.js';
import { SCENE_JPEG } from '../../support/images.js';
import { openBench, postForm, type ServiceBench } from '../../support/service.js';

/**
 * Settings with long time limits. If the service had no shorter limits of its own, mocha's limit would fail
 * the test.
 */
const PATIENT = {
  OTEL_BSP_SCHEDULE_DELAY: '20',
  OTEL_BSP_EXPORT_TIMEOUT: '3600000',
  OTEL_EXPORTER_OTLP_TIMEOUT: '3600000',
};

describe('a trace collector that fails', function () {
  this.timeout(60_000);
  let collector: Collector;

  before(async () => {
    Object.assign(process.env, PATIENT);
    collector = await startCollector();
  });
  after(() => {
    for (const name of Object.keys(PATIENT)) Reflect.deleteProperty(process.env, name);
    collector.close();
  });

  const open = (url = collector.url): Promise<ServiceBench> =>
    openBench('sqlite', { traces: { url: `${url}/v1/traces`, protocol: 'http/json' } });
  const check = async (bench: ServiceBench, key: string): Promise<void> => {
    const { status, text } = await postForm(`${bench.url}/v1/check`, key, 'file', [SCENE_JPEG]);
    assert.equal(status, 200, text);
  };
  const told = ({ logged }: ServiceBench, text: string): Record<string, unknown>[] =>
    logged
      .map((line) => JSON.parse(line) as Record<string, unknown>)
      .filter(({ msg }) => String(msg).includes(text));

  it('delays neither checks nor shutdown if it never responds', async () => {
    collector.mood = 'hang';
    const bench = await open();
    const key = await bench.newKey();
    await check(bench, key);
    while (collector.sent.length === 0) await setTimeout(20);
    for (let time = 0; time < 3; time += 1) await check(bench, key);
    await bench.close();
  });

  it('is logged once when it begins to refuse traces and once when it accepts them again', async () => {
    collector.mood = 400;
    const bench = await open();
    const key = await bench.newKey();
    for (let time = 0; time < 3; time += 1) {
      const before = collector.sent.length;
      await check(bench, key);
      while (collector.sent.length === before) await setTimeout(20);
    }
    while (told(bench, "traces can't be sent").length === 0) await setTimeout(20);
    collector.mood = 'take';
    while (told(bench, 'traces are sent again').length === 0) {
      await check(bench, key);
      await setTimeout(20);
    }
    const [failure, ...others] = told(bench, "traces can't be sent");
    assert.deepEqual([failure?.level, others.length], [40, 0]);
    assert.match(String(failure?.reason), /^400 /);
    assert.ok(Number(told(bench, 'traces are sent again')[0]?.lost) >= 3);
    assert.deepEqual(told(bench, 'OpenTelemetry'), []);
    await bench.close();
  });

  it('makes no check fail if the collector is unreachable', async () => {
    const bench = await open('http://127.0.0.1:1');
    const key = await bench.newKey();
    await check(bench, key);
    await check(bench, key);
    await bench.close();
  });
});
