// Tests a checkout that was moved or copied with its build folder, in which CMake would refuse to continue.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../support/folders.js';
import { ROOT } from '../support/telltale.js';

describe('the build folder of a checkout', () => {
  const folder = makeFolder('moved');

  const look = (sources: string): void => {
    const program = `import { forgetMovedBuild } from './scripts/setup/native-build.mjs';
      forgetMovedBuild(${JSON.stringify(join(folder, 'build'))}, ${JSON.stringify(sources)});`;
    execFileSync(process.execPath, ['--input-type=module', '-e', program], { cwd: ROOT, stdio: 'pipe' });
  };

  it('is configured again after the checkout was moved, and otherwise left unchanged', () => {
    const [before, now] = [join(folder, 'before'), join(folder, 'now')];
    for (const each of [before, now]) mkdirSync(each);
    for (const each of [before, now])
      writeFileSync(
        join(each, 'CMakeLists.txt'),
        'cmake_minimum_required(VERSION 3.18)\nproject(moved NONE)\n',
      );
    const configure = (sources: string) =>
      execFileSync('cmake', ['-S', sources, '-B', join(folder, 'build')], { stdio: 'pipe' });
    configure(before);
    look(before);
    assert.ok(existsSync(join(folder, 'build/CMakeCache.txt')));
    assert.throws(() => configure(now), /does not match the source/);
    look(now);
    configure(now);
  });
});
