import assert from 'node:assert/strict';
import { statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../../../src/library/base/files.js';
import { makeFolder as makeTestFolder } from '../../support/folders.js';

describe('creating a folder with its parents', () => {
  const root = makeTestFolder('make-folder');

  it('succeeds while other processes create the same parents', async () => {
    for (let round = 0; round < 20; round++) {
      const parent = join(root, `${round}/data/engine-cache`);
      const paths = Array.from({ length: 8 }, (_, i) => join(parent, 'of', `${i % 4}`));
      await Promise.all([...paths, parent, join(parent, 'of')].map((path) => makeFolder(path, 0o700)));
      for (const path of paths) assert.equal(statSync(path).mode & 0o777, 0o700);
    }
  });

  it('fails if a file has the folder’s name or the system refuses', async () => {
    const file = join(root, 'file');
    writeFileSync(file, '');
    await assert.rejects(makeFolder(file), { code: 'EEXIST' });
    await assert.rejects(makeFolder(join(file, 'below')), { code: 'ENOTDIR' });
    await assert.rejects(makeFolder('/proc/telltale/cache'), { code: 'ENOENT' });
  });
});
