// Runs `npm run bench` from start to end with tiny settings, and tests its processes, report and exit code.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, mkdtempSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeFolder } from '../support/folders.js';
import { ROOT, fixture } from '../support/telltale.js';

interface Results {
  readonly machine: { readonly commit: string; readonly models: Record<string, string> };
  readonly goals: readonly { readonly what: string; readonly value: number | null }[];
  readonly rows: readonly {
    readonly group: string;
    readonly kind: string;
    readonly skipped: string | null;
    readonly result: unknown;
  }[];
}

function bench(...words: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, ['--import', 'tsx', join(ROOT, 'bench/main.ts'), ...words], {
    cwd: ROOT,
    encoding: 'utf8',
  });
}

describe('npm run bench', function () {
  this.timeout(900_000);
  const folder = makeFolder('bench-test');

  it('runs each trial in its own process, prints the report and stores the results', () => {
    const images = mkdtempSync(join(folder, 'pictures-'));
    copyFileSync(fixture('jpeg/scene.jpg'), join(images, 'scene.jpg'));
    copyFileSync(join(ROOT, 'samples/portrait-too-small.png'), join(images, 'small.png'));
    const out = join(folder, 'out');
    const groups = 'engine,cold-start,memory,gpu';
    const run = bench('--quick', '--only', groups, '--files', images, '--out', out);
    assert.equal(run.status, 0, run.stderr);
    assert.match(run.stderr, /small\.png is left out: .*256/);
    const results = JSON.parse(readFileSync(join(out, 'results.json'), 'utf8')) as Results;
    assert.deepEqual([...new Set(results.rows.map(({ group }) => group))].sort(), groups.split(',').sort());
    assert.match(Object.values(results.machine.models).join(), /^[0-9a-f]{64}(,[0-9a-f]{64}){3,}$/);
    const goals = (start: string) => results.goals.filter(({ what }) => what.startsWith(start));
    assert.ok((goals('engine efficiency')[0]?.value ?? 0) > 0);
    assert.equal(goals('memory').length, 2);
    assert.ok(!JSON.stringify(results).includes(images), 'no path of this machine is kept');
    const unmeasured = results.rows.filter(({ skipped }) => skipped !== null);
    assert.ok(unmeasured.every(({ group }) => group === 'gpu'));
    const kindsOf = (wanted: string): string[] => {
      const measured = results.rows.filter(({ group, skipped }) => group === wanted && skipped === null);
      return [...new Set(measured.map(({ kind }) => kind))].sort();
    };
    assert.deepEqual(kindsOf('engine'), ['engine-closed', 'native limit', 'native probe']);
    assert.deepEqual(kindsOf('memory'), ['memory']);
  });

  it('explains invalid arguments in one line, and prints its help', () => {
    const wrong = bench('--fast');
    assert.equal(wrong.status, 2);
    assert.match(wrong.stderr, /bench: Unknown option '--fast'/);
    assert.doesNotMatch(wrong.stderr, /\n\s+at /);
    const { status, stdout } = bench('--help');
    assert.equal(status, 0);
    assert.match(stdout, /--only GROUPS/);
  });
});
