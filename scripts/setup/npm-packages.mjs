// npm packages, exactly as the lock file names them, and no more of them than the command at hand needs.
import { createHash } from 'node:crypto';
import { copyFileSync, existsSync, mkdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { announce, fingerprint, isDone, markDone, outputOf, root, run, SetupError } from './run.mjs';

/** What npm leaves out, by what the packages are for; each has those before it, too. */
export const LEVELS = {
  // TypeScript is among these, because the console's packages name it beside the development's.
  engine: ['--omit=dev', '--workspace=native', '--workspace=src/library', '--include-workspace-root'],
  service: ['--omit=dev'],
  development: [],
};

/** No package here needs its install script: the binaries are in the packages. */
const QUIETLY = ['--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];

/** Installs packages for `level` of LEVELS where the lock file changed since, or those were never asked for. */
export async function installNpmPackages(level) {
  // Where telltale is itself a dependency there is no lock file, and npm has installed everything already.
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
  // Only what is missing is added to packages of the same lock file.
  const command = installed === undefined ? ['ci'] : ['install', '--no-save'];
  await run('npm', [...command, ...LEVELS[level], ...QUIETLY], {
    step,
    findProgress: () => countInstalled(Object.keys(JSON.parse(lock).packages).filter(Boolean)),
  });
  markDone('npm-packages', stateOf(level));
}

/**
 * npm installs nothing of native/ with telltale as a dependency: most take the engine that the package brings. As native/
 * is a workspace, its packages go to telltale's own node_modules; a lock file there would be taken for a checkout's.
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
 * Installs the packages that the lock file of scripts/setup/`name` lists into .setup/`name`, unless `file` of these is
 * there and the lock file is unchanged. Returns the path of `file` within node_modules, also if no package brings it.
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

/** C2PA's library among the packages of .setup/c2pa. */
export const C2PA_LIBRARY = '@contentauth/c2pa-node/dist/index.node';

/** Installs C2PA's library and links it next to the addon, where the reader of Content Credentials loads it. */
export async function installC2paLibrary() {
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

/** Unsets the settings of an npm that runs this program, such as where it installs. */
function withoutNpmSettings() {
  const inherited = Object.keys(process.env).filter((name) => name.startsWith('npm_'));
  return Object.fromEntries(inherited.map((name) => [name, undefined]));
}

/** How many packages lie in their folders; those for other systems never will. */
function countInstalled(folders) {
  const installed = folders.filter((folder) => existsSync(join(root, folder, 'package.json')));
  return `${installed.length} of at most ${folders.length} packages`;
}
