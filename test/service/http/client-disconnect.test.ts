// Tests clients that disconnect before the response: nothing is charged or stored, and their slots become
// free.
import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeBmp, SCENE_JPEG } from '../../support/images.js';
import { openBench, postForm, type ServiceBench } from '../../support/service.js';

describe('clients that disconnect', () => {
  let bench: ServiceBench;

  before(async () => {
    bench = await openBench();
  });
  after(() => bench.close());

  /** Waits until all slots are free. If one stays taken, the test's time limit ends the wait. */
  const untilIdle = async (): Promise<void> => {
    const isIdle = async (): Promise<boolean> =>
      /^telltale_places_taken 0$/m.test(await (await fetch(`${bench.url}/metrics`)).text());
    while (!(await isIdle())) await sleep(20);
  };

  it('leave no stored image if they disconnect while a batch is checked', async () => {
    const own = await bench.newKey({ plan: 'growth' });
    const countKept = async (): Promise<number> =>
      (await bench.database.run((queries) => queries('images').whereNotNull('stored_at'))).length;
    const form = new FormData();
    for (let side = 900; side < 908; side += 1)
      form.append('files', new Blob([new Uint8Array(makeBmp(side, side))]));
    form.append('store', 'true');
    const caller = new AbortController();
    const answer = fetch(`${bench.url}/v1/check/batch`, {
      method: 'POST',
      headers: { authorization: `Bearer ${own}` },
      body: form,
      signal: caller.signal,
    });
    while ((await countKept()) === 0) await sleep(5);
    caller.abort();
    await assert.rejects(answer);
    await untilIdle();
    while ((await countKept()) > 0) await sleep(20);
  });

  it('leave no running work and are not charged', async () => {
    const own = await bench.newKey({ plan: 'growth' });
    const image = new Blob([new Uint8Array(makeBmp(600, 600))]);
    await Promise.all(
      Array.from({ length: 10 }, async (_, index) => {
        const signal = AbortSignal.timeout(5 + index * 20);
        const form = new FormData();
        form.append('file', image);
        await fetch(`${bench.url}/v1/check`, {
          method: 'POST',
          headers: { authorization: `Bearer ${own}` },
          body: form,
          signal,
        }).catch(() => undefined);
      }),
    );
    const { status } = await postForm(`${bench.url}/v1/check`, own, 'file', [SCENE_JPEG]);
    assert.equal(status, 200);
    await untilIdle();
  });
});
