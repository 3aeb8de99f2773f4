// Tests the progress of long commands: a bar on a terminal, otherwise a line every ten seconds.
import assert from 'node:assert/strict';
import { PassThrough } from 'node:stream';
import { ProgressBar, TerminalStream } from '../../../src/cli/terminal/terminal.js';

describe('the progress bar of long commands', () => {
  /** Counts one step at each of these times (in seconds) and returns the output. */
  async function write(isTTY: boolean, total: number, seconds: readonly number[]): Promise<string> {
    const stream = Object.assign(new PassThrough(), { isTTY, columns: 90 });
    let nowMs = 1_000_000;
    const progress = new ProgressBar(new TerminalStream(stream), total, {
      now: () => nowMs,
    });
    for (const second of seconds) {
      nowMs = 1_000_000 + second * 1000;
      await progress.step();
    }
    await progress.clear();
    return String(stream.read() ?? '');
  }

  it('writes a line every ten seconds if the output is not a terminal', async () => {
    const seconds = Array.from({ length: 25 }, (_, at) => at + 1);
    assert.equal(
      await write(false, 100, seconds),
      'telltale: 10/100 10% 1.0/s 2 min left\ntelltale: 20/100 20% 1.0/s 80 s left\n',
    );
    assert.equal(
      await write(false, 8, [12, 24]),
      'telltale: 1/8 12% 0.1/s 84 s left\ntelltale: 2/8 25% 0.1/s 72 s left\n',
    );
    assert.equal(await write(false, 100, [1, 2, 9]), '', 'what is soon done needs none');
    assert.equal(await write(false, 7, [12, 24]), '');
  });

  it('draws a bar on a terminal and erases the bar at the end', async () => {
    const text = await write(true, 10, [1, 2]);
    assert.match(text, /^\r█{4}░{36} 1\/10 10% 1\.0\/s 9 s left\x1b\[K\r█{8}░{32} 2\/10 .*\r\x1b\[K$/);
    assert.equal(await write(true, 7, [1, 2]), '');
  });

  it('raises the total if more files turn up than were counted', async () => {
    const stream = Object.assign(new PassThrough(), { isTTY: true, columns: 90 });
    const progress = new ProgressBar(new TerminalStream(stream), 8);
    await progress.step(true);
    assert.match(String(stream.read()), / 1\/9 11% /);
  });
});
