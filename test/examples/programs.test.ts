// Runs the examples in Python, Node and curl unchanged with a real or simulated service, and the workflow's script
// in a real repository.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { connect, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { makeFolder } from '../support/folders.js';
import { pythonEnvironment, pythonPath } from '../support/python.js';
import { openBench, type ServiceBench } from '../support/service.js';
import { fixture, ROOT } from '../support/telltale.js';
import { usePackagedModels } from '../support/test-models.js';

const EXAMPLES = join(ROOT, 'examples');
const SCENE = fixture('jpeg/scene.jpg');
const SWAPPED = join(ROOT, 'samples/portrait-face-swapped.jpg');
const SMALL = join(ROOT, 'samples/portrait-too-small.png');
/** Its credentials record AI, but their signer is on no trust list: `is_ai` is false. */
const UNCLEAR = join(ROOT, 'samples/scene-signed-ai.jpg');

interface Finished {
  readonly status: number;
  readonly stdout: string;
  readonly stderr: string;
}

function run(
  command: string,
  args: readonly string[],
  env: NodeJS.ProcessEnv,
  cwd = ROOT,
): Promise<Finished> {
  return new Promise((resolve) => {
    const child = execFile(command, args, { env, cwd }, (_error, stdout, stderr) =>
      resolve({ status: child.exitCode ?? -1, stdout, stderr }),
    );
  });
}

describe('example programs that call a service', function () {
  this.timeout(240_000);
  usePackagedModels();
  let bench: ServiceBench;
  let folder: string;
  let env: NodeJS.ProcessEnv;

  before(async () => {
    folder = makeFolder('programs');
    bench = await openBench();
    env = pythonEnvironment({ TELLTALE_URL: bench.url, TELLTALE_KEY: await bench.newKey() });
  });
  after(() => bench.close());

  it('sort a folder of images (Python)', async () => {
    const images = join(folder, 'pictures');
    mkdirSync(images);
    copyFileSync(SCENE, join(images, 'a.JPG'));
    copyFileSync(SMALL, join(images, 'b.png'));
    copyFileSync(SWAPPED, join(images, 'c.jpg'));
    writeFileSync(join(images, 'notes.txt'), 'no image');
    const { status, stdout, stderr } = await run(
      pythonPath(),
      [join(EXAMPLES, 'python/sort_folder.py'), images],
      env,
    );
    assert.equal(status, 0, stderr);
    const rows = stdout
      .trim()
      .split(/\r\n/)
      .map((row) => row.split(',').slice(0, 2));
    assert.deepEqual(rows, [
      ['result', 'file'],
      ['Unclear', join(images, 'c.jpg')],
      ['refused', join(images, 'b.png')],
      ['No AI detected', join(images, 'a.JPG')],
    ]);
  });

  it('decide about uploaded images (Node)', async () => {
    const start = (more: NodeJS.ProcessEnv): ReturnType<typeof spawn> =>
      spawn(process.execPath, [join(EXAMPLES, 'node/gate-uploads.mjs'), '0'], {
        env: { ...env, ...more },
        stdio: ['ignore', 'pipe', 'inherit'],
      });
    const ask = async (child: ReturnType<typeof spawn>, uploads: readonly string[]): Promise<unknown[]> => {
      const [line] = (await once(child.stdout!.setEncoding('utf8'), 'data')) as [string];
      const decisions: unknown[] = [];
      for (const upload of uploads) {
        const body = new Uint8Array(readFileSync(upload));
        const answer = await fetch(line.trim(), { method: 'POST', body });
        decisions.push([answer.status, ((await answer.json()) as { decision: string }).decision]);
      }
      child.kill('SIGTERM');
      await once(child, 'exit');
      return decisions;
    };
    assert.deepEqual(await ask(start({}), [SCENE, SWAPPED, UNCLEAR, SMALL]), [
      [200, 'publish'],
      [200, 'ask a person'],
      [200, 'ask a person'],
      [422, 'refuse'],
    ]);
    assert.deepEqual(await ask(start({ TELLTALE_KEY: 'tt_live_none' }), [SCENE]), [[202, 'check later']]);
  });

  it('return the verdict as exit status (curl)', async () => {
    const check = (image: string, more: NodeJS.ProcessEnv = {}): Promise<Finished> =>
      run('bash', [join(EXAMPLES, 'curl/check.sh'), image], { ...env, ...more });
    const odd = join(folder, 'a name; with, signs.jpg');
    copyFileSync(SCENE, odd);
    const genuine = await check(odd);
    assert.equal(genuine.status, 0, genuine.stderr + genuine.stdout);
    assert.match(genuine.stdout, /"is_ai":false/);
    for (const image of [SWAPPED, UNCLEAR]) assert.equal((await check(image)).status, 1);
    const refused = await check(SMALL);
    assert.equal(refused.status, 2);
    assert.match(refused.stdout, /image_too_small/);
    assert.equal((await check(SCENE, { TELLTALE_KEY: 'tt_live_none' })).status, 2);
    assert.equal((await check(join(folder, 'missing.jpg'))).status, 2);
  });
});

