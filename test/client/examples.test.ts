// Runs the client's examples of scans, webhooks and a web page unchanged with a real service. client.test.ts
// covers the examples of checks.
import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { createServer, request, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { setTimeout } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';
import { closeWindows, sharedBrowser } from '../support/visit.js';
import { sharedPostgres } from '../support/databases.js';
import { makeFolder } from '../support/folders.js';
import { SCENE_JPEG } from '../support/images.js';
import { openScanBench, type ScanBench } from '../support/scans.js';
import { fixture, ROOT } from '../support/telltale.js';

const EXAMPLES = join(ROOT, 'examples');
const VERDICT = '(AI detected|Unclear|No AI detected)';

describe('the example programs of telltale-client', function () {
  this.timeout(600_000);
  let bench: ScanBench;
  let env: Record<string, string>;
  const folder = makeFolder('examples');
  let broken: string;

  before(async function () {
    const postgres = await sharedPostgres();
    if (postgres === null) return this.skip();
    broken = join(folder, 'broken.jpg');
    writeFileSync(broken, 'no image');
    bench = await openScanBench(postgres);
    env = { TELLTALE_URL: bench.service.url, TELLTALE_KEY: await bench.service.newKey() };
  });
  after(() => bench.close());

  const start = (command: string, args: readonly string[], more: Record<string, string> = {}): ChildProcess =>
    spawn(command, args, { env: { ...process.env, ...env, ...more }, stdio: ['ignore', 'pipe', 'pipe'] });
  const run = async (command: string, ...args: string[]): Promise<string> => {
    const child = start(command, args);
    const [stdout, stderr] = await Promise.all([text(child.stdout!), text(child.stderr!)]);
    if (child.exitCode === null) await once(child, 'exit');
    assert.equal(child.exitCode, 0, stderr);
    return stdout;
  };

  it('check a list of images in the background', async () => {
    const images = await listen(createServer((_req, res) => res.end(SCENE_JPEG)));
    await bench.startWorker();
    const list = join(folder, 'list.csv');
    writeFileSync(list, `url\n${images.url}/scene.jpg\nno address\n`);
    const output = await run(process.execPath, join(EXAMPLES, 'node/scan.mjs'), list);
    assert.match(output, new RegExp(`^line 2: ${VERDICT}$`, 'm'));
    assert.match(output, /^line 3: refused \(invalid_url\)$/m);
    assert.match(output, /^finished: 1 checked, 1 refused$/m);
    images.close();
  });

  it('accept each scan webhook once, and only with a valid signature', async () => {
    const secret = `whsec_${Buffer.alloc(24, 7).toString('base64')}`;
    const free = await listen(createServer());
    free.close();
    const child = start(process.execPath, [join(EXAMPLES, 'node/webhooks.mjs')], {
      WEBHOOK_SECRET: secret,
      PORT: new URL(free.url).port,
    });
    let output = '';
    child.stdout!.on('data', (chunk: Buffer) => (output += chunk.toString()));
    const now = new Date();
    const body = JSON.stringify({
      type: 'scan.finished',
      timestamp: now.toISOString(),
      data: { id: 'scn_1' },
    });
    const send = async (signature: string): Promise<number> => {
      const headers = {
        'webhook-id': 'evt_1',
        'webhook-timestamp': String(Math.floor(now.getTime() / 1000)),
        'webhook-signature': signature,
      };
      for (;;) {
        const answer = await fetch(free.url, { method: 'POST', headers, body }).catch(() => null);
        if (answer) return answer.status;
        await setTimeout(50);
      }
    };
    const signature = new Webhook(secret).sign('evt_1', now, body);
    assert.equal(await send(signature), 204);
    assert.equal(await send(signature), 204);
    assert.equal(await send(`v1,${Buffer.alloc(32).toString('base64')}`), 400);
    while (!output.includes('scn_1')) await setTimeout(20);
    child.kill();
    await once(child, 'exit');
    assert.equal(output.match(/scan\.finished/g)?.length, 1);
  });

  it('check an image from a web page, while only the page’s server knows the key', async () => {
    const site = await listen(createServer(servePage(env)));
    const browser = await sharedBrowser();
    const page = await browser.newPage();
    await page.goto(site.url);
    const status = page.getByRole('status');
    const answer = async (path: string): Promise<string> => {
      await page.setInputFiles('input', path);
      // The page sets the status when the check starts, and again when the response arrives.
      await status.filter({ hasNotText: /^(Checking \.\.\.)?$/ }).waitFor();
      return (await status.textContent()) ?? '';
    };
    assert.match(await answer(fixture('jpeg/scene.jpg')), /^(AI detected|Unclear|No AI detected): /);
    assert.match(await answer(broken), /file format is not supported\. Send JPEG, PNG/);
    await closeWindows();
    site.close();
  });
});

async function listen(server: Server): Promise<{ readonly url: string; close(): void }> {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
}

/**
 * Starts a server for the web page and the client's modules. It passes checks on to the service and adds the
 * API key.
 */
function servePage({
  TELLTALE_URL,
  TELLTALE_KEY,
}: Record<string, string>): Parameters<typeof createServer>[1] {
  return (req, res) => {
    const path = req.url ?? '';
    const [, module] = /^\/telltale-client\/([a-z-]+\.js)$/.exec(path) ?? [];
    if (path.startsWith('/telltale/')) {
      const headers = { ...req.headers, authorization: `Bearer ${TELLTALE_KEY}` };
      const onwards = request(`${TELLTALE_URL}${path.slice('/telltale'.length)}`, {
        method: req.method,
        headers,
      });
      onwards.on('response', (answer) => {
        res.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(res);
      });
      req.pipe(onwards);
    } else if (module !== undefined) {
      res.setHeader('content-type', 'text/javascript');
      res.end(readFileSync(join(ROOT, 'client/dist', module)));
    } else if (path === '/') {
      res.setHeader('content-type', 'text/html');
      res.end(readFileSync(join(EXAMPLES, 'browser/check.html')));
    } else res.writeHead(404).end();
  };
}
