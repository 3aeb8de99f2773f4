// Tests the longest lists for scans: their maximum number of images, and the memory that the service uses.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { request } from 'node:http';
import { Readable } from 'node:stream';
import { sharedPostgres } from '../../support/databases.js';
import { openScanBench, waitForNoLists, type ScanBench } from '../../support/scans.js';
import { serve } from '../../support/telltale-serve.js';

const MIB = 1_048_576;
/**
 * Maximum additional memory for a list in MiB. Most of it is the heap before garbage collection, which runs
 * later on a busy machine (69 to 118 measured). A million items held as objects would add at least 120.
 */
const MAX_GROWTH_MIB = 160;
const HEAD = '--b\r\nContent-Disposition: form-data; name="file"; filename="list"\r\n\r\n';

describe('a list of a million images for a scan', function () {
  this.timeout(1_200_000);
  let bench: ScanBench;
  let key: string;

  before(async function () {
    const postgres = await sharedPostgres();
    if (postgres === null) return this.skip();
    bench = await openScanBench(postgres);
    key = await bench.service.newKey({ plan: 'scale' });
  });
  after(() => bench.close());

  it('is the longest allowed, and is read with little memory', async function () {
    if (process.platform !== 'linux') return this.skip();
    // The service runs in a separate process, because this process makes the list.
    const served = await serve({ ...bench.env, TELLTALE_LOG: 'error' });
    try {
      const { pid } = served.process;
      assert.ok(pid);
      assert.equal((await fetch(`${served.url}/healthz`)).status, 200);
      const before = residentMemory(pid);
      const { status, text } = await send(served.url, key, images(1_000_001));
      const after = residentMemory(pid);
      assert.equal(status, 400, text);
      assert.match(text, /line 1000001 of the list has item 1000001; a scan has at most 1000000 items/);
      await waitForNoLists(bench);
      const more = (after.most - before.now) / MIB;
      assert.ok(more < MAX_GROWTH_MIB, `${more.toFixed(0)} MiB more`);
    } finally {
      await served.end();
    }
  });
});

/** Sends a list without holding all of it in memory. */
async function send(
  url: string,
  key: string,
  chunks: Iterable<Buffer>,
): Promise<{ status: number; text: string }> {
  const sending = request(`${url}/v1/scans`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'multipart/form-data; boundary=b' },
  });
  const answered = once(sending, 'response');
  const body = function* (): Generator<Buffer> {
    yield Buffer.from(HEAD);
    yield* chunks;
    yield Buffer.from('\r\n--b--\r\n');
  };
  Readable.from(body()).pipe(sending);
  const [response] = (await answered) as [Readable & { statusCode: number }];
  let text = '';
  for await (const chunk of response) text += String(chunk);
  return { status: response.statusCode, text };
}

/** Yields the lines of a list, which are made while they are sent. */
function* images(count: number): Generator<Buffer> {
  for (let from = 0; from < count; from += 1000) {
    const lines = Array.from({ length: Math.min(1000, count - from) }, (_, index) => {
      const name = from + index;
      return `{"url":"https://example.org/${name}.jpg","ref":"${name}"}\n`;
    });
    yield Buffer.from(lines.join(''));
  }
}

/** Returns the present and the maximum memory of a process in bytes. Works on Linux only. */
function residentMemory(pid: number): { readonly now: number; readonly most: number } {
  const text = readFileSync(`/proc/${pid}/status`, 'utf8');
  const read = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(text)?.[1]) * 1024;
  return { now: read('VmRSS'), most: read('VmHWM') };
}
