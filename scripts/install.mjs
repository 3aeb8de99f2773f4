// npm's install scripts of the checkout and of both packages. Installing telltale-engine sets up its engine.
// `--before` installs system packages first, because dependencies may need them to compile. In a checkout, `npm
// install` and `npm ci` build nothing, because each command there runs the missing set-up. `npm rebuild` always builds
// the addon again. Without these scripts, npm runs node-gyp when it installs from a lock file, because the lock file
// lacks `"gypfile": false`.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(dirname(fileURLToPath(import.meta.url)));
const isRebuild = process.env.npm_command === 'rebuild';
// Only a checkout has the lock file, because it is never published.
const isCheckout = existsSync(join(folder, 'package-lock.json'));
const hasSources = existsSync(join(folder, 'CMakeLists.txt'));

if (isRebuild || (hasSources && !isCheckout)) {
  const isBefore = process.argv.includes('--before');
  // The package telltale gets its engine from telltale-engine.
  const root = hasSources
    ? folder
    : dirname(createRequire(import.meta.url).resolve('telltale-engine/package.json'));
  // make detects outdated objects, but the set-up only checks whether the addon exists.
  if (isRebuild) rmSync(join(root, 'build/Release/telltale.node'), { force: true });
  const args = ['scripts/setup.mjs', isBefore ? '--system-only' : '--engine-only'];
  // Prints nothing after the set-up, because its last line tells what failed.
  process.exitCode = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1;
}
