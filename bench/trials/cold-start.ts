// Measuring `telltale check` on one small file, from the start of the process to its end.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { root } from '../machine/machine.js';

/** Runs the command repeatedly. Returns the elapsed time of each run in ms. The first run is not counted, because it reads program and file from disk. */
export function runColdStart({ file, runs }: { readonly file: string; readonly runs: number }) {
  const runOnce = (): number => {
    const start = performance.now();
    const { status, stderr } = spawnSync(process.execPath, [join(root, 'dist/cli/main.js'), 'check', file], {
      encoding: 'utf8',
      cwd: root,
    });
    if (status !== 0) throw new Error(`telltale check ended with status ${status}: ${stderr}`);
    return performance.now() - start;
  };
  runOnce();
  return Promise.resolve({ timesMs: Array.from({ length: runs }, runOnce) });
}
