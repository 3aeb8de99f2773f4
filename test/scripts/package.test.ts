// Tests the contents of the packages that `npm pack` makes: everything that the programs read, and nothing
// else.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { cpSync, mkdirSync, readFileSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';
import { makeFolder } from '../support/folders.js';
import { ROOT } from '../support/telltale.js';
import { usePackagedModels } from '../support/test-models.js';

const run = promisify(execFile);

/** A package as `npm pack` describes it in JSON. */
interface Packed {
  readonly version: string;
  /** Size of the tarball in bytes. */
  readonly size: number;
  readonly files: readonly { readonly path: string }[];
}

async function pack(folder: string): Promise<Packed> {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--loglevel=error'];
  const { stdout } = await run('npm', args, { cwd: folder, maxBuffer: 10_000_000 });
  return (JSON.parse(stdout) as [Packed])[0];
}

const rootsOf = ({ files }: Packed): string[] =>
  [...new Set(files.map(({ path }) => path.split('/')[0]!))].sort();

/** Copies the packed files from `from` to `to`. */
function install({ files }: Packed, from: string, to: string): void {
  for (const { path } of files) {
    mkdirSync(dirname(join(to, path)), { recursive: true });
    cpSync(join(from, path), join(to, path));
  }
}

describe('the npm packages', function () {
  this.timeout(300_000);
  usePackagedModels();
  const app = makeFolder('app');
  const modules = join(app, 'node_modules');
  const telltale = join(modules, 'telltale');
  let packed: Packed;
  let library: Packed;

  // Installs the packed files into a project as npm does, with links to this checkout's dependencies and
  // addon.
  before(async () => {
    mkdirSync(modules);
    for (const name of readdirSync(join(ROOT, 'node_modules')))
      if (!name.startsWith('telltale')) symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
    const staged = makeFolder('library');
    const program = `(await import('./scripts/setup/library-package.mjs')).stageLibrary(${JSON.stringify(staged)})`;
    await run(process.execPath, ['--input-type=module', '-e', program], { cwd: ROOT });
    packed = await pack(ROOT);
    library = await pack(staged);
    install(packed, ROOT, telltale);
    install(library, staged, join(modules, 'telltale-engine'));
    const native = 'build/Release';
    cpSync(join(ROOT, native), join(modules, 'telltale-engine', native), {
      recursive: true,
      dereference: true,
    });
    // Through this link the addon finds ONNX Runtime.
    symlinkSync(join(ROOT, 'node_modules'), join(modules, 'telltale-engine/node_modules'));
    writeFileSync(join(app, 'package.json'), '{"type": "module"}');
  });

  it('contain no tests, training data or sources of compiled files', () => {
    assert.deepEqual(rootsOf(packed), [
      ...['LICENSE', 'README.md', 'dist', 'examples', 'llms.txt', 'package.json', 'plans.json', 'samples'],
      'scripts',
    ]);
    assert.deepEqual(
      // `prebuilds` exists only after `npm run prebuild`, which package.whole.ts runs.
      rootsOf(library).filter((name) => name !== 'prebuilds'),
      [
        ...['API.md', 'CMakeLists.txt', 'LICENSE', 'README.md', 'binding.gyp', 'cmake', 'dist', 'models'],
        ...['native', 'package.json', 'scripts', 'trust'],
      ],
    );
    for (const { path } of [...packed.files, ...library.files])
      if (!path.startsWith('prebuilds/'))
        assert.doesNotMatch(path, /tests\/|fuzz|training|plots\/|\.js\.map$|(?<!\.d)\.ts$/);
    const [, example] = /\[Example\]\((.+?)\)/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8'))!;
    assert.ok(
      packed.files.some(({ path }) => path.startsWith(`${example}/`)),
      'the example that README names',
    );
    assert.ok(packed.size < 5_000_000, `${packed.size} bytes`);
    // The limit includes the prebuilt files, which a checkout has only after `npm run prebuild`.
    assert.ok(library.size < 110_000_000, `${library.size} bytes`);
  });

  it('contain every source file that the addon is built from', () => {
    const sources = readFileSync(join(ROOT, 'CMakeLists.txt'), 'utf8').match(/(?<=^ +)native\/\S+\.cc$/gm)!;
    const wanted = sources.filter((path) => !path.startsWith('native/tests/'));
    assert.ok(wanted.length > 40);
    const held = new Set(library.files.map(({ path }) => path));
    assert.deepEqual(
      wanted.filter((path) => !held.has(path)),
      [],
    );
  });

  it('can check an image, both as a command and in a program', async () => {
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

  it('contain the types that programs import', async () => {
    writeFileSync(
      join(app, 'types.ts'),
      `export * from 'telltale';\nexport type { Checker } from 'telltale';`,
    );
    const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
    const options = ['--noEmit', '--strict', '--module', 'nodenext', '--target', 'es2023', '--types', 'node'];
    const roots = ['--typeRoots', join(ROOT, 'node_modules/@types')];
    await run(process.execPath, [tsc, ...options, ...roots, 'types.ts'], { cwd: app });
  });

  it('serve the API of openapi.json and the console', async () => {
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
      // `npm run lint -- --fix` writes openapi.json.
      assert.deepEqual(document, JSON.parse(readFileSync(join(ROOT, 'openapi.json'), 'utf8')));
    } finally {
      service.kill('SIGKILL');
    }
  });

  it('include a client of the same version with its runtime files', async () => {
    const client = await pack(join(ROOT, 'client'));
    assert.equal(client.version, packed.version);
    assert.deepEqual(rootsOf(client), ['README.md', 'dist', 'package.json']);
    assert.ok(client.files.some(({ path }) => path === 'dist/index.js'));
  });
});
