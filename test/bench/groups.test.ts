// Groups of the bench with their trials in this process, on a few tiny pictures: that they measure, not what. A whole run
// of the bench (`bench.whole.ts`) holds the others.
import assert from 'node:assert/strict';
import { copyFileSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { QUICK, type Durations } from '../../bench/durations.js';
import { MEASURE } from '../../bench/groups/all.js';
import { loadsOfFolder } from '../../bench/loads.js';
import { readOptions, type Group } from '../../bench/options.js';
import type { Section } from '../../bench/report/section.js';
import { NotMeasured, Runner, type Row, type RunTrial } from '../../bench/runner.js';
import { TRIAL_KINDS } from '../../bench/trials/kinds.js';
import { findPostgres } from '../support/postgres.js';
import { fixture } from '../support/telltale.js';

/** One point of a curve, as a service is started for each, and a scan that gives each worker two pictures. */
const SMALLEST: Durations = { ...QUICK, concurrencies: [1], scanPictures: 4 };

const runHere: RunTrial = async (kind, settings) => {
  const run = TRIAL_KINDS[kind] as unknown as (given: typeof settings) => Promise<never>;
  try {
    return await run(settings);
  } catch (error) {
    if ((error as { code?: unknown }).code === 'device_unavailable')
      throw new NotMeasured((error as Error).message);
    throw error;
  }
};

describe('a group of the bench', function () {
  this.timeout(900_000);
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'telltale-bench-test-'));
    for (const name of ['jpeg/scene.jpg', 'webp/scene.webp'])
      copyFileSync(fixture(name), join(folder, name.replace('/', '-')));
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  async function measure(group: Group): Promise<{ section: Section; rows: readonly Row[]; kinds: string[] }> {
    const options = readOptions(['--quick', '--only', group, '--files', folder]);
    assert.ok(options);
    const runner = new Runner(() => undefined, null, runHere);
    const loads = await loadsOfFolder(folder, () => undefined);
    const section = await MEASURE[group]({ runner, loads, durations: SMALLEST, options, cores: 2 });
    const measured = runner.rows.filter(({ skipped }) => skipped === null);
    return { section, rows: runner.rows, kinds: [...new Set(measured.map(({ kind }) => kind))].sort() };
  }

  it('puts the service under closed and open loads', async () => {
    const { section, kinds } = await measure('service');
    assert.deepEqual(kinds, ['engine-closed', 'http-closed', 'http-open']);
    assert.match(section.tables[1]?.title ?? '', /^Open loop over HTTP/);
  });

  it('lets signed-in people check pictures beside the public API', async () => {
    const { section, rows } = await measure('console');
    const sides = rows.map(({ result }) => result as { readonly beside: { readonly checks: number } });
    // Neighbours are waited for; the loop itself may end before its first answer where the machine is busy.
    assert.deepEqual(
      sides.map(({ beside }) => beside.checks > 0),
      [false, true, true],
    );
    assert.ok(section.tables[0]?.rows.some(([beside]) => beside === '2 people on the Try page'));
  });

  it('measures scans against the engine, and checks beside them', async function () {
    if (findPostgres() === null) return this.skip();
    const { section, kinds } = await measure('scan');
    assert.deepEqual(kinds, ['engine-closed', 'scan', 'scan-beside']);
    assert.equal(section.goals.length, 2);
    assert.ok((section.goals[0]?.value ?? 0) > 0, 'a rate');
  });

  it('measures what is around the engine', async function () {
    if (findPostgres() === null) return this.skip();
    const { section, kinds } = await measure('scale');
    assert.deepEqual(kinds, ['checks-metered', 'engine-closed', 'scan']);
    assert.ok(section.tables[0]?.rows.some(([what]) => what === 'item of a scan, 2 workers'));
  });
});
