// Tests more requests than the service accepts: immediate refusals, and slots that become free again.
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { SCENE_JPEG } from '../../support/images.js';
import { assertError, openBench, postForm, type ServiceBench } from '../../support/service.js';

/** Number of request slots with one thread, and how many of them the bodies of one account may take. */
const PLACES = 8;
const PLACES_EACH = 6;

describe('a service whose request slots are all taken', () => {
  let bench: ServiceBench;
  let key: string;
  let other: string;
  const senders: Socket[] = [];

  before(async () => {
    bench = await openBench('sqlite', { threads: 1, queueLimit: 1 });
    key = await bench.newKey();
    other = await bench.newKey();
  });
  after(async () => {
    for (const sender of senders) sender.destroy();
    await bench.close();
  });

  const check = (by = key): ReturnType<typeof postForm> =>
    postForm(`${bench.url}/v1/check`, by, 'file', [SCENE_JPEG]);
  const metrics = async (): Promise<string> => (await fetch(`${bench.url}/metrics`)).text();
  const until = async (pattern: RegExp): Promise<void> => {
    while (!pattern.test(await metrics())) await new Promise((resolve) => setTimeout(resolve, 10));
  };

  /** Sends a request whose body never ends, so that it keeps its slot. */
  function holdPlace(by = key): void {
    const { hostname, port } = new URL(bench.url);
    const head = `POST /v1/check HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${by}\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{`;
    const socket = connect(Number(port), hostname, () => socket.write(head));
    socket.on('error', () => undefined);
    senders.push(socket);
  }

  it('lets one request wait, refuses the next with 503, and recovers when slots become free', async () => {
    for (let place = 0; place < PLACES; place += 1) holdPlace(place < PLACES_EACH ? key : other);
    await until(new RegExp(`^telltale_places_taken ${PLACES}$`, 'm'));
    const waiting = check();
    await until(/^telltale_requests_waiting 1$/m);
    const refused = await check();
    assertError(refused, 503, 'overloaded');
    assert.match(refused.headers.get('retry-after') ?? '', /^\d+$/);
    assert.match(await metrics(), /^telltale_requests_waiting 1$/m);
    for (const sender of senders.splice(0)) sender.destroy();
    assert.equal((await waiting).status, 200);
    await until(/^telltale_places_taken 0$/m);
    assert.equal((await check()).status, 200);
  });

  it('serves other accounts if slow uploads of one account fill all slots of that account', async () => {
    for (let place = 0; place <= PLACES_EACH; place += 1) holdPlace();
    await until(/^telltale_requests_waiting 1$/m);
    assert.match(await metrics(), new RegExp(`^telltale_places_taken ${PLACES_EACH}$`, 'm'));
    assert.equal((await check(other)).status, 200);
    for (const sender of senders.splice(0)) sender.destroy();
    await until(/^telltale_places_taken 0$/m);
    assert.equal((await check()).status, 200);
    assert.match(await metrics(), /^telltale_requests_waiting 0$/m);
  });
});
