// Tests two set-ups in one folder: the second waits for the first, however the first ends.
import assert from 'node:assert/strict';
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../support/folders.js';
import { ROOT } from '../support/telltale.js';

describe('the lock that lets one set-up run at a time', () => {
  const folder = makeFolder('lock');
  const started: ChildProcessWithoutNullStreams[] = [];
  after(() => {
    for (const child of started) child.kill('SIGKILL');
  });

  /** Starts a process that locks the folder `where`, prints a line, and unlocks when it receives input. */
  const start = (where: string, env = process.env): ChildProcessWithoutNullStreams => {
    const program = `import { lock } from './scripts/setup/lock.mjs';
      const unlock = await lock(${JSON.stringify(where)});
      console.log('locked');
      process.stdin.once('data', unlock);`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], { cwd: ROOT, env });
    started.push(child);
    return child;
  };
  const said = async (stream: NodeJS.ReadableStream): Promise<string> =>
    String((await once(stream, 'data'))[0]);

  for (const ending of ['is done', 'is killed'])
    it(`lets a second set-up begin when the first ${ending}`, async () => {
      const first = start(folder);
      assert.equal(await said(first.stdout), 'locked\n');
      const second = start(folder);
      let begun = false;
      const locked = said(second.stdout).then(() => (begun = true));
      assert.match(await said(second.stderr), /waiting for another set-up in this folder/);
      assert.equal(begun, false);
      if (ending === 'is done') first.stdin.write('\n');
      else first.kill('SIGKILL');
      await locked;
      second.kill('SIGKILL');
      await once(second, 'close');
    });

  it('is skipped if the lock file cannot be created', async () => {
    const file = join(folder, 'file');
    writeFileSync(file, '');
    assert.equal(await said(start(file).stdout), 'locked\n');
    assert.equal(
      await said(start(join(folder, 'no-flock'), { ...process.env, PATH: folder }).stdout),
      'locked\n',
    );
  });
});
