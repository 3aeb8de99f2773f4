// Tests that the lock files use only features of npm 9.2.0 in Debian 12 and 13. npm-version.whole.ts runs
// this npm.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/telltale.js';

type Overrides = { readonly [name: string]: string | Overrides };

interface Manifest {
  readonly overrides?: Overrides;
  readonly lockfileVersion?: number;
}

const read = (path: string): Manifest => JSON.parse(readFileSync(join(ROOT, path), 'utf8')) as Manifest;

const versionsOf = (overrides: Overrides): string[] =>
  Object.values(overrides).flatMap((value) => (typeof value === 'string' ? [value] : versionsOf(value)));

describe('the npm manifests', () => {
  it('use only version ranges and references in overrides, because npm 9.2.0 reads no aliases there', () => {
    for (const version of versionsOf(read('package.json').overrides ?? {}))
      assert.match(version, /^(\$[@\w/-]+|[\d.^~<>=| x*-]+)$/);
  });

  it('have lock files of version 3', () => {
    for (const path of ['.', 'scripts/setup/node', 'scripts/setup/c2pa'])
      assert.equal(read(join(path, 'package-lock.json')).lockfileVersion, 3, path);
  });
});
