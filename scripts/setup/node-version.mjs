// Which Node runs the set-up and everything after it: the one at hand if it is as new as package.json asks for, else one
// that comes as an npm package.
import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { constants } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { installLocked } from './npm-packages.mjs';
import { root, SetupError } from './run.mjs';

/** Whether `version` is as new as `engines.node` of package.json asks for. */
export function isNewEnough(version = process.versions.node) {
  return leastVersion().localeCompare(version, 'en', { numeric: true }) <= 0;
}

/**
 * The path of a Node that is new enough: this one or, in a checkout, one that is fetched once into .setup/node. Where
 * telltale is a dependency, the program that loads it brings the Node: there an older one throws SetupError.
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

/** Makes `node` the one that commands find first, npm and npx with it. */
export function putFirst(node) {
  const { PATH = '' } = process.env;
  if (PATH.split(delimiter)[0] !== dirname(node)) process.env.PATH = dirname(node) + delimiter + PATH;
}

/** Runs a command in this process's place as far as that can be: its streams, its signals, its exit status. */
export async function become(command, args) {
  const child = spawn(command, args, { stdio: 'inherit' });
  // A terminal sends SIGINT to both: it is the child's alone.
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
