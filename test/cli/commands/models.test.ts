// Tests `telltale models`: information about the networks, and an evaluation from folders of images to result
// files.
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { copyFile, mkdir, readFile, readdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse } from 'csv-parse/sync';
import type { EvaluationReport } from '../../../src/calibration/evaluation/report.js';
import { makeFolder } from '../../support/folders.js';
import { ROOT, fixture, callTelltale, runTelltale } from '../../support/telltale.js';
import { modelsDir } from '../../support/test-models.js';

describe('telltale models', () => {
  it('lists each network with file hashes, the detectors with their output columns, and the thresholds', async () => {
    const { status, stdout } = await callTelltale(['models', 'show', '--json']);
    assert.equal(status, 0);
    const shown = JSON.parse(stdout) as {
      model: string;
      thresholds: Record<string, { full_image_specialist: Record<string, number>; face_specialist: number }>;
      models: {
        id: string;
        columns: string[];
        files: { file: string; sha256: string; size_bytes: number }[];
      }[];
    };
    assert.deepEqual(
      shown.models.map(({ id, files }) => [id, files.length]),
      [
        ['encoder', 4],
        ['face_detector', 1],
        ['full_image_specialist', 0],
        ['face_specialist', 0],
      ],
    );
    for (const { id, files } of shown.models) {
      for (const { file, sha256, size_bytes } of files) {
        const bytes = await readFile(join(modelsDir, id, file));
        assert.equal(createHash('sha256').update(bytes).digest('hex'), sha256);
        assert.equal(bytes.length, size_bytes);
      }
    }
    const [encoder, , ...specialists] = shown.models;
    for (const { columns } of specialists) {
      assert.ok(columns.length > 0);
      for (const column of columns) assert.ok(encoder!.columns.includes(column), column);
    }
    assert.deepEqual(
      specialists.flatMap(({ columns }) => columns).sort(),
      [...encoder!.columns].sort(),
      'each column is read by a specialist',
    );
    assert.deepEqual(Object.keys(shown.thresholds), ['strict', 'balanced', 'sensitive']);
    for (const { full_image_specialist, face_specialist } of Object.values(shown.thresholds)) {
      assert.deepEqual(Object.keys(full_image_specialist), ['photographed', 'drawn']);
      assert.ok(face_specialist > 0 && face_specialist < 1);
    }
    const people = await callTelltale(['models', 'show']);
    assert.ok(people.stdout.startsWith(`${shown.model}, bands `));
  });

  for (const args of [
    [],
    ['list'],
    ['eval'],
    ['eval', '--tiers', 'dirty', 'x'],
    ['eval', '--levels', 'none,dirty', 'x'],
    ['show', 'x'],
    ['calibrate', 'x'],
    ['calibrate', '--out', 'y'],
    ['calibrate', 'x', '--out', 'y', '--aim', '1,0.3,5'],
    ['calibrate', 'x', '--out', 'y', '--aim', '1,5'],
    ['calibrate', 'x', '--out', 'y', '--name', 'a b'],
  ]) {
    it(`exits with code 2 for 'models ${args.join(' ')}'`, async () => {
      const { status, stdout } = await callTelltale(['models', ...args]);
      assert.deepEqual([status, stdout], [2, '']);
    });
  }

  it('refuses a thresholds file that is malformed, has an unknown field or belongs to another model', async () => {
    const folder = makeFolder('bands');
    const shipped = JSON.parse(await readFile(join(ROOT, 'models', 'bands.json'), 'utf8')) as object;
    const files = {
      'other.json': JSON.stringify({ ...shipped, model: 'telltale-0.1.0' }),
      'more.json': JSON.stringify({ ...shipped, aim: 1 }),
      'text.json': 'no bands',
    };
    const faults = [
      /is for telltale-0\.1\.0/,
      /'aim' is not known here; known are version, model, profiles/,
      /can't be read/,
      /can't be read/,
    ];
    for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
    for (const [at, name] of [...Object.keys(files), 'none.json'].entries()) {
      const { status, stdout, stderr } = await callTelltale(['models', 'show'], {
        env: { TELLTALE_BANDS: join(folder, name) },
      });
      assert.deepEqual([status === 0, stdout, stderr.trimEnd().split('\n').length], [false, '', 1], stderr);
      assert.match(stderr, faults[at]!);
    }
  });

  it('names the successor of the removed adapt command in one line', async () => {
    const { status, stdout, stderr } = await callTelltale(['models', 'adapt', 'x', '--out', 'y']);
    assert.deepEqual([status, stdout], [2, '']);
    assert.match(stderr, /^telltale: .* 'telltale models calibrate' [^\n]*\n$/);
  });

  it('refuses a list with more images than a calibration can use', async () => {
    const folder = makeFolder('list');
    const list = join(folder, 'list.csv');
    await writeFile(list, `path\n${Array.from({ length: 20_001 }, (_, at) => `${at}.jpg\n`).join('')}`);
    const { status, stderr } = await callTelltale([
      'models',
      'calibrate',
      list,
      '--out',
      join(folder, 'out'),
    ]);
    assert.equal(status, 1);
    assert.match(stderr, /at most 20000 images but received 20001/);
  });

  it('refuses to overwrite an earlier calibration before reading any image', async () => {
    const out = makeFolder('former');
    await writeFile(join(out, 'bands.json'), 'in use');
    const { status, stderr } = await callTelltale(['models', 'calibrate', 'none', '--out', out]);
    assert.equal(status, 1);
    assert.match(stderr, /bands\.json already exists\. Use another folder/);
    assert.equal(await readFile(join(out, 'bands.json'), 'utf8'), 'in use');
  });

  it('refuses to calibrate with fewer than 300 genuine images before reading any image', async () => {
    const folder = makeFolder('calibrate');
    for (const name of ['a.jpg', 'b.jpg']) await writeFile(join(folder, name), 'no image');
    const { status, stderr } = await callTelltale([
      'models',
      'calibrate',
      folder,
      '--out',
      join(folder, 'out'),
    ]);
    assert.equal(status, 1);
    assert.match(stderr, /^telltale: Expected at least 300 different genuine images but received 2\. .*\n$/);
    assert.deepEqual(await readdir(folder), ['a.jpg', 'b.jpg'], 'nothing is written');
  });

  it('prints separate help for "models eval" and "models calibrate"', async () => {
    const [measuring, fitting] = [
      await callTelltale(['models', 'eval', '--help']),
      await callTelltale(['help', 'models', 'calibrate']),
    ];
    assert.match(measuring.stdout, /^Usage: telltale models eval [^]*--levels/);
    assert.match(fitting.stdout, /^Usage: telltale models calibrate [^]*--aim/);
    for (const { status, stdout } of [measuring, fitting]) {
      assert.equal(status, 0);
      assert.ok(stdout.split('\n').every((line) => line.length <= 80));
    }
  });

  describe('telltale models eval', () => {
    let folder = '';
    before(async () => {
      folder = makeFolder('eval');
      const pictures = {
        'real/camera/a.jpg': 'jpeg/scene.jpg',
        'real/phone/b.png': 'png/scene.png',
        'ai/flux/c.webp': 'webp/scene.webp',
        'ai/flux/d.avif': 'avif/scene.avif',
      };
      for (const [name, from] of Object.entries(pictures)) {
        await mkdir(join(folder, name, '..'), { recursive: true });
        await copyFile(fixture(from), join(folder, name));
      }
    });

    it('scores every image at every degradation level and writes report, scores and plots', async () => {
      const files = { json: join(folder, 'r.json'), scores: join(folder, 's'), plots: join(folder, 'p') };
      const options = Object.entries(files).flatMap(([name, path]) => [`--${name}`, path]);
      const { status, stdout, stderr } = await runTelltale(['models', 'eval', folder, ...options]);
      assert.deepEqual([status, stderr], [0, '']);
      assert.match(stdout, /AUC/);
      const report = JSON.parse(await readFile(files.json, 'utf8')) as EvaluationReport;
      const whole = report.tiers.filter(({ detector }) => detector === 'full_image_specialist');
      assert.deepEqual(
        whole.map(({ tier, pictures }) => [tier, pictures.real, pictures.ai]),
        [
          ['clean', 2, 2],
          ['web', 2, 2],
          ['hard', 2, 2],
        ],
      );
      const scores: Record<string, string>[] = parse(
        await readFile(join(files.scores, 'full_image_specialist.csv')),
        { columns: true },
      );
      assert.equal(scores.length, 12);
      for (const row of scores) {
        const score = Number(row['score']);
        assert.ok(score >= 0 && score <= 1);
      }
      const byImage = scores.filter(({ picture }) => picture?.endsWith('a.jpg') === true);
      assert.equal(new Set(byImage.map(({ score }) => score)).size, 3, 'each tier its own score');
      assert.deepEqual((await readdir(files.plots)).sort(), [
        'face_specialist-clean-scores.svg',
        'face_specialist-hard-scores.svg',
        'face_specialist-roc.svg',
        'face_specialist-web-scores.svg',
        'full_image_specialist-clean-scores.svg',
        'full_image_specialist-hard-scores.svg',
        'full_image_specialist-roc.svg',
        'full_image_specialist-web-scores.svg',
      ]);
    });

    it('computes the same score as telltale check', async () => {
      const { stdout } = await callTelltale(['check', '--json', join(folder, 'real/camera/a.jpg')]);
      const checked = (JSON.parse(stdout) as { scores: { full_image_specialist: number } }).scores;
      const scores = join(folder, 'one');
      await callTelltale(['models', 'eval', folder, '--tiers', 'clean', '--scores', scores]);
      const rows: Record<string, string>[] = parse(
        await readFile(join(scores, 'full_image_specialist.csv')),
        { columns: true },
      );
      const row = rows.find(({ picture }) => picture?.endsWith('a.jpg') === true);
      assert.ok(Math.abs(Number(row?.['score']) - checked.full_image_specialist) <= 1e-4);
    });

    it('reports images that cannot be scored, and exits with code 1', async () => {
      const csv = join(folder, 'broken.csv');
      await writeFile(join(folder, 'text.jpg'), 'no image');
      await writeFile(csv, 'path,label\nreal/camera/a.jpg,real\ntext.jpg,ai\nnone.jpg,ai\n');
      const { status, stdout } = await callTelltale([
        'models',
        'eval',
        csv,
        '--levels',
        'none',
        '--json',
        '-',
      ]);
      assert.equal(status, 1);
      const report = JSON.parse(stdout) as EvaluationReport;
      assert.deepEqual(
        report.failed.map(({ code }) => code),
        ['unsupported_format', 'not_found'],
      );
      assert.equal(report.tiers[0]?.auc.value, null);
    });
  });
});
