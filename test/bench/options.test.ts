// Tests the command line of the benchmark and the choice of its images.
import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadsOfFolder } from '../../bench/corpus/loads.js';
import { BenchUsageError, HELP, readOptions } from '../../bench/options.js';
import { makeFolder } from '../support/folders.js';
import { ROOT } from '../support/telltale.js';

describe('the command line of the benchmark', () => {
  const folder = makeFolder('bench-test');

  it('is refused with an explanation if an option is invalid', () => {
    const faults: [string[], RegExp][] = [
      [['--fast'], /Unknown option '--fast'/],
      [['--only', 'engines'], /Expected some of .*service.* but received 'engines'/],
      [['--device', 'tpu'], /Expected one of .*cpu.* but received 'tpu'/],
      [['--pictures', '0'], /Expected a number from 1 to 999999 for --pictures but received '0'/],
      [['somewhere'], /Expected options alone but received 'somewhere'/],
    ];
    for (const [words, message] of faults)
      assert.throws(
        () => readOptions(words),
        (error) => error instanceof BenchUsageError && message.test(error.message),
      );
  });

  it('prints its help', () => {
    assert.equal(readOptions(['--help']), null);
    assert.match(HELP, /--only GROUPS/);
  });

  it('still accepts "peers", the former name of the group "baselines"', () => {
    assert.deepEqual(readOptions(['--only', 'peers,engine'])?.groups, ['engine', 'baselines']);
  });

  it('accepts the name of earlier results to compare with', () => {
    assert.equal(readOptions([])?.against, null);
    assert.equal(readOptions(['--against', 'bench/results'])?.against, 'bench/results');
  });

  it('accepts a folder of images, and skips unsuitable images in it', async () => {
    await assert.rejects(
      loadsOfFolder(join(folder, 'none'), () => undefined),
      (error) => error instanceof BenchUsageError && /there is no folder '.*none'/.test(error.message),
    );
    await assert.rejects(
      loadsOfFolder(folder, () => undefined),
      (error) => error instanceof BenchUsageError && /no image that can be checked/.test(error.message),
    );
    for (const name of ['scene.jpg', 'portrait-too-small.png'])
      copyFileSync(join(ROOT, 'samples', name), join(folder, name));
    const said: string[] = [];
    const { photo } = await loadsOfFolder(folder, (line) => said.push(line));
    assert.deepEqual(photo, [join(folder, 'scene.jpg')]);
    assert.match(said.join(), /portrait-too-small\.png is left out: .*256/);
  });
});
