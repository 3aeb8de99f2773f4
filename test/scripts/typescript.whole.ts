// Tests compiling without the packages for type checks, as `npm run check` and `npm start` do in a fresh
// clone.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder } from '../support/folders.js';
import { ROOT } from '../support/telltale.js';

const run = promisify(execFile);

describe('compiling TypeScript without the packages for type checks', function () {
  this.timeout(300_000);

  for (const [project, product] of [
    ['src/library', 'index.js'],
    ['tsconfig.build.json', 'cli/main.js'],
  ] as const)
    it(`succeeds for ${project}`, async () => {
      const folder = makeFolder('compiled');
      const loader =
        "import('./scripts/setup/typescript.mjs').then((m) => console.log(m.UNCHECKED.join(' ')))";
      const { stdout } = await run(process.execPath, ['-e', loader], { cwd: ROOT });
      const options = ['--outDir', folder, '--tsBuildInfoFile', join(folder, '.tsbuildinfo')];
      const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
      await run(process.execPath, [tsc, '-p', project, ...options, ...stdout.trim().split(' ')], {
        cwd: ROOT,
      });
      assert.ok(existsSync(join(folder, product)));
    });
});
