// npm's install scripts. If the package came as a tarball they set up what it needs. `--before` sets up the system
// packages, because dependencies that compile may need them, too; then comes the addon. In a checkout `npm install` and
// `npm ci` build nothing, since every command there does whatever set-up is missing. `npm rebuild` builds the addon
// again in both. The scripts must be there: without one, npm runs node-gyp wherever it installs by a lock file, which
// does not tell it of `"gypfile": false`.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './setup/run.mjs';

const isRebuild = process.env.npm_command === 'rebuild';
// No tarball brings the lock file along.
const isCheckout = existsSync(join(root, 'package-lock.json'));

if (isRebuild || !isCheckout) {
  const isBefore = process.argv.includes('--before');
  // make knows which objects are out of date; the product alone tells the set-up that nothing is to be done.
  if (isRebuild) rmSync(join(root, 'build/Release/telltale.node'), { force: true });
  const args = ['scripts/setup.mjs', isBefore ? '--system-only' : '--engine-only'];
  // What the set-up can't do stands in its last line: that a person reads it, nothing is said after it.
  process.exitCode = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1;
}
