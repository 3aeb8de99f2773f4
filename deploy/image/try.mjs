// Tests the image made by `build.sh` with compose.yaml's restrictions (read-only, no capabilities, a volume): a check
// over HTTP, a stop during checks, a restart on the same volume, and clear refusals. Uses Docker, Podman or
// $CONTAINER_ENGINE and takes a minute. Usage: `node deploy/image/try.mjs`
import assert from 'node:assert/strict';
import { execFile, spawnSync } from 'node:child_process';
import { openAsBlob } from 'node:fs';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';

const ENGINE =
  process.env.CONTAINER_ENGINE ??
  ['docker', 'podman'].find((name) => spawnSync(name, ['--version']).status === 0);
const IMAGE = 'telltale';
const NAME = `telltale-try-${process.pid}`;
const SAMPLE = join(import.meta.dirname, '../../samples/portrait.png');
const LOCKED = ['--read-only', '--tmpfs=/tmp', '--cap-drop=ALL', '--security-opt=no-new-privileges'];
const startMs = Date.now();

function say(text) {
  console.log(`${((Date.now() - startMs) / 1000).toFixed(0)} s: ${text}`);
}

/**
 * Runs the container engine. Returns its exit status, its standard output, and all its output. Asynchronous,
 * so that requests go on during the call.
 */
function ask(...args) {
  return new Promise((resolve) => {
    execFile(ENGINE, args, (error, stdout, stderr) =>
      resolve({ status: error?.code ?? 0, output: stdout.trim(), text: `${stdout}${stderr}`.trim() }),
    );
  });
}

/** Runs the container engine and returns its standard output. Throws if the engine fails. */
async function call(...args) {
  const { status, output, text } = await ask(...args);
  assert.equal(status, 0, `${ENGINE} ${args.join(' ')}: ${text}`);
  return output;
}

const inside = (...command) => ask('exec', NAME, ...command);

async function findFreePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

/** Starts the service on the volume, waits until the image's own health check passes, and returns the address. */
async function start() {
  const port = await findFreePort();
  const network = [`--publish=127.0.0.1:${port}:${port}`, `--env=TELLTALE_PORT=${port}`];
  await call('run', '--detach', `--name=${NAME}`, ...LOCKED, ...network, `--volume=${NAME}:/data`, IMAGE);
  for (;;) {
    // Docker runs health checks itself; Podman leaves them to systemd.
    if (ENGINE.endsWith('podman')) await ask('healthcheck', 'run', NAME);
    const state = await call('inspect', '--format={{.State.Running}} {{.State.Health.Status}}', NAME);
    if (state === 'true healthy') return `http://127.0.0.1:${port}`;
    assert.match(state, /^true/, (await ask('logs', NAME)).text);
    await setTimeout(1000);
  }
}

async function check(url, key) {
  const body = new FormData();
  body.append('file', await openAsBlob(SAMPLE), 'portrait.png');
  const headers = { authorization: `Bearer ${key}` };
  const response = await fetch(`${url}/v1/check`, { method: 'POST', headers, body });
  return { status: response.status, answer: await response.json() };
}

/** Stops the service like `docker stop` and returns its exit status. */
async function stop() {
  await call('stop', '--time=30', NAME);
  const status = await call('inspect', '--format={{.State.ExitCode}}', NAME);
  await call('rm', NAME);
  return status;
}

async function tryService() {
  let url = await start();
  say('the health check passes');
  assert.equal((await inside('id', '-u')).output, '1000');
  assert.notEqual((await inside('touch', '/app/a')).status, 0, 'the root file system can be written');
  for (const name of ['gcc', 'cc', 'make', 'cmake', 'python3'])
    assert.notEqual((await inside('sh', '-c', `command -v ${name}`)).status, 0, `${name} is in the image`);
  assert.notEqual(
    (await inside('ls', '/app/node_modules/telltale-engine/models/training')).status,
    0,
    'training data are in the image',
  );
  const made = await inside('telltale', 'keys', 'create', '--account=me', '--plan=growth');
  const [key] = /tt_live_\w+/.exec(made.text);
  const first = await check(url, key);
  assert.equal(first.status, 200, JSON.stringify(first.answer));
  assert.equal((await fetch(url)).status, 200);
  say(`samples/portrait.png: ${JSON.stringify(first.answer.scores)}`);

  let ended = 0;
  const running = Array.from({ length: 3 }, () => check(url, key).finally(() => (ended += 1)));
  const answers = Promise.allSettled(running);
  // Waits until the service reads all requests. When it stops, it refuses requests that it has not begun to
  // read.
  let taken = 0;
  while (taken + ended < running.length) {
    const metrics = await (await fetch(`${url}/metrics`)).text();
    taken = Number(/^telltale_places_taken (\d+)/m.exec(metrics)[1]);
  }
  assert.ok(taken > 0, 'the checks ended before the stop');
  assert.equal(await stop(), '0');
  for (const { value, reason } of await answers) assert.equal(value?.status, 200, String(reason));
  say('SIGTERM ends it with status 0, after the checks that ran');

  url = await start();
  const headers = { authorization: `Bearer ${key}` };
  const past = await fetch(`${url}/v1/checks/${first.answer.id}`, { headers });
  assert.equal(past.status, 200);
  assert.equal(await stop(), '0');
  say('a restart on the same volume has the key and the check');
}

/** Expects a refused start to print a message without a stack trace. */
async function tryRefusal(expected, ...options) {
  const { status, text } = await ask('run', '--rm', '--no-healthcheck', ...LOCKED, ...options, IMAGE);
  assert.notEqual(status, 0);
  assert.match(text, expected);
  assert.doesNotMatch(text, /\n +at /);
  say(text);
}

try {
  await tryService();
  const url = (text) => `--env=TELLTALE_DATABASE_URL=${text}`;
  await tryRefusal(/ECONNREFUSED 127\.0\.0\.1:1$/m, url('postgres://telltale:secret@127.0.0.1:1/telltale'));
  await tryRefusal(/received 'mysql:\/\/localhost\/telltale'/, url('mysql://localhost/telltale'));
  await ask('volume', 'rm', NAME);
  await tryRefusal(
    /the file \/data\/telltale\.sqlite can't be created \(EROFS\)/,
    `--volume=${NAME}:/data:ro`,
  );
} finally {
  await ask('rm', '--force', NAME);
  await ask('volume', 'rm', NAME);
}
