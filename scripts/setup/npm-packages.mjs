// npm packages, exactly as the lock file names them.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { announce, isDone, markDone, root, run } from './run.mjs';

/** Runs `npm ci` where the lock file changed since, or nothing is installed. */
export async function installNpmPackages() {
  // Where telltale is itself a dependency there is no lock file, and npm has installed everything already.
  const lockFile = join(root, 'package-lock.json');
  if (!existsSync(lockFile)) return;
  const lock = readFileSync(lockFile);
  const digest = createHash('sha256').update(lock).digest('hex');
  if (existsSync(join(root, 'node_modules')) && isDone('npm-packages', digest)) return;
  const step = announce('installing npm packages');
  // No package here needs its install script: the binaries are in the packages. onnxruntime-node's would download GPU
  // libraries that most machines have no use for.
  await run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    step,
    findProgress: () => countInstalled(Object.keys(JSON.parse(lock).packages).filter(Boolean)),
  });
  markDone('npm-packages', digest);
}

/** How many packages lie in their folders; those for other systems never will. */
function countInstalled(folders) {
  const installed = folders.filter((folder) => existsSync(join(root, folder, 'package.json')));
  return `${installed.length} of at most ${folders.length} packages`;
}