describe('example programs that call a simulated service', function () {
  this.timeout(60_000);
  const RESULT = '{"id":"chk_1","is_ai":false,"details":{"assessment":"no_ai_detected"}}';
  /** Responses of the service to the next requests. Later requests get RESULT. */
  const responses: { readonly status: number; readonly body: string }[] = [];
  const service = createServer((request, response) => {
    const { status, body } = responses.shift() ?? { status: 200, body: RESULT };
    request.resume().once('end', () => response.writeHead(status).end(body));
  });
  let env: NodeJS.ProcessEnv;

  before(async () => {
    await once(service.listen(0, '127.0.0.1'), 'listening');
    const { port } = service.address() as AddressInfo;
    env = { ...process.env, TELLTALE_URL: `http://127.0.0.1:${port}`, TELLTALE_KEY: 'tt_live_none' };
  });
  after(() => service.close());

  it('gate-uploads.mjs decides about the next upload after a visitor breaks off one', async () => {
    const gate = spawn(process.execPath, [join(EXAMPLES, 'node/gate-uploads.mjs'), '0'], {
      env,
      stdio: ['ignore', 'pipe', 'ignore'],
    });
    try {
      const [line] = (await once(gate.stdout.setEncoding('utf8'), 'data')) as [string];
      const visitor = connect(Number(new URL(line).port), '127.0.0.1').resume();
      visitor.end('POST / HTTP/1.1\r\nHost: gate\r\nContent-Length: 1000\r\n\r\nabc');
      await once(visitor, 'close');
      const answer = await fetch(line.trim(), { method: 'POST', body: 'an image' });
      assert.deepEqual(await answer.json(), { decision: 'publish', check: 'chk_1' });
    } finally {
      gate.kill();
    }
  });

  it('check.sh prints only the verdict after a retry and removes its temporary file', async () => {
    const TMPDIR = makeFolder('curl');
    responses.push({ status: 503, body: '{"error":{"code":"overloaded"}}' });
    const { status, stdout, stderr } = await run('bash', [join(EXAMPLES, 'curl/check.sh'), SCENE], {
      ...env,
      TMPDIR,
    });
    assert.deepEqual([status, stdout], [0, `${RESULT}\n`], stderr);
    assert.deepEqual(readdirSync(TMPDIR), []);
  });
});

describe('the example workflow for pull requests', function () {
  this.timeout(240_000);
  usePackagedModels();
  const folder = makeFolder('workflow');
  const repository = join(folder, 'repository');
  const script = join(EXAMPLES, 'github-action/check-added.sh');

  const git = async (...args: string[]): Promise<string> => {
    const identity = [
      '-c',
      'user.name=test',
      '-c',
      'user.email=test@example.org',
      '-c',
      'commit.gpgsign=false',
    ];
    const { status, stdout, stderr } = await run('git', [...identity, ...args], process.env, repository);
    assert.equal(status, 0, stderr);
    return stdout.trim();
  };
  const check = async (base: string): Promise<string> => {
    const output = join(folder, 'output');
    writeFileSync(output, '');
    const TELLTALE = `${process.execPath} ${join(ROOT, 'dist/cli/main.js')}`;
    const env = { ...process.env, BASE: base, TELLTALE, GITHUB_OUTPUT: output };
    const { status, stderr } = await run('bash', [script], env, repository);
    assert.equal(status, 0, stderr);
    const [, mark, comment] = /^comment<<(\w{32})\n([\s\S]*)\n\1\n$/.exec(readFileSync(output, 'utf8')) ?? [];
    assert.ok(mark !== undefined && comment !== undefined);
    return comment;
  };

  it('comments only on images that the pull request adds', async () => {
    mkdirSync(repository);
    await git('init', '-q');
    copyFileSync(SCENE, join(repository, 'before.jpg'));
    await git('add', '.');
    await git('commit', '-qm', 'before');
    const base = await git('rev-parse', 'HEAD');
    writeFileSync(join(repository, 'notes.txt'), 'no image');
    await git('add', '.');
    await git('commit', '-qm', 'words');
    assert.equal(await check(base), 'Telltale: this adds no images.');

    copyFileSync(SCENE, join(repository, '-odd | <b>@someone`.jpg'));
    copyFileSync(SWAPPED, join(repository, 'swapped.JPG'));
    copyFileSync(SMALL, join(repository, 'small.png'));
    symlinkSync('/etc/hostname', join(repository, 'link.png'));
    await git('add', '.');
    await git('commit', '-qm', 'pictures');
    const lines = (await check(base)).split('\n');
    assert.equal(lines[0], 'Telltale: 3 images, 0 AI detected, 1 unclear, 1 not checked.');
    const rows = lines.filter((line) => line.startsWith('| ')).slice(1);
    assert.match(rows[0]!, /^\| swapped\.JPG \| \*\*Unclear\*\* \| the face /);
    assert.match(rows[1]!, /^\| small\.png \| not checked \| The image has 200 /);
    assert.match(rows[2]!, /^\| -odd &#124; &#60;b&#62;&#64;someone&#96;\.jpg \| No AI detected \|/);
    assert.equal(rows.length, 3);
  });

  it('fails if no image could be checked', async () => {
    const env = { ...process.env, BASE: 'HEAD~1', TELLTALE: 'false', GITHUB_OUTPUT: '/dev/null' };
    assert.notEqual((await run('bash', [script], env, repository)).status, 0);
  });

  it('contains the same script that these tests run', () => {
    const workflow = readFileSync(join(EXAMPLES, 'github-action/telltale.yml'), 'utf8');
    assert.match(workflow, /^ {8}run: bash \.github\/telltale\/check-added\.sh$/m);
    // Text that the author of a pull request chooses must never become part of a command.
    assert.doesNotMatch(workflow, /head_ref|head\.ref|title|body|pull_request_target/);
  });
});
