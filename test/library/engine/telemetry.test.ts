// Tests that ONNX Runtime's collection of usage data is off, in Telltale's commands and in embedding
// programs.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { makeFolder } from '../../support/folders.js';
import { fixture, ROOT } from '../../support/telltale.js';

const library = pathToFileURL(join(ROOT, 'dist/index.js')).href;
const embedding = `
  import { readFileSync } from 'node:fs';
  import { createChecker } from ${JSON.stringify(library)};
  const checker = await createChecker();
  await checker.check(readFileSync(process.argv[1]));
  await checker.close();`;

/** Runs Node with an empty home folder and temporary folder, and returns the files that appear in either. */
function leftBy(...args: readonly string[]): string[] {
  const folder = makeFolder('quiet');
  const places = { HOME: folder, TMPDIR: folder, XDG_CACHE_HOME: '', XDG_DATA_HOME: '' };
  const env = { ...process.env, ...places, ORT_DISABLE_TELEMETRY: '0' };
  const { status, signal, stderr } = spawnSync(process.execPath, args, {
    cwd: ROOT,
    env,
    encoding: 'utf8',
  });
  assert.deepEqual({ status, signal }, { status: 0, signal: null }, stderr);
  return readdirSync(folder, { recursive: true, encoding: 'utf8' });
}

describe('ONNX Runtime with its telemetry disabled', () => {
  const cli = join(ROOT, 'dist/cli/main.js');
  const image = fixture('jpeg/scene.jpg');
  // Arguments of 120 kB. With 29 kB, the telemetry crashed when it searched the command line.
  const many = Array<string>(7000).fill('--profile=balanced');

  it('leaves no file in the home and temporary folders after a telltale command', () => {
    assert.deepEqual(leftBy(cli, 'check', image), []);
  });

  it('leaves no file in the home and temporary folders of a program that embeds the engine', () => {
    assert.deepEqual(leftBy('--input-type=module', '--eval', embedding, '--', image), []);
  });

  it('accepts a command line of 120 kB in a program that embeds the engine', () => {
    assert.deepEqual(leftBy('--input-type=module', '--eval', embedding, '--', image, ...many), []);
  });

  it('accepts a command line of 120 kB in a telltale command', () => {
    assert.deepEqual(leftBy(cli, 'check', image, ...many), []);
  });
});
