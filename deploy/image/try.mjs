// Runs the Dockerfile's steps without Docker, in Debian roots by mmdebstrap; starts what comes out and checks a picture over
// HTTP. By hand, as root: `apt-get install mmdebstrap`, then `node deploy/image/try.mjs`. It takes minutes and 4 GB.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtempSync, openAsBlob, readFileSync, rmSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { parseDockerfile } from './dockerfile.mjs';
import { copyInto, makeBase, run, runIn, startIn } from './root.mjs';

const project = resolve(import.meta.dirname, '../..');
const folder = mkdtempSync(join(tmpdir(), 'telltale-image-'));
const startMs = Date.now();

function say(text) {
  console.log(`${((Date.now() - startMs) / 1000).toFixed(0)} s: ${text}`);
}

/** Takes the steps of a stage; gives the root with what a process in it starts with. */
async function build(stage, index, built) {
  const place = { root: join(folder, `stage-${index}`), folder: '/', user: 'root', variables: {} };
  run('cp', ['-a', '--reflink=auto', join(folder, stage.base.replace(':', '-')), place.root]);
  const inside = (path, from = place) =>
    join(from.root, path.startsWith('/') ? path : join(from.folder, path));
  for (const step of stage.steps) {
    say(`${step.instruction} ${JSON.stringify({ ...step, instruction: undefined })}`);
    if (step.instruction === 'WORKDIR') await runIn(place, ['mkdir', '-p', step.folder]);
    if (step.instruction === 'RUN') await runIn(place, ['sh', '-c', step.command]);
    if (step.instruction === 'COPY' && step.stage)
      copyInto(
        step.sources.map((path) => inside(path, built.get(step.stage))),
        inside(step.target) + (step.target.endsWith('/') ? '/' : ''),
      );
    else if (step.instruction === 'COPY') copyContext(step, inside(step.target));
    if (step.instruction === 'CMD') place.command = step.command;
    if (step.instruction === 'HEALTHCHECK') place.healthCheck = step.command;
    place.folder = step.folder ?? place.folder;
    place.user = step.user ?? place.user;
    place.variables = { ...place.variables, ...step.variables };
  }
  return place;
}

/** `COPY . .` without what .dockerignore names. */
function copyContext({ sources }, target) {
  assert.deepEqual(sources, ['.']);
  const ignored = readFileSync(join(project, '.dockerignore'), 'utf8').trim().split('\n');
  const excludes = ignored.map((pattern) => `--exclude=./${pattern}`);
  const tar = `tar -c --anchored "\${@:2}" -C "$1" . | tar -x --no-same-owner -C "${target}"`;
  run('bash', ['-o', 'pipefail', '-c', tar, 'copy', project, ...excludes]);
}

async function findFreePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  return port;
}

/** Starts the image, waits until it calls itself healthy, and checks a picture as a caller would. */
async function tryImage(place) {
  const port = await findFreePort();
  const mine = { TELLTALE_PORT: String(port), TELLTALE_HOST: '127.0.0.1' };
  const running = { ...place, variables: { ...place.variables, ...mine } };
  const service = startIn(running, place.command);
  const ended = once(service, 'exit');
  try {
    while (!(await isHealthy(running))) {
      assert.equal(service.exitCode, null, 'the service has ended');
      await setTimeout(1000);
    }
    say('the health check passes');
    const keys = 'node dist/cli/main.js keys create --account me --plan growth'.split(' ');
    const said = await runIn(running, keys, { stdio: ['ignore', 'pipe', 'inherit'] });
    const body = new FormData();
    body.append('file', await openAsBlob(join(project, 'samples/portrait.png')), 'portrait.png');
    const response = await fetch(`http://127.0.0.1:${port}/v1/check`, {
      method: 'POST',
      headers: { authorization: `Bearer ${/tt_live_\w+/.exec(said)[0]}` },
      body,
    });
    const answer = await response.json();
    assert.equal(response.status, 200, JSON.stringify(answer));
    say(`samples/portrait.png: ${answer.reason}`);
    assert.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 200);
    say('the console is there');
  } finally {
    service.kill('SIGTERM');
  }
  const [status] = await ended;
  assert.equal(status, 0, `the service ended with ${status}`);
  say('the service ended by SIGTERM with status 0');
}

async function isHealthy(place) {
  return runIn(place, place.healthCheck, { stdio: 'ignore' }).then(
    () => true,
    () => false,
  );
}

try {
  const stages = parseDockerfile(readFileSync(join(project, 'deploy/Dockerfile'), 'utf8'));
  for (const base of new Set(stages.map((stage) => stage.base))) {
    say(base);
    makeBase(base, join(folder, base.replace(':', '-')));
  }
  const built = new Map();
  let last;
  for (const [index, stage] of stages.entries()) {
    last = await build(stage, index, built);
    built.set(stage.name, last);
  }
  run('du', ['-sh', last.root]);
  await tryImage(last);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
