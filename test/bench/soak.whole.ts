// Runs a soak test of a few seconds from start to end. Tests that values are measured, not what they are.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { ROOT } from '../support/telltale.js';

describe('the soak test of the benchmark', function () {
  this.timeout(600_000);

  it('reports how well-behaved clients are served while hostile clients load the service', () => {
    const { stdout, stderr } = spawnSync(
      process.execPath,
      ['--import', 'tsx', join(ROOT, 'bench/soak/main.ts'), '--minutes', '0.2'],
      { cwd: ROOT, encoding: 'utf8' },
    );
    assert.match(stdout, /^\| an image, \/v1\/check \| [1-9]/m, stderr);
    assert.match(stdout, /^\| signing in \| [1-9]/m);
    assert.match(stdout, /^\| slow addresses \|/m);
  });
});
