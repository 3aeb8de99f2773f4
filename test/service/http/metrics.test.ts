// Tests /metrics of a service that has checked one image.
import assert from 'node:assert/strict';
import { readVersion } from '../../../src/library/base/package-paths.js';
import { SCENE_JPEG } from '../../support/images.js';
import { openBench, postForm, type ServiceBench } from '../../support/service.js';

describe('/metrics', () => {
  let bench: ServiceBench;

  before(async () => {
    bench = await openBench('sqlite', { memoryMb: 300 });
  });

  after(() => bench.close());

  it('reports the version, the age of the trust lists and the duration of each stage', async () => {
    const { status, body } = await postForm(`${bench.url}/v1/check`, await bench.newKey(), 'file', [
      SCENE_JPEG,
    ]);
    assert.equal(status, 200);
    // A request is counted only after its response was sent, so the metrics may need several reads.
    const text = async (): Promise<string> => (await fetch(`${bench.url}/metrics`)).text();
    let metrics = await text();
    while (!metrics.includes('route="/v1/check"')) metrics = await text();
    const labels = `version="${readVersion()}",model="${body.model}",node="${process.version}"`;
    assert.ok(metrics.includes(`telltale_build_info{${labels}} 1`), metrics.slice(-2000));
    assert.ok(metrics.includes('\ntelltale_engine_memory_budget_bytes 300000000\n'));
    assert.ok(metrics.includes('\ntelltale_engine_memory_bytes 0\n'));
    assert.ok(metrics.includes('\ntelltale_engine_memory_waits_total 0\n'));
    assert.match(metrics, /^telltale_trust_list_age_days \d+(\.\d)?$/m);
    for (const stage of [
      'authenticate',
      'queue',
      'receive',
      'credentials',
      'decode',
      'faces',
      'inference',
      'record',
    ])
      assert.ok(metrics.includes(`telltale_stage_duration_seconds_count{stage="${stage}"} 1\n`), stage);
  });
});
