// Installs npm packages from the lock file, only those that the current command needs.
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, readdirSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { announce, fingerprint, isDone, markDone, outputOf, root, run, SetupError } from './run.mjs';

/** Options of npm for each level. A level includes the packages of the levels before it. */
export const LEVELS = {
  // Also installs TypeScript, because a package of the console requires it.
  engine: ['--omit=dev', '--workspace=native', '--workspace=src/library', '--include-workspace-root'],
  service: ['--omit=dev'],
  development: [],
};

/** Skips the packages' install scripts. None is needed, because the packages contain their binaries. */
const QUIETLY = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/** Installs the packages of a level (a key of LEVELS) if the lock file changed or they are missing. */
export async function installNpmPackages(level) {
  // Without a lock file, telltale is a dependency, and npm has already installed everything.
  const lockFile = join(root, 'package-lock.json');
  if (!existsSync(lockFile)) return;
  const lock = readFileSync(lockFile);
  const digest = createHash('sha256').update(lock).digest('hex');
  const isInstalled = existsSync(join(root, 'node_modules'));
  const stateOf = (name) => `${digest} ${name}`;
  const names = Object.keys(LEVELS);
  const installed = isInstalled ? names.findLast((name) => isDone('npm-packages', stateOf(name))) : undefined;
  if (names.indexOf(installed) >= names.indexOf(level)) return;
  const npm = outputOf('npm', ['--version'])?.trim();
  if (npm === undefined) throw new SetupError('npm is not installed; install it: sudo apt-get install npm');
  const step = announce(`installing npm packages by npm ${npm} on Node ${process.versions.node}`);
  // If the lock file is unchanged, installs only missing packages.
  const command = installed === undefined ? ['ci'] : ['install', '--no-save'];
  await run('npm', [...command, ...LEVELS[level], ...QUIETLY], {
    step,
    findProgress: () => countInstalled(Object.keys(JSON.parse(lock).packages).filter(Boolean)),
  });
  markDone('npm-packages', stateOf(level));
}

/**
 * Installs the packages of native/, which compile the engine, if telltale is a dependency. npm leaves them
 * out, because most users have a prebuilt engine. Since native/ is a workspace, they go to telltale's own
 * node_modules. Writes no lock file, because that would mark the folder as a checkout.
 */
export async function installBuildTools() {
  if (existsSync(join(root, 'package-lock.json')) || existsSync(join(root, 'node_modules/cmake-js'))) return;
  const step = announce('installing the npm packages that build the engine');
  await run('npm', ['install', '--no-package-lock', ...QUIETLY], {
    step,
    cwd: join(root, 'native'),
    env: withoutNpmSettings(),
  });
}

/**
 * Installs the packages in the lock file of scripts/setup/`name` into .setup/`name`. Does nothing if `file`
 * exists and the lock file is unchanged. Returns the path of `file` in node_modules, even if it does not
 * exist.
 */
export async function installLocked(name, file, step) {
  const locked = `scripts/setup/${name}`;
  const folder = join(root, '.setup', name);
  const path = join(folder, 'node_modules', file);
  const digest = fingerprint([locked]);
  if (existsSync(path) && isDone(name, digest)) return path;
  announce(step);
  mkdirSync(folder, { recursive: true });
  for (const manifest of ['package.json', 'package-lock.json'])
    copyFileSync(join(root, locked, manifest), join(folder, manifest));
  await run('npm', ['ci', ...QUIETLY], { step, cwd: folder, env: withoutNpmSettings() });
  if (existsSync(path)) markDone(name, digest);
  return path;
}

/** Path of C2PA's library among the packages of .setup/c2pa. */
export const C2PA_LIBRARY = '@contentauth/c2pa-node/dist/index.node';

/** Path of C2PA's C library for arm64, over which the native build makes c2pa.node there. */
export const C2PA_C_LIBRARY = '.setup/c2pa-arm64/c2pa/libs/libc2pa_c.so';

/** Downloads C2PA's C library for arm64 with pip, because npm has none. */
async function fetchC2paCLibrary() {
  const requirements = 'scripts/setup/c2pa/requirements.txt';
  const digest = fingerprint([requirements]);
  if (existsSync(join(root, C2PA_C_LIBRARY)) && isDone('c2pa-arm64', digest)) return;
  const folder = join(root, '.setup/c2pa-arm64');
  const step = announce('fetching the library that reads Content Credentials');
  rmSync(folder, { recursive: true, force: true });
  const pip = ['-m', 'pip', 'download', '--disable-pip-version-check', '--quiet', '--no-deps'];
  const only = ['--only-binary', ':all:', '--platform', 'manylinux_2_28_aarch64', '--require-hashes'];
  await run('python3', [...pip, ...only, '--dest', folder, '-r', requirements], { step });
  const wheel = readdirSync(folder).find((name) => name.endsWith('.whl'));
  await run('python3', ['-m', 'zipfile', '-e', join(folder, wheel), folder], { step });
  markDone('c2pa-arm64', digest);
}

/**
 * Installs C2PA's library for `arch`. For x64, links to it from the folder of the addon, where the reader of
 * Content Credentials loads it; for arm64, the native build does the rest.
 */
export async function installC2paLibrary(arch = process.arch) {
  if (arch === 'arm64') return fetchC2paCLibrary();
  const library = await installLocked(
    'c2pa',
    C2PA_LIBRARY,
    'fetching the library that reads Content Credentials',
  );
  const link = join(root, 'build/Release/c2pa.node');
  mkdirSync(dirname(link), { recursive: true });
  rmSync(link, { force: true });
  symlinkSync(relative(dirname(link), library), link);
}

/** Returns the environment without the settings that npm passes to its scripts, such as its folder. */
function withoutNpmSettings() {
  const inherited = Object.keys(process.env).filter((name) => name.startsWith('npm_'));
  return Object.fromEntries(inherited.map((name) => [name, undefined]));
}

/** Counts the packages that are installed. Packages for other operating systems never are. */
function countInstalled(folders) {
  const installed = folders.filter((folder) => existsSync(join(root, folder, 'package.json')));
  return `${installed.length} of at most ${folders.length} packages`;
}
