// Tests worker processes: replacement after a crash, and an orderly shutdown with exit code 0.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { request, type IncomingMessage } from 'node:http';
import { join } from 'node:path';
import { makeFolder } from '../../support/folders.js';
import { SCENE_JPEG } from '../../support/images.js';
import { postForm, type Answer } from '../../support/service.js';
import { serve, type Served } from '../../support/telltale-serve.js';
import { callTelltale } from '../../support/telltale.js';

describe('telltale serve with several processes', function () {
  this.timeout(120_000);
  const folder = makeFolder('workers');
  let env: Record<string, string>;
  let key: string;

  before(async () => {
    env = { TELLTALE_DATA_DIR: folder, TELLTALE_THREADS: '2' };
    const args = ['keys', 'create', '--account', 'workers', '--plan', 'scale', '--json'];
    const { stdout } = await callTelltale(args, { env });
    const created = JSON.parse(stdout) as Record<string, string>;
    assert.deepEqual(Object.keys(created), ['id', 'account', 'plan', 'key']);
    key = created.key!;
  });

  const check = (one: Served): Promise<Answer> => postForm(`${one.url}/v1/check`, key, 'file', [SCENE_JPEG]);
  const metric = async (one: Served, pattern: RegExp): Promise<number> => {
    const text = await (await fetch(`${one.url}/metrics`)).text();
    return Number(pattern.exec(text)?.[1] ?? 0);
  };
  const pids = (one: Served): number[] => [
    ...new Set([...one.log().matchAll(/"pid":(\d+),.*"msg":"serving"/g)].map((match) => Number(match[1]))),
  ];

  it('replaces a process that dies, counts the replacement and shuts down in order', async () => {
    const served = await serve(env, ['--workers', '2']);
    try {
      assert.equal((await check(served)).status, 200);
      // A worker's log line may arrive after its message that it serves.
      while (pids(served).length < 2) await new Promise((resolve) => setTimeout(resolve, 50));
      assert.equal(pids(served).length, 2);
      // SIGSEGV ends the process like a crash in native code.
      process.kill(pids(served)[0]!, 'SIGSEGV');
      while (pids(served).length < 3) await new Promise((resolve) => setTimeout(resolve, 50));
      while ((await metric(served, /telltale_workers (\d+)/)) < 2)
        await new Promise((resolve) => setTimeout(resolve, 50));
      assert.equal(await metric(served, /telltale_worker_exits_total\{reason="SIGSEGV"\} (\d+)/), 1);
      for (let time = 0; time < 4; time += 1) assert.equal((await check(served)).status, 200);
      assert.ok((await metric(served, /telltale_checks_total\{[^}]*\} (\d+)/)) >= 4);
    } finally {
      assert.equal(await served.end('SIGTERM'), 0);
    }
  });

  it('finishes running requests after a stop signal and exits with code 0', async () => {
    const served = await serve(env);
    // Each of these requests still lacks its last byte, so that it runs as long as the test wants.
    const running = Array.from({ length: 4 }, () => beginCheck(served, key));
    while ((await metric(served, /telltale_places_taken (\d+)/)) < 4)
      await new Promise((resolve) => setTimeout(resolve, 5));
    const status = served.end('SIGTERM');
    while (await accepts(served)) await new Promise((resolve) => setTimeout(resolve, 5));
    for (const check of running) check.end();
    for (const { answered } of running) assert.equal(await answered, 200);
    assert.equal(await status, 0);
    assert.match(served.log(), /"msg":"stopped"/);
  });

  it('prints the demo key only once, together with a curl command', async () => {
    const fresh = { ...env, TELLTALE_DATA_DIR: join(folder, 'fresh') };
    for (const isFirst of [true, false]) {
      const served = await serve(fresh, ['--demo']);
      while (!/Console:/.test(served.output())) await new Promise((resolve) => setTimeout(resolve, 20));
      const isShown = /curl -H 'Authorization: Bearer tt_live_\w+' -F 'file=@/.test(served.output());
      assert.equal(isShown, isFirst, served.output());
      await served.end();
    }
  });

  it('reports the reason if the service cannot start', async () => {
    const port = await callTelltale(['serve', '--port', '70000'], { env });
    assert.equal(port.status, 2);
    const plans = await callTelltale(['serve', '--port', '0'], {
      env: { ...env, TELLTALE_PLANS_FILE: '/none.json' },
    });
    assert.equal(plans.status, 1);
    assert.match(plans.stderr, /plans file/);
  });
});

/** Sends a check without its last byte. The returned `end` sends that byte. */
function beginCheck(
  { url }: Served,
  key: string,
): { readonly answered: Promise<number | undefined>; end(): void } {
  const headers = {
    authorization: `Bearer ${key}`,
    'content-type': 'multipart/form-data; boundary=b',
    connection: 'close',
  };
  const sending = request(`${url}/v1/check`, { method: 'POST', headers });
  sending.write('--b\r\nContent-Disposition: form-data; name="file"; filename="scene.jpg"\r\n\r\n');
  sending.write(SCENE_JPEG);
  sending.write('\r\n--b-');
  const answered = once(sending, 'response').then(([response]) => {
    (response as IncomingMessage).resume();
    return (response as IncomingMessage).statusCode;
  });
  return { answered, end: () => void sending.end('-\r\n') };
}

/** Returns whether the service accepts new connections, which it does until it stops. */
function accepts({ url }: Served): Promise<boolean> {
  return fetch(`${url}/healthz`).then(
    () => true,
    () => false,
  );
}
