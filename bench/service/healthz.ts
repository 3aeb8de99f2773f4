// How long /healthz takes while checks are in flight: the service in a process of its own, this one as its clients.
//   node --import tsx bench/service/healthz.ts [--checks 32] [--seconds 20] [--picture PATH] [--as file|base64] [--threads N] [--workers N]
import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { Agent, request } from 'node:http';
import { cpus, tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay, performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const PROBE_INTERVAL_MS = 10;
const WARM_UP_MS = 3000;

const { values } = parseArgs({
  options: {
    checks: { type: 'string', default: '32' },
    seconds: { type: 'string', default: '20' },
    picture: { type: 'string', default: join(ROOT, 'samples/portrait.png') },
    as: { type: 'string', default: 'file' },
    threads: { type: 'string', default: String(cpus().length) },
    workers: { type: 'string', default: '1' },
  },
});

const dataDir = mkdtempSync(join(tmpdir(), 'telltale-healthz-'));
const env = {
  ...process.env,
  TELLTALE_DATA_DIR: dataDir,
  TELLTALE_THREADS: values.threads,
  TELLTALE_WORKERS: values.workers,
  TELLTALE_LOG: 'error',
  TELLTALE_DEADLINE_MS: '600000',
  TELLTALE_QUEUE: '1000',
};
const cli = join(ROOT, 'dist/cli.js');

/** Runs a command of the program to its first output that matches. */
function start(args: readonly string[], pattern: RegExp): Promise<{ child: ReturnType<typeof spawn>; match: string }> {
  const child = spawn(process.execPath, [cli, ...args], { env, stdio: ['ignore', 'pipe', 'inherit'] });
  return new Promise((resolve, reject) => {
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text;
      const match = pattern.exec(output)?.[1];
      if (match !== undefined) resolve({ child, match });
    });
    child.once('exit', (code) => reject(new Error(`telltale ${args[0]} ended with status ${code}`)));
  });
}

function makeBody(picture: Buffer): { body: Buffer; type: string } {
  if (values.as === 'base64') {
    return { body: Buffer.from(JSON.stringify({ image_b64: picture.toString('base64') })), type: 'application/json' };
  }
  const head = '--b\r\nContent-Disposition: form-data; name="file"; filename="picture"\r\n\r\n';
  return { body: Buffer.concat([Buffer.from(head), picture, Buffer.from('\r\n--b--\r\n')]), type: 'multipart/form-data; boundary=b' };
}

/** One request; gives its status once the answer has been read. */
function exchange(url: string, agent: Agent, post?: { body: Buffer; headers: Record<string, string> }): Promise<number> {
  return new Promise((resolve, reject) => {
    const options = { agent, method: post ? 'POST' : 'GET', headers: { ...post?.headers, ...(post && { 'content-length': post.body.length }) } };
    const sent = request(url, options, (response) => {
      response.resume().on('end', () => resolve(response.statusCode ?? 0)).on('error', reject);
    });
    sent.on('error', reject).end(post?.body);
  });
}

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.ceil(sorted.length * share) - 1)] ?? NaN;

const { match: key } = await start(['keys', 'create', '--account', 'bench', '--plan', 'scale', '--json'], /"key": *"(\w+)"/);
const { child, match: url } = await start(['serve', '--port', '0'], /serves on (\S+)/);
try {
  const { body, type } = makeBody(readFileSync(values.picture));
  const post = { body, headers: { authorization: `Bearer ${key}`, 'content-type': type } };
  const statuses = new Map<number, number>();
  let isMeasuring = true;
  const checkers = new Agent({ keepAlive: true });
  const checking = Array.from({ length: Number(values.checks) }, async () => {
    while (isMeasuring) {
      const status = await exchange(`${url}/v1/check`, checkers, post);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  });
  const prober = new Agent({ keepAlive: true, maxSockets: 1 });
  await setTimeout(WARM_UP_MS);
  statuses.clear();
  const ownDelay = monitorEventLoopDelay({ resolution: 1 });
  ownDelay.enable();
  const latenciesMs: number[] = [];
  const startMs = performance.now();
  while (performance.now() - startMs < Number(values.seconds) * 1000) {
    const sentMs = performance.now();
    await exchange(`${url}/healthz`, prober);
    latenciesMs.push(performance.now() - sentMs);
    await setTimeout(PROBE_INTERVAL_MS);
  }
  ownDelay.disable();
  const elapsedS = (performance.now() - startMs) / 1000;
  const answers = [...statuses].map(([status, count]) => `${count} × ${status}`).join(', ');
  isMeasuring = false;
  latenciesMs.sort((a, b) => a - b);
  const show = (ms: number): string => ms.toFixed(1);
  console.log(`machine: ${cpus().length} × ${cpus()[0]?.model ?? 'unknown'}, Node ${process.version}`);
  console.log(
    `${values.checks} checks in flight (${body.length} bytes as ${values.as}), ${values.threads} threads, ${values.workers} processes: ` +
      `${((statuses.get(200) ?? 0) / elapsedS).toFixed(1)} checks/s; answers ${answers}`,
  );
  console.log(
    `/healthz, ${latenciesMs.length} probes: p50 ${show(percentile(latenciesMs, 0.5))} ms, p99 ${show(percentile(latenciesMs, 0.99))} ms, ` +
      `max ${show(latenciesMs.at(-1) ?? NaN)} ms`,
  );
  console.log(`of which the client's own event loop: p99 ${show(ownDelay.percentile(99) / 1e6)} ms`);
  await Promise.all(checking);
} finally {
  child.kill('SIGTERM');
  await new Promise((resolve) => child.once('exit', resolve));
  rmSync(dataDir, { recursive: true, force: true });
}
process.exit(0);
