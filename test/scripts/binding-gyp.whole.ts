// Tests that npm and other tools which look for binding.gyp build the addon by the project's own set-up, or
// leave it unchanged.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder } from '../support/folders.js';
import { ROOT } from '../support/telltale.js';

const run = promisify(execFile);
const ADDON = join(ROOT, 'build/Release/telltale.node');

/** Runs npm without the variables that npm sets for the programs that it starts, such as these tests. */
function npm(args: readonly string[], cwd: string): Promise<{ stdout: string; stderr: string }> {
  const inherited = Object.entries(process.env).filter(([name]) => !name.startsWith('npm_'));
  return run('npm', [...args, '--no-audit', '--no-fund', '--offline'], {
    cwd,
    env: Object.fromEntries(inherited),
  });
}

const loadAddon = async (): Promise<string> => {
  const program = `process.stdout.write(Object.keys(require(${JSON.stringify(ADDON)})).sort().join())`;
  return (await run(process.execPath, ['-e', program])).stdout;
};

describe('binding.gyp', () => {
  it('makes node-gyp build the addon with CMake', async function () {
    this.timeout(1_800_000);
    // The headers of this Node. Without them node-gyp would download headers.
    const prefix = dirname(dirname(process.execPath));
    if (!existsSync(join(prefix, 'include/node/node.h'))) this.skip();
    const { stdout } = await run('sh', ['-c', 'command -v npm']);
    const nodeGyp = join(
      dirname(dirname(realpathSync(stdout.trim()))),
      'node_modules/node-gyp/bin/node-gyp.js',
    );
    const before = await loadAddon();
    // Only the addon is deleted. The object files stay, so that the build takes seconds instead of minutes.
    rmSync(ADDON);
    await run(process.execPath, [nodeGyp, 'configure', 'build', `--nodedir=${prefix}`], { cwd: ROOT });
    assert.equal(await loadAddon(), before);
  });

  it('makes `npm rebuild` build the addon again', async function () {
    this.timeout(1_800_000);
    const before = readFileSync(ADDON).byteLength;
    writeFileSync(ADDON, 'no addon');
    // Runs the package's script as `npm rebuild` does. npm itself would also compile every dependency again.
    const env = { ...process.env, npm_command: 'rebuild' };
    await run(process.execPath, ['scripts/install.mjs'], { cwd: ROOT, env });
    assert.equal(readFileSync(ADDON).byteLength, before);
  });

  it('is used by npm for an installed tarball, but not in a checkout', async () => {
    const folder = makeFolder('install');
    // A package without dependencies. Its set-up only writes down its arguments.
    const staged = join(folder, 'staged');
    const program = `(await import('./scripts/setup/library-package.mjs')).stageLibrary(${JSON.stringify(staged)})`;
    await run(process.execPath, ['--input-type=module', '-e', program], { cwd: ROOT });
    const manifest = JSON.parse(readFileSync(join(staged, 'package.json'), 'utf8')) as Record<
      string,
      unknown
    >;
    const packed = { ...manifest, dependencies: {}, overrides: {}, workspaces: [] };
    const source = join(folder, 'package');
    for (const part of ['binding.gyp', 'CMakeLists.txt', 'scripts/install.mjs', 'scripts/setup'])
      cpSync(join(staged, part), join(source, part), { recursive: true });
    const note = "import { appendFileSync } from 'node:fs'; appendFileSync('asked', process.argv[2]);";
    writeFileSync(join(source, 'scripts/setup.mjs'), note);
    writeFileSync(join(source, 'package.json'), JSON.stringify(packed));
    await npm(['pack', '--ignore-scripts', '--pack-destination', folder], source);
    const app = join(folder, 'app');
    mkdirSync(app);
    writeFileSync(join(app, 'package.json'), '{"name": "app", "version": "1.0.0"}');
    await npm(['install', join(folder, `telltale-engine-${String(manifest.version)}.tgz`)], app);
    const asked = join(app, 'node_modules/telltale-engine/asked');
    assert.equal(readFileSync(asked, 'utf8'), '--system-only--engine-only');
    assert.ok(!existsSync(join(app, 'node_modules/telltale-engine/build')));
    await npm(['ci'], app);
    assert.equal(readFileSync(asked, 'utf8'), '--system-only--engine-only');
    await npm(['install', '--package-lock-only'], source);
    for (const command of ['install', 'ci']) await npm([command], source);
    for (const part of ['asked', 'build']) assert.ok(!existsSync(join(source, part)), part);
  });
});
