// Tests members who request stored images and never read them: they stay within the rate, slots and memory of
// their account.
import assert from 'node:assert/strict';
import { connect, type Socket } from 'node:net';
import { signIn, type ConsoleClient } from '../../support/console.js';
import { makeBmp, SCENE_JPEG } from '../../support/images.js';
import { openBench, postForm, type ServiceBench } from '../../support/service.js';

/** Number of downloads that one account may run at once, of sixteen in total. */
const PLACES_EACH = 8;
const ASKED = 14;
/** Image far larger than the buffers of a connection, so that an unread response stays unfinished. */
const IMAGE = makeBmp(2600, 2500);

describe('downloads of stored images in the console', function () {
  this.timeout(600_000);
  let bench: ServiceBench;
  const sockets: Socket[] = [];

  before(async () => {
    bench = await openBench('sqlite', { threads: 1 });
  });
  after(async () => {
    for (const socket of sockets) socket.destroy();
    await bench.close();
  });

  const enter = (account: string, plan: string): Promise<ConsoleClient> =>
    signIn(bench, { account, email: `member@${account}.example`, role: 'member', plan });
  const until = async (pattern: RegExp): Promise<void> => {
    while (!pattern.test(await (await fetch(`${bench.url}/metrics`)).text()))
      await new Promise((resolve) => setTimeout(resolve, 10));
  };

  /** Requests an image and reads nothing of the response. */
  function ask(path: string, cookie: string): void {
    const { hostname, port } = new URL(bench.url);
    const socket = connect(Number(port), hostname, () =>
      socket.write(`GET /console/api${path} HTTP/1.1\r\nHost: a\r\nCookie: ${cookie}\r\n\r\n`),
    );
    socket.on('error', () => undefined).pause();
    sockets.push(socket);
  }

  it('arrive complete; many unread downloads take only the account’s own request slots and little memory', async () => {
    const client = await enter('greedy', 'scale');
    const checked = await client.check(IMAGE, '?store=true');
    assert.equal(checked.status, 200, checked.text);
    const path = `/checks/${checked.body.id}/image`;
    const response = await fetch(`${bench.url}/console/api${path}`, { headers: { cookie: client.cookie } });
    assert.deepEqual(Buffer.from(await response.arrayBuffer()), IMAGE);
    const before = process.memoryUsage().arrayBuffers;
    for (let index = 0; index < ASKED; index += 1) ask(path, client.cookie);
    await until(new RegExp(`^telltale_kept_pictures_waiting ${ASKED - PLACES_EACH}$`, 'm'));
    await until(new RegExp(`^telltale_kept_pictures_sent ${PLACES_EACH}$`, 'm'));
    const held = process.memoryUsage().arrayBuffers - before;
    assert.ok(held < 2 * IMAGE.byteLength, `${held} bytes are held`);
    await until(/^telltale_places_taken 0$/m);
    const other = await bench.newKey();
    assert.equal((await postForm(`${bench.url}/v1/check`, other, 'file', [SCENE_JPEG])).status, 200);
    for (const socket of sockets) socket.destroy();
    await until(/^telltale_kept_pictures_sent 0$/m);
    assert.ok(!bench.logged.some((line) => line.includes('a response failed')), 'who leaves is no fault');
  });

  it('count as requests against the rate limit of the plan', async () => {
    const client = await enter('hurried', 'free');
    const statuses: number[] = [];
    while (statuses.length < 20 && !statuses.includes(429))
      statuses.push((await client.call('GET', '/checks/chk_none/image')).status);
    assert.equal(statuses.at(-1), 429);
  });
});
