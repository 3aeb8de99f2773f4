// npm's install scripts of the checkout and of both packages. Installing telltale-engine sets up its engine: `--before`
// installs system packages first, because dependencies that compile may need them, too. In a checkout `npm install` and
// `npm ci` build nothing, because each command there does the missing set-up. `npm rebuild` builds the addon again
// everywhere. Without these scripts, npm runs node-gyp when it installs by a lock file, which lacks `"gypfile": false`.
import { spawnSync } from 'node:child_process';
import { existsSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const folder = dirname(dirname(fileURLToPath(import.meta.url)));
const isRebuild = process.env.npm_command === 'rebuild';
// No tarball contains the lock file.
const isCheckout = existsSync(join(folder, 'package-lock.json'));
const hasSources = existsSync(join(folder, 'CMakeLists.txt'));

if (isRebuild || (hasSources && !isCheckout)) {
  const isBefore = process.argv.includes('--before');
  // The package telltale has its engine from telltale-engine.
  const root = hasSources
    ? folder
    : dirname(createRequire(import.meta.url).resolve('telltale-engine/package.json'));
  // make knows which objects are out of date; the set-up looks at the product alone.
  if (isRebuild) rmSync(join(root, 'build/Release/telltale.node'), { force: true });
  const args = ['scripts/setup.mjs', isBefore ? '--system-only' : '--engine-only'];
  // The set-up's last line says what failed; nothing follows it, so that a person reads it.
  process.exitCode = spawnSync(process.execPath, args, { cwd: root, stdio: 'inherit' }).status ?? 1;
}
