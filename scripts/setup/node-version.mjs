// Chooses the version of Node that runs the set-up and everything after it: the current one if package.json
// accepts it, otherwise one from an npm package.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { installLocked } from './npm-packages.mjs';
import { root, SetupError } from './run.mjs';

/** Returns whether `version` is at least the version that `engines.node` in package.json requires. */
export function isNewEnough(version = process.versions.node) {
  return leastVersion().localeCompare(version, 'en', { numeric: true }) <= 0;
}

/**
 * Returns the path of a suitable Node: the current one, or in a checkout one that is installed once into
 * .setup/node. If telltale is a dependency, the program that uses it chooses Node, so an older Node throws
 * SetupError.
 */
export async function findNode() {
  if (isNewEnough()) return process.execPath;
  const asked = `Telltale needs Node ${leastVersion()} or newer; this is ${process.versions.node}`;
  if (!existsSync(join(root, 'package-lock.json'))) throw new SetupError(asked);
  const step = `fetching Node, because Node ${process.versions.node} is older than ${leastVersion()}`;
  const node = await installLocked('node', `node-linux-${process.arch}/bin/node`, step);
  if (!existsSync(node)) throw new SetupError(`${asked}, and none is packaged for ${process.arch}`);
  return node;
}

/** Puts the folder of `node`, which also has npm and npx, first on the PATH. */
export function putFirst(node) {
  const { PATH = '' } = process.env;
  if (PATH.split(delimiter)[0] !== dirname(node)) process.env.PATH = dirname(node) + delimiter + PATH;
}

/** Runs a command in place of this process: passes on streams, signals and the exit status. */
export async function become(command, args) {
  const child = spawn(command, args, { stdio: 'inherit' });
  // Ignores SIGINT here, because the terminal also sends it to the child, which handles it.
  process.on('SIGINT', () => {});
  for (const signal of ['SIGTERM', 'SIGHUP']) process.on(signal, () => child.kill(signal));
  process.exitCode = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (status, signal) => resolve(status ?? 128 + constants.signals[signal]));
  });
}

function leastVersion() {
  const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  return /^>=(\d+\.\d+)$/.exec(engines.node)[1];
}
