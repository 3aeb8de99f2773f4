// Tests an account that tries to take every request slot, while other accounts must be served.
import assert from 'node:assert/strict';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SCENE_JPEG } from '../../support/images.js';
import { openBench, postForm, postJson, type Answer, type ServiceBench } from '../../support/service.js';

/** Number of request slots with one thread, and how many of them one account may take. */
const PLACES = 12;
const PLACES_EACH = 6;

describe('an account that tries to take all request slots', () => {
  let bench: ServiceBench;
  let tarpit: Server;
  let slow: string;
  let held: Promise<Answer>[] = [];

  before(async () => {
    // Server that accepts connections and never responds.
    tarpit = createServer(() => undefined);
    await new Promise<void>((resolve) => tarpit.listen(0, '127.0.0.1', resolve));
    slow = `http://slow.example.org:${(tarpit.address() as AddressInfo).port}/`;
    const fetcher = {
      resolve: () => Promise.resolve(['127.0.0.1']),
      isAllowed: () => true,
      timeoutMs: 60_000,
    };
    bench = await openBench('sqlite', { threads: 1, queueLimit: 8 }, { fetcher });
  });
  after(async () => {
    await bench.close();
    tarpit.close();
  });

  /**
   * Waits until the account has taken all its slots. Then asserts that another account is served, and that
   * all slots become free.
   */
  async function assertOthersAreServed(): Promise<void> {
    const until = async (pattern: RegExp): Promise<void> => {
      while (!pattern.test(await (await fetch(`${bench.url}/metrics`)).text()))
        await new Promise((resolve) => setTimeout(resolve, 10));
    };
    await until(new RegExp(`^telltale_requests_waiting ${held.length - PLACES_EACH}$`, 'm'));
    await until(new RegExp(`^telltale_places_taken ${PLACES_EACH}$`, 'm'));
    const other = await bench.newKey();
    const asked = Array.from({ length: PLACES - PLACES_EACH }, () =>
      postForm(`${bench.url}/v1/check`, other, 'file', [SCENE_JPEG]),
    );
    for (const { status } of await Promise.all(asked)) assert.equal(status, 200);
    const freeing = setInterval(() => tarpit.closeAllConnections(), 10);
    const codes = (await Promise.all(held)).map(({ text }) => /"code":"(\w+)"/.exec(text)?.[1]);
    clearInterval(freeing);
    assert.deepEqual(new Set(codes), new Set(['url_fetch_failed']));
    await until(/^telltale_places_taken 0$/m);
  }

  const hold = (ask: (index: number) => Promise<Answer>): void => {
    held = Array.from({ length: PLACES + 1 }, (_, index) => ask(index));
  };

  it('leaves slots for other accounts if its checks wait for slow image addresses', async () => {
    const key = await bench.newKey();
    hold(() => postJson(`${bench.url}/v1/check`, key, { image_url: slow }));
    await assertOthersAreServed();
  });

  it('leaves slots for other accounts if its batches wait for slow image addresses', async () => {
    const key = await bench.newKey();
    const images = Array.from({ length: 8 }, () => ({ image_url: slow }));
    hold(() => postJson(`${bench.url}/v1/check/batch`, key, { images }));
    await assertOthersAreServed();
  });

  it('does not delay another account’s check, even if its batches fill the engine’s queue', async () => {
    const [greedy, other] = [await bench.newKey(), await bench.newKey()];
    const readQueued = async (): Promise<number> => {
      const text = await (await fetch(`${bench.url}/metrics`)).text();
      return Number(/^telltale_engine_queued (\d+)$/m.exec(text)?.[1]);
    };
    const eight = Array.from({ length: 8 }, () => SCENE_JPEG);
    const batches = [1, 2, 3].map(() => postForm(`${bench.url}/v1/check/batch`, greedy, 'files', eight));
    while ((await readQueued()) < 14) await new Promise((resolve) => setTimeout(resolve, 5));
    assert.equal((await postForm(`${bench.url}/v1/check`, other, 'file', [SCENE_JPEG])).status, 200);
    // If the other check had waited for all batches of the first account, no batch would be waiting now.
    assert.ok((await readQueued()) > 0);
    for (const { status } of await Promise.all(batches)) assert.equal(status, 200);
  });

  it('leaves slots for other accounts if its repeated requests wait for the first one with their Idempotency-Key', async () => {
    const key = await bench.newKey();
    const headers = { 'idempotency-key': 'twin' };
    hold(() => postJson(`${bench.url}/v1/check`, key, { image_url: slow }, headers));
    await assertOthersAreServed();
  });
});
