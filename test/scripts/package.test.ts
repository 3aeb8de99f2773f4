// What `npm pack` puts into the package: all that the program reads, and nothing else.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { makeFolder } from '../support/folders.js';
import { ROOT } from '../support/telltale.js';
import { usePackagedModels } from '../support/test-models.js';

const run = promisify(execFile);

/** What npm says of a package that it would pack. */
interface Packed {
  readonly version: string;
  /** Bytes of the tarball. */
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

async function pack(folder: string): Promise<Packed> {
  const { stdout } = await run(
    'npm',
    ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error'],
    {
      cwd: folder,
      maxBuffer: 10_000_000,
    },
  );
  return (JSON.parse(stdout) as [Packed])[0];
}

describe('the package', function () {
  this.timeout(300_000);
  usePackagedModels();
  const app = makeFolder('app');
  let telltale: string;
  let packed: Packed;

  // The files as npm installs them into a project, with the dependencies and the addon of this folder.
  before(async () => {
    telltale = join(app, 'node_modules/telltale');
    packed = await pack(ROOT);
    for (const path of [...packed.files.map((file) => file.path), 'build/Release/telltale.node']) {
      mkdirSync(dirname(join(telltale, path)), { recursive: true });
      cpSync(join(ROOT, path), join(telltale, path));
    }
    symlinkSync(join(ROOT, 'node_modules'), join(telltale, 'node_modules'));
    writeFileSync(join(app, 'package.json'), '{"type": "module"}');
  });

  it('holds no tests, training data or sources that are compiled already', () => {
    const roots = new Set(packed.files.map(({ path }) => path.split('/')[0]));
    const expected =
      'CMakeLists.txt LICENSE README.md binding.gyp cmake dist examples llms.txt models native package.json plans.json';
    // Only where it was made, which package.whole.ts does.
    roots.delete('prebuilds');
    assert.deepEqual([...roots].sort(), [...expected.split(' '), 'samples', 'scripts', 'trust']);
    const own = packed.files.filter(({ path }) => !path.startsWith('prebuilds/'));
    for (const { path } of own)
      assert.doesNotMatch(path, /tests\/|fuzz|training|plots\/|\.js\.map$|(?<!\.d)\.ts$/);
    const [, example] = /\[Example\]\((.+?)\)/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8'))!;
    assert.ok(
      packed.files.some(({ path }) => path.startsWith(`${example}/`)),
      'the example that README names',
    );
    assert.ok(packed.size < 110_000_000, `${packed.size} bytes`);
  });

  it('holds every source that the addon is built from', () => {
    const sources = readFileSync(join(ROOT, 'CMakeLists.txt'), 'utf8').match(/(?<=^ +)native\/\S+\.cc$/gm)!;
    const wanted = sources.filter((path) => !path.startsWith('native/tests/'));
    assert.ok(wanted.length > 40);
    const held = new Set(packed.files.map(({ path }) => path));
    assert.deepEqual(
      wanted.filter((path) => !held.has(path)),
      [],
    );
  });

  it('checks an image, as a command and in a program', async () => {
    const image = join(ROOT, 'samples/portrait.png');
    const cli = join(telltale, 'dist/cli/main.js');
    const { stdout } = await run(process.execPath, [cli, 'check', '--json', image], { cwd: app });
    const checked = JSON.parse(stdout) as { is_ai: boolean; scores: object };
    assert.equal(checked.is_ai, false);
    const program = `
      import { readFile } from 'node:fs/promises';
      import { createChecker, presentCheck } from 'telltale';
      const checker = await createChecker();
      const report = await checker.check(await readFile(process.argv[2]));
      await checker.close();
      console.log(JSON.stringify(presentCheck(report)));`;
    writeFileSync(join(app, 'program.js'), program);
    const answer = await run(process.execPath, ['program.js', image], { cwd: app });
    assert.deepEqual((JSON.parse(answer.stdout) as { scores: object }).scores, checked.scores);
  });

  it('holds the types that programs import', async () => {
    writeFileSync(
      join(app, 'types.ts'),
      `export * from 'telltale';\nexport type { Checker } from 'telltale';`,
    );
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
    const roots = ['--typeRoots', join(ROOT, 'node_modules/@types')];
    await run(process.execPath, [tsc, ...options, ...roots, 'types.ts'], { cwd: app });
  });

  it('serves the API of openapi.json, and the console', async () => {
    const args = [join(telltale, 'dist/cli/main.js'), 'serve', '--demo', '--port', '0'];
    const service = spawn(process.execPath, args, { cwd: app, stdio: ['ignore', 'pipe', 'ignore'] });
    try {
      let url: string | undefined;
      for await (const line of createInterface({ input: service.stdout })) {
        url ??= /serves on (\S+)/.exec(line)?.[1];
        if (line.includes('curl')) assert.ok(line.includes(join(telltale, 'samples/portrait.png')), line);
        if (line.startsWith('Console:')) break;
      }
      assert.equal((await fetch(`${url}/readyz`)).status, 200);
      assert.match(await (await fetch(url!)).text(), /<script/);
      const document: unknown = await (await fetch(`${url}/openapi.json`)).json();
      // `npm run lint -- --fix` writes it.
      assert.deepEqual(document, JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8')));
    } finally {
      service.kill('SIGKILL');
    }
  });

  it('has a client of the same version, with what it runs', async () => {
    const client = await pack(join(ROOT, 'client'));
    assert.equal(client.version, packed.version);
    const roots = new Set(client.files.map(({ path }) => path.split('/')[0]));
    assert.deepEqual([...roots].sort(), ['README.md', 'dist', 'package.json']);
    assert.ok(client.files.some(({ path }) => path === 'dist/index.js'));
  });
});
