// Runs benchmark groups in this process on a few tiny images. Tests that values are measured, not what they
// are. bench.whole.ts covers the other groups.
import assert from 'node:assert/strict';
import { copyFileSync } from 'node:fs';
import { join } from 'node:path';
import { QUICK, type Durations } from '../../bench/durations.js';
import { MEASURE } from '../../bench/groups/all.js';
import { loadsOfFolder } from '../../bench/corpus/loads.js';
import { readOptions, type Group } from '../../bench/options.js';
import type { Section } from '../../bench/report/section.js';
import { Runner, type Row, type RunTrial } from '../../bench/trials/runner.js';
import { TRIAL_KINDS } from '../../bench/trials/kinds.js';
import { makeFolder } from '../support/folders.js';
import { findPostgres } from '../support/postgres.js';
import { fixture } from '../support/telltale.js';

/**
 * Settings that measure a single point of each curve, because a service is started per point, and a scan of
 * two images per worker.
 */
const SMALLEST: Durations = { ...QUICK, concurrencies: [1], scanImages: 4 };

const runHere: RunTrial = (kind, settings) => {
  const run = TRIAL_KINDS[kind] as unknown as (given: typeof settings) => Promise<never>;
  return run(settings);
};

describe('the benchmark groups', function () {
  this.timeout(900_000);
  const folder = makeFolder('bench-test');
  before(() => {
    for (const name of ['jpeg/scene.jpg', 'webp/scene.webp'])
      copyFileSync(fixture(name), join(folder, name.replace('/', '-')));
  });

  async function measure(group: Group): Promise<{ section: Section; rows: readonly Row[]; kinds: string[] }> {
    const options = readOptions(['--quick', '--only', group, '--files', folder]);
    assert.ok(options);
    const runner = new Runner(() => undefined, null, runHere);
    const loads = await loadsOfFolder(folder, () => undefined);
    const section = await MEASURE[group]({ runner, loads, durations: SMALLEST, options, cores: 2 });
    assert.deepEqual(
      runner.rows.filter(({ failure }) => failure !== null),
      [],
    );
    const measured = runner.rows.filter(({ skipped }) => skipped === null);
    return { section, rows: runner.rows, kinds: [...new Set(measured.map(({ kind }) => kind))].sort() };
  }

  it('measure the service at a fixed number of clients and at a fixed request rate', async () => {
    const { section, kinds } = await measure('service');
    assert.deepEqual(kinds, ['engine-closed', 'http-closed', 'http-open']);
    assert.match(section.tables[1]?.title ?? '', /^Open loop over HTTP/);
  });

  it('compare the speed of a scan with that of the engine alone, and measure checks during a scan', async function () {
    if (findPostgres() === null) return this.skip();
    const { section, kinds } = await measure('scan');
    assert.deepEqual(kinds, ['engine-closed', 'scan', 'scan-beside']);
    assert.equal(section.goals.length, 2);
    assert.ok((section.goals[0]?.value ?? 0) > 0, 'a rate');
  });

  it('measure the service without the engine’s work', async function () {
    if (findPostgres() === null) return this.skip();
    const { section, kinds } = await measure('scale');
    assert.deepEqual(kinds, ['checks-metered', 'engine-closed', 'scan']);
    assert.ok(section.tables[0]?.rows.some(([what]) => what === 'item of a scan, 2 workers'));
  });
});
