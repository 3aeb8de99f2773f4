// A folder with a correction: the networks that shipped, corrected, under a name of its own; and what is refused.
import assert from 'node:assert/strict';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { nameBands } from '../../../src/calibration/adaptation/bands-file.js';
import { writeAdaptation } from '../../../src/calibration/adaptation/write-adaptation.js';
import { loadBands } from '../../../src/check/thresholds/bands.js';
import { createChecker } from '../../../src/check/checker.js';
import { logOdds } from '../../../src/base/log-odds.js';
import { loadModels } from '../../../src/engine/manifests/manifest.js';
import { PACKAGE_MODELS_DIR } from '../../../src/base/package-paths.js';
import { fixture, runTelltale } from '../../support/telltale.js';

describe('a correction', () => {
  let folder = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'telltale-corrected-'));
  });
  after(() => rm(folder, { recursive: true }));

  const model = 'telltale-0.0.0+desk.20261123';
  const write = async (name: string, members: object): Promise<string> => {
    const { networks: own, name: released } = await loadModels(PACKAGE_MODELS_DIR, null);
    const correction = new Float64Array(own.embeddingSize).fill(0.25);
    const shipped = await loadBands(join(PACKAGE_MODELS_DIR, 'bands.json'), released);
    const path = join(folder, name);
    const adaptation = {
      model,
      corrects: shipped.model,
      digest: own.digest,
      networks: null,
      correction,
      ...members,
    };
    const bands = nameBands({ model, profiles: shipped.profiles }, 'desk', new Date());
    await writeAdaptation(path, { adaptation, bands, card: '# card\n' });
    return path;
  };

  it('moves the logit by the embedding, and nothing else', async () => {
    const modelsDir = await write('sound', {});
    const bytes = await readFile(fixture('jpeg/scene.jpg'));
    const [plain, corrected] = await Promise.all([
      // With a correction all views are seen.
      createChecker({ device: 'cpu', threads: 1, views: (await loadModels(PACKAGE_MODELS_DIR, null)).views }),
      createChecker({ modelsDir, device: 'cpu', threads: 1 }),
    ]);
    const [before, after] = await Promise.all([
      plain.engine.inspect(bytes, { heatMap: true }),
      corrected.engine.inspect(bytes, { heatMap: true }),
    ]);
    assert.deepEqual(after.embedding, before.embedding);
    const sum = before.embedding.reduce((total, number) => total + number, 0);
    assert.ok(Math.abs(logOdds(after.fullImageScore) - logOdds(before.fullImageScore) - 0.25 * sum) < 1e-6);
    assert.deepEqual([after.drawn, after.patches, after.faces], [before.drawn, before.patches, before.faces]);
    assert.equal(corrected.engine.model, model);
    assert.equal((await corrected.check(bytes)).model, model);
    assert.ok(corrected.engine.files.some(({ name }) => name === 'adaptation.json'));
    await Promise.all([plain.close(), corrected.close()]);
    const shown = await runTelltale(['models', 'show'], { env: { TELLTALE_MODELS_DIR: modelsDir } });
    assert.deepEqual([shown.status, shown.stdout.startsWith(`${model}, bands `)], [0, true], shown.stderr);
    const picture = fixture('jpeg/scene.jpg');
    const checked = await runTelltale(['check', '--json', '--models', modelsDir, picture]);
    assert.equal((JSON.parse(checked.stdout) as { model: string }).model, model);
  });

  it('stops the start with one line where it is for other networks or no correction', async () => {
    const faults = {
      other: [{ digest: 'f'.repeat(64) }, /is for the networks of telltale-/],
      short: [{ correction: new Float64Array(3) }, /is for the networks of telltale-/],
      name: [{ model: 'telltale-best' }, /a name such as telltale-2\.5\.0\+desk\.20261123 for 'model'/],
      more: [{ model_name: 'desk' }, /'model_name' is not known here; known are model, /],
    } as const;
    for (const [name, [members, said]] of Object.entries(faults)) {
      const modelsDir = await write(name, members);
      await assert.rejects(loadModels(modelsDir, null), (error: Error & { code: string }) => {
        assert.match(error.message, said);
        return error.code === 'model_invalid';
      });
    }
    await writeFile(join(folder, 'sound', 'adaptation.json'), '{');
    await assert.rejects(loadModels(join(folder, 'sound'), null), { code: 'model_invalid' });
  });

  it('is written whole, and over nothing', async () => {
    await assert.rejects(write('sound', {}), { code: 'invalid_request' });
  });
});
