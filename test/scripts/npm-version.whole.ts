// Tests that the npm of Debian 12 and 13 can read the project's package.json and lock file.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder } from '../support/folders.js';
import { ROOT } from '../support/telltale.js';

const run = promisify(execFile);

/** Version of npm in Debian 12 and 13. */
const DEBIAN_NPM = '9.2.0';

describe(`npm ${DEBIAN_NPM}`, function () {
  this.timeout(600_000);
  const project = makeFolder('debian-npm');
  const manifests = ['', 'console', 'native', 'src/library'].map((folder) => join(folder, 'package.json'));

  for (const folder of ['.', 'scripts/setup/node', 'scripts/setup/c2pa'])
    it(`accepts the lock file of ${folder}`, async () => {
      const files = folder === '.' ? manifests : ['package.json'];
      for (const file of [...files, 'package-lock.json'])
        cpSync(join(ROOT, folder, file), join(project, folder, file));
      const install = ['ci', '--dry-run', '--ignore-scripts', '--no-audit'];
      await run('npx', ['--yes', `npm@${DEBIAN_NPM}`, ...install], { cwd: join(project, folder) });
    });

  it('installs what the README’s first command needs, including the library in this checkout', async () => {
    const { LEVELS } = (await import(join(ROOT, 'scripts/setup/npm-packages.mjs'))) as {
      LEVELS: { engine: string[] };
    };
    const install = ['ci', ...LEVELS.engine, '--ignore-scripts', '--no-audit', '--prefer-offline'];
    await run('npx', ['--yes', `npm@${DEBIAN_NPM}`, ...install], { cwd: project });
    const { dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
      dependencies: object;
    };
    for (const name of Object.keys(dependencies))
      assert.ok(existsSync(join(project, 'node_modules', name, 'package.json')), name);
  });
});
