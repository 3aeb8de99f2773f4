// Well-behaved callers of the soak test. Each sends a request, waits after the response, and repeats.
import { performance } from 'node:perf_hooks';
import { setTimeout as sleep } from 'node:timers/promises';
import { makeForm } from '../load/http-bodies.js';
import { statusOf, type SoakRequest } from './requests.js';
import { keepImage, PASSWORD, IMAGE, type Scene } from './scene.js';

/**
 * Milliseconds that a caller waits after each response. Chosen: without hostile callers, a machine with two cores is
 * not busy.
 */
const THINK_MS = 1000;

export interface ResponseStats {
  readonly timesMs: number[];
  /** Number of unexpected responses, and of requests without a response. */
  failures: number;
}

/** Functions by the caller's name. Each returns the caller's n-th request. */
export type Callers = Readonly<Record<string, (callNumber: number) => SoakRequest>>;

export async function goodCallers(scene: Scene): Promise<Callers> {
  const single = makeForm('file', [IMAGE]);
  const pair = makeForm('files', [IMAGE, IMAGE]);
  const kept = await keepImage(scene, 'good', IMAGE);
  const byAddress = Buffer.from(JSON.stringify({ image_url: scene.picture }));
  return {
    'an image, /v1/check': () => scene.keyed('good', '/v1/check', single.type, single.content),
    'an address, /v1/check': () => scene.keyed('good', '/v1/check', 'application/json', byAddress),
    'two images, /v1/check/batch': () => scene.keyed('good', '/v1/check/batch', pair.type, pair.content),
    'an image in the console': () => scene.signedIn('good', 'POST', '/checks', single.type, single.content),
    'a kept image in the console': () => scene.signedIn('good', 'GET', kept),
    'the history in the console': () => scene.signedIn('good', 'GET', '/checks'),
    // A person signs in from time to time, each time from another network.
    'signing in': (callNumber) =>
      scene.signIn(scene.emailOf('good'), PASSWORD, `10.${(callNumber >> 8) & 255}.${callNumber & 255}.1`),
  };
}

/**
 * Lets each caller send requests for a number of seconds. Requests that are still running then are awaited and
 * counted.
 */
export async function listen(
  { url }: Scene,
  callers: Callers,
  seconds: number,
): Promise<ReadonlyMap<string, ResponseStats>> {
  const endMs = performance.now() + seconds * 1000;
  const heard = new Map<string, ResponseStats>();
  const call = async (
    [name, next]: [string, (callNumber: number) => SoakRequest],
    index: number,
  ): Promise<void> => {
    const own: ResponseStats = { timesMs: [], failures: 0 };
    heard.set(name, own);
    await sleep((index * THINK_MS) / Object.keys(callers).length);
    for (let callNumber = 0; performance.now() < endMs; callNumber += 1) {
      const start = performance.now();
      const status = await statusOf(url, next(callNumber));
      if (status === 200 || status === 204) own.timesMs.push(performance.now() - start);
      else own.failures += 1;
      await sleep(THINK_MS);
    }
  };
  await Promise.all(Object.entries(callers).map(call));
  return heard;
}
