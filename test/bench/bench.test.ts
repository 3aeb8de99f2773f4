// `npm run bench` runs from end to end, with tiny settings: that it measures, not what.
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPostgres } from '../support/postgres.js';
import { ROOT } from '../support/telltale.js';

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

interface Neighbours {
  readonly checks: number;
}

function bench(...words: string[]): { status: number | null; stdout: string; stderr: string } {
  return spawnSync(process.execPath, ['--import', 'tsx', join(ROOT, 'bench/run.ts'), ...words], {
    cwd: ROOT,
    encoding: 'utf8',
  });
}

describe('npm run bench', function () {
  this.timeout(900_000);
  let folder: string;
  before(() => (folder = mkdtempSync(join(tmpdir(), 'telltale-bench-test-'))));
  after(() => rmSync(folder, { recursive: true, force: true }));

  it('measures stages, engine, cold start and memory on pictures of the user', () => {
    const pictures = mkdtempSync(join(folder, 'pictures-'));
    for (const name of ['scene.jpg', 'portrait.png', 'portrait-too-small.png'])
      copyFileSync(join(ROOT, 'samples', name), join(pictures, name));
    const out = join(folder, 'out');
    const groups = 'stages,engine,cold-start,memory,gpu';
    const run = bench('--quick', '--only', groups, '--files', pictures, '--out', out);
    assert.equal(run.status, 0, run.stderr);
    assert.match(run.stderr, /portrait-too-small\.png is left out: .*256/);
    const results = JSON.parse(readFileSync(join(out, 'results.json'), 'utf8')) as Results;
    assert.deepEqual([...new Set(results.rows.map(({ group }) => group))].sort(), groups.split(',').sort());
    assert.match(Object.values(results.machine.models).join(), /^[0-9a-f]{64}(,[0-9a-f]{64}){3,}$/);
    assert.ok(results.goals.some(({ what }) => what.startsWith('engine efficiency')));
    assert.ok(results.goals.some(({ what }) => what.startsWith('memory')));
    assert.ok(!JSON.stringify(results).includes(pictures), 'no path of this machine is kept');
    const unmeasured = results.rows.filter(({ skipped }) => skipped !== null);
    assert.ok(unmeasured.every(({ group }) => group === 'gpu'));
    assert.match(run.stdout, /\| scene\.jpg \|/);
    for (const plot of ['stages', 'engine-latency']) {
      assert.ok(existsSync(join(out, `${plot}.svg`)));
      assert.ok(run.stdout.includes(`(${plot}.svg)`));
    }
  });

  it('puts the service under closed and open loads', () => {
    const pictures = mkdtempSync(join(folder, 'pictures-'));
    copyFileSync(join(ROOT, 'samples/scene.jpg'), join(pictures, 'scene.jpg'));
    const out = join(folder, 'service');
    const run = bench('--quick', '--only', 'service', '--files', pictures, '--out', out);
    assert.equal(run.status, 0, run.stderr);
    const { rows } = JSON.parse(readFileSync(join(out, 'results.json'), 'utf8')) as Results;
    const kinds = new Set(rows.filter(({ skipped }) => skipped === null).map(({ kind }) => kind));
    assert.deepEqual([...kinds].sort(), ['engine-closed', 'http-closed', 'http-open']);
    assert.match(run.stdout, /Open loop over HTTP/);
  });

  it('measures scans, what is around the engine, and how SQLite writes its log back', function () {
    if (findPostgres() === null) return this.skip();
    const pictures = mkdtempSync(join(folder, 'pictures-'));
    copyFileSync(join(ROOT, 'samples/scene.jpg'), join(pictures, 'scene.jpg'));
    const out = join(folder, 'scans');
    const run = bench('--quick', '--only', 'scan,scale,checkpoints', '--files', pictures, '--out', out);
    assert.equal(run.status, 0, run.stderr);
    const { rows, goals } = JSON.parse(readFileSync(join(out, 'results.json'), 'utf8')) as Results;
    const kinds = new Set(rows.map(({ kind }) => kind));
    assert.deepEqual([...kinds].sort(), [
      'checkpoints',
      'checks-metered',
      'engine-closed',
      'scan',
      'scan-beside',
    ]);
    assert.equal(goals.length, 2);
    assert.ok(
      (goals[0]?.value ?? 0) > 0,
      'a rate; one check in two seconds may have failed on a busy machine',
    );
    assert.match(run.stdout, /\| item of a scan, 2 workers \|/);
    assert.match(run.stdout, /\| busy \| 1 \| from a thread \|/);
  });

  it('lets signed-in people check pictures beside the public API', () => {
    const pictures = mkdtempSync(join(folder, 'pictures-'));
    copyFileSync(join(ROOT, 'samples/scene.jpg'), join(pictures, 'scene.jpg'));
    const out = join(folder, 'console');
    const run = bench('--quick', '--only', 'console', '--files', pictures, '--out', out);
    assert.equal(run.status, 0, run.stderr);
    const { rows } = JSON.parse(readFileSync(join(out, 'results.json'), 'utf8')) as Results;
    const sides = rows.map(({ result }) => result as { readonly beside: Neighbours });
    // Neighbours are waited for; the loop itself may end before its first answer where the machine is busy.
    assert.deepEqual(
      sides.map(({ beside }) => beside.checks > 0),
      [false, true, true],
    );
    assert.match(run.stdout, /2 people on the Try page/);
  });

  it('says in a line what is wrong with a command line', () => {
    const empty = mkdtempSync(join(folder, 'empty-'));
    const faults: [string[], RegExp][] = [
      [['--fast'], /bench: Unknown option '--fast'/],
      [['--only', 'engines'], /bench: Expected some of .*stages.* but received 'engines'/],
      [['--device', 'tpu'], /bench: Expected one of .*cpu.* but received 'tpu'/],
      [['--pictures', '0'], /bench: Expected a number from 1 to 999999 for --pictures but received '0'/],
      [['somewhere'], /bench: Expected options alone but received 'somewhere'/],
      [['--files', join(empty, 'none')], /bench: there is no folder '.*none'/],
      [['--files', empty], /bench: there is no picture that can be checked in '/],
    ];
    for (const [words, message] of faults) {
      const { status, stderr } = bench(...words);
      assert.equal(status, 2, words.join(' '));
      assert.match(stderr, message);
      assert.doesNotMatch(stderr, /\n\s+at /);
    }
  });

  it('explains itself', () => {
    const { status, stdout } = bench('--help');
    assert.equal(status, 0);
    assert.match(stdout, /--only GROUPS/);
  });
});
