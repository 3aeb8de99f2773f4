// Tests `telltale check --record` and `telltale record` as users run them.
import assert from 'node:assert/strict';
import { readFile, readdir, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Value } from '@sinclair/typebox/value';
import { readRecord } from '../../../src/record/verify/read-record.js';
import { SignedRecord } from '../../../src/record/content/schema.js';
import { makeFolder } from '../../support/folders.js';
import { fixture, callTelltale, runTelltale, type Finished } from '../../support/telltale.js';

const scene = fixture('jpeg/scene.jpg');
const tooSmall = fixture('jpeg/444.jpg');

describe('telltale record', function () {
  this.timeout(120_000);
  const folder = makeFolder('record');
  const at = (name: string): string => join(folder, 'out', name);
  const run = (...args: string[]): Promise<Finished> =>
    callTelltale(args, { env: { TELLTALE_DATA_DIR: join(folder, 'data') } });

  before(async () => {
    const args = ['check', '--record', at(''), '--json', '--include', 'record', scene, tooSmall];
    const { status } = await runTelltale(args, { env: { TELLTALE_DATA_DIR: join(folder, 'data') } });
    assert.equal(status, 1, 'one is refused');
  });

  it('writes an HTML and a JSON record for each image, even for refused images, and creates no database', async () => {
    assert.deepEqual((await readdir(at(''))).sort(), [
      '444.jpg.record.html',
      '444.jpg.record.json',
      'scene.jpg.record.html',
      'scene.jpg.record.json',
    ]);
    assert.deepEqual(await readdir(join(folder, 'data')), ['record-key.pem']);
    const { signed } = readRecord(await readFile(at('444.jpg.record.json')));
    assert.equal(signed.record.refusal?.code, 'image_too_small');
  });

  it('verifies a record with its image, even after the signing key was replaced', async () => {
    const rotated = await run('record', 'key', 'rotate');
    assert.match(
      rotated.stdout,
      /^[\w-]{43} {2}signs since \S+Z\n[\w-]{43} {2}former since \S+Z until \S+Z\n$/,
    );
    const { status, stdout, stderr } = await run('record', 'verify', at('scene.jpg.record.html'), scene);
    assert.deepEqual([status, stderr], [0, '']);
    assert.deepEqual(
      stdout
        .trimEnd()
        .split('\n')
        .map((line) => line.split(/ {2,}/).slice(0, 2)),
      ['signature', 'page', 'image', 'scores', 'verdict'].map((about) => [about, 'holds']),
    );
  });

  it('exits with code 1 if a record fails verification, and with code 2 for invalid arguments', async () => {
    const swapped = await run('record', 'verify', at('scene.jpg.record.json'), tooSmall);
    assert.equal(swapped.status, 1);
    assert.match(swapped.stdout, /image +does not hold +the file is not the recorded one/);
    const large = join(folder, 'large.json');
    await writeFile(large, '{');
    await truncate(large, 100 << 20);
    for (const [path, message] of [
      [large, /^telltale: a record has at most .*\n$/],
      [scene, /^telltale: This is not a record.*\n$/],
      [join(folder, 'none'), /^telltale: .*ENOENT.*\n$/],
    ] as const) {
      const { status, stdout, stderr } = await run('record', 'verify', path);
      assert.deepEqual([status, stdout], [1, ''], path);
      assert.match(stderr, message);
    }
    for (const wrong of [
      [],
      ['verify'],
      ['key'],
      ['key', 'delete'],
      ['verify', 'a', 'b', 'c'],
      ['verify', '--colour', 'a'],
    ])
      assert.equal((await run('record', ...wrong)).status, 2, wrong.join(' '));
  });

  it('accepts only signatures made with the given keys', async () => {
    const own = join(folder, 'own.json');
    const other = join(folder, 'other.json');
    await writeFile(own, (await run('record', 'key', 'show', '--json')).stdout);
    const strange = await callTelltale(['record', 'key', 'show', '--json'], {
      env: { TELLTALE_DATA_DIR: join(folder, 'elsewhere') },
    });
    await writeFile(other, strange.stdout);
    const json = at('scene.jpg.record.json');
    assert.equal((await run('record', 'verify', '--key', own, json)).status, 0);
    const { status, stdout } = await run('record', 'verify', '--key', other, '--json', json);
    assert.equal(status, 1);
    assert.deepEqual(
      (JSON.parse(stdout) as { findings: { about: string; holds: boolean }[] }).findings.map(
        ({ holds }) => holds,
      ),
      [false],
    );
  });

  it('adds a record to the JSON output of a check if requested', async () => {
    const { stdout } = await run('check', '--json', '--include', 'record', scene);
    const { is_ai: isAi, details } = JSON.parse(stdout) as {
      is_ai: boolean;
      details: { record: SignedRecord };
    };
    assert.deepEqual([...Value.Errors(SignedRecord, details.record)], []);
    assert.equal(details.record.record.verdict?.is_ai, isAi);
  });
});
