// npm's install script. `npm rebuild` builds the addon again; `npm install` and `npm ci` build nothing, since a build may
// need system packages: that is left to `npm run setup`. The script must be there: without one, npm runs node-gyp wherever
// it installs by a lock file, which does not tell it of `"gypfile": false`.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { root, run } from './setup/run.mjs';

if (process.env.npm_command === 'rebuild') {
  // make knows which objects are out of date; the product alone tells the set-up that nothing is to be done.
  rmSync(join(root, 'build/Release/telltale.node'), { force: true });
  run(process.execPath, ['scripts/setup.mjs', '--engine-only']);
}
