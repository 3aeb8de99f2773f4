// Tests a batch of images with headers and metadata that cost as much as possible: other requests are served
// meanwhile.
import assert from 'node:assert/strict';
import { avifOfManyRuns, pngOfEntities } from '../../support/hostile-images.js';
import { openBench, postJson, type ServiceBench } from '../../support/service.js';
import { usePackagedModels } from '../../support/test-models.js';

describe('a batch of images whose headers take long to read', () => {
  // Uses the real networks, so that checks take long enough for other requests in between.
  usePackagedModels();
  let bench: ServiceBench;

  before(async () => {
    bench = await openBench();
  });
  after(() => bench.close());

  it('gets a result per image, and the service responds to health checks meanwhile', async () => {
    const [avif, png] = [avifOfManyRuns(), pngOfEntities()].map((bytes) => bytes.toString('base64'));
    const images = [avif, png, avif, png, avif, png, avif, png].map((image_b64) => ({ image_b64 }));
    const over = new AbortController();
    const batch = postJson(`${bench.url}/v1/check/batch`, await bench.newKey(), { images }).finally(() => {
      over.abort();
    });
    let answers = 0;
    while (!over.signal.aborted) {
      assert.equal((await fetch(`${bench.url}/healthz`)).status, 200);
      answers += 1;
    }
    const { status, body } = await batch;
    assert.equal(status, 200);
    assert.deepEqual(
      body.results.map(({ error }) => error?.code ?? 'checked'),
      Array.from({ length: 4 }, () => ['image_corrupt', 'checked']).flat(),
    );
    // If each image blocked the process, there would be about one response to other requests per image.
    assert.ok(answers > 2 * images.length, `${answers} answers`);
  });
});
