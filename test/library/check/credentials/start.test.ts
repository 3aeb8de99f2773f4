// Tests starting the credential reader in different programs, and the error if it can't start.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { makeFolder } from '../../../support/folders.js';

const READER = new URL('../../../../src/library/dist/check/credentials/credentials.js', import.meta.url).href;
const PROGRAM = `
  import { appendFileSync } from 'node:fs';
  import { createCredentialReader } from ${JSON.stringify(READER)};
  appendFileSync('runs', 'x');
  const reader = createCredentialReader({});
  await reader.start().then(() => console.log('started'), ({ name, code, message }) => console.log(name, code, message));
  reader.close();`;

describe('starting a process that reads Content Credentials', () => {
  let folder: string;

  beforeEach(() => {
    folder = makeFolder('reader-start');
    writeFileSync(join(folder, 'program.mjs'), PROGRAM);
    writeFileSync(join(folder, 'needs-secret.cjs'), "if (!process.env.SECRET) throw new Error('no SECRET');");
  });

  async function run(options: readonly string[], { input = '', env = {}, path = process.env['PATH'] } = {}) {
    const child = spawn(process.execPath, options, { cwd: folder, env: { PATH: path, ...env } });
    child.stdin.end(input);
    const output = await text(child.stdout);
    return output.trim();
  }

  it('works in a program given by --eval, and that program runs only once', async () => {
    assert.equal(
      await run(['--input-type=module', '--eval', `${PROGRAM}console.log('end')`]),
      'started\nend',
    );
    assert.equal((await run(['--print', "require('fs').readFileSync('runs', 'utf8')"])).trim(), 'x');
  });

  it('works in a program given on standard input', async () => {
    assert.equal(await run(['--input-type=module'], { input: PROGRAM }), 'started');
  });

  it('does not run the preload scripts of the embedding program', async () => {
    const env = { SECRET: '1' };
    assert.equal(await run(['--require', './needs-secret.cjs', 'program.mjs'], { env }), 'started');
    const inherited = { ...env, NODE_OPTIONS: '--require ./needs-secret.cjs' };
    assert.equal(await run(['program.mjs'], { env: inherited }), 'started');
  });

  it('works in a worker thread', async () => {
    const program = "new (require('node:worker_threads').Worker)('./program.mjs')";
    assert.equal(await run(['--eval', program]), 'started');
  });

  it('rejects with a StartError that names the missing permission', async () => {
    const options = [
      '--permission',
      '--allow-fs-read=*',
      '--allow-fs-write=*',
      '--allow-addons',
      'program.mjs',
    ];
    assert.match(await run(options), /^StartError config_invalid .*--allow-child-process$/);
  });
});
