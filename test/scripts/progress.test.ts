// Tests the progress output of a long set-up step.
import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../support/folders.js';
import { ROOT } from '../support/telltale.js';

describe('the progress line of a long set-up step', () => {
  const folder = makeFolder('progress');
  const files: string[] = [];
  // Creating the files also ends steps whose output never matched.
  afterEach(() => files.splice(0).forEach((file) => writeFileSync(file, '')));

  /**
   * Runs a step that lasts until its file exists. Creates the file when the output matches `pattern`, and
   * returns the output.
   */
  const runUntil = async (pattern: RegExp, options: string): Promise<string> => {
    const file = join(folder, `${Math.random()}`);
    files.push(file);
    const step = `echo '[ 34%] Building'; until [ -e ${file} ]; do sleep 0.01; done`;
    const program = `import { run } from './scripts/setup/run.mjs';
      await run('sh', ['-c', ${JSON.stringify(step)}], { step: 'building', reminderMs: 10, ...${options} });`;
    const child = spawn(process.execPath, ['--input-type=module', '-e', program], {
      cwd: ROOT,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let said = '';
    child.stdout.on('data', () => assert.fail('something is on stdout'));
    for await (const text of child.stderr.setEncoding('utf8')) {
      said += text as string;
      if (pattern.test(said)) writeFileSync(file, '');
    }
    return said;
  };

  it('shows the step’s latest line of output', async () => {
    const said = await runUntil(/still building, \d+ s: \[ 34%\] Building\n/, '{ tellsProgress: true }');
    assert.doesNotMatch(said, /^\[ 34%\]/m);
  });

  it('shows the progress that the step computes', async () => {
    const said = await runUntil(/still building, \d+ s: 3 of 7\n/, "{ findProgress: () => '3 of 7' }");
    assert.match(said, /^\[ 34%\] Building$/m);
  });

  it('shows the elapsed time if the step prints nothing', async () => {
    await runUntil(/still building, \d+ s\n/, '{}');
  });

  it('appears on the terminal even if npm hides the output of install scripts', () => {
    const program = "import { announce } from './scripts/setup/run.mjs'; announce('building');";
    const hidden = `"${process.execPath}" --input-type=module -e "${program}" >/dev/null 2>&1`;
    const say = (event: string): string =>
      spawnSync('script', ['-qec', hidden, '/dev/null'], {
        cwd: ROOT,
        encoding: 'utf8',
        env: { ...process.env, npm_lifecycle_event: event },
      }).stdout;
    assert.match(say('install'), /^\rtelltale set-up: building\r\n/);
    assert.equal(say('test'), '');
  });
});
