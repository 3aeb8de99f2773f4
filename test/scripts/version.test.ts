// Tests that all packages and documents have one version: the newest release in the changelog, or the next
// one with `-dev`.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ROOT } from '../support/telltale.js';

const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');

/** Returns the first version in a file. */
const versionOf = (name: string): string => /^ *"?version"?(?:: | = )"?([\w.-]+)/m.exec(read(name))![1]!;

describe('the version number', () => {
  const version = versionOf('package.json');

  it('is the same in every package and document', () => {
    const files = ['package-lock.json', 'src/library/package.json', 'client/package.json', 'server.json'];
    for (const name of [...files, 'openapi.json', 'deploy/chart/Chart.yaml'])
      assert.equal(versionOf(name), version, name);
    assert.equal(versionOf('client-python/pyproject.toml'), version.replace('-dev', '.dev0'));
    const { dependencies } = JSON.parse(read('package.json')) as { dependencies: Record<string, string> };
    assert.equal(dependencies['telltale-engine'], version);
  });

  it('is the newest version in the changelog, or a later version that ends in -dev', () => {
    const [newest] = /(?<=^## \[)\d+\.\d+\.\d+(?=\] - )/m.exec(read('CHANGELOG.md'))!;
    if (!version.endsWith('-dev')) assert.equal(version, newest);
    else assert.ok(newest.localeCompare(version.slice(0, -4), 'en', { numeric: true }) < 0, version);
  });
});
