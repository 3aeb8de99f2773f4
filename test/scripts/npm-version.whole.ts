// The npm of Debian 12 and 13 reads the project's package.json and lock file.
import { execFile } from 'node:child_process';
import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder } from '../support/folders.js';
import { ROOT } from '../support/telltale.js';

const run = promisify(execFile);

/** Version of npm in Debian 12 and 13. */
const DEBIAN_NPM = '9.2.0';

describe(`npm ${DEBIAN_NPM}`, function () {
  this.timeout(120_000);
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
});
