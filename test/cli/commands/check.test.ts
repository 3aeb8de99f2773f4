// Tests `telltale check` as users run it: output formats, exit codes, streams and terminals.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { copyFile, mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { makeFolder } from '../../support/folders.js';
import { fixture, runOnTerminal, callTelltale, runTelltale, startTelltale } from '../../support/telltale.js';

const scene = fixture('jpeg/scene.jpg');
const tooSmall = fixture('jpeg/444.jpg');

/** A heat map needs all crops. All other tests use one crop, because that is faster. */
const ONE_VIEW = { env: { TELLTALE_VIEWS: '1' } };

/** Fields of the documented check result, section 2.1, in order. */
const MEMBERS =
  'id is_ai fired reason face_found content_credentials image model bands_version latency_ms scores face_box profile image_stored'.split(
    ' ',
  );

interface Result {
  readonly file?: string;
  readonly is_ai?: boolean;
  readonly profile?: string;
  readonly details?: Record<string, unknown>;
  readonly error?: { readonly code: string; readonly message: string };
}

const parseLines = (text: string): Result[] =>
  text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as Result);

describe('telltale check', () => {
  const folder = makeFolder('check');
  before(async () => {
    await mkdir(join(folder, 'set/deep'), { recursive: true });
    await copyFile(scene, join(folder, 'set/b.jpg'));
    await copyFile(fixture('png/scene.png'), join(folder, 'set/deep/without-extension'));
    await writeFile(join(folder, 'set/notes.txt'), 'no image');
    await writeFile(join(folder, 'set/.hidden.jpg'), 'no image');
  });

  it('prints the documented JSON for one file', async () => {
    const { status, stdout, stderr } = await runTelltale(['check', '--json', scene]);
    assert.deepEqual([status, stderr], [0, '']);
    assert.deepEqual(Object.keys(JSON.parse(stdout) as object), MEMBERS);
  });

  it('prints a JSON array with one entry per file in order, including refused files', async () => {
    const { status, stdout } = await callTelltale(['check', '--json', tooSmall, scene, 'none.jpg']);
    assert.equal(status, 1);
    const results = JSON.parse(stdout) as Result[];
    assert.deepEqual(
      results.map(({ file }) => file),
      [tooSmall, scene, 'none.jpg'],
    );
    assert.deepEqual(
      results.map(({ error }) => error?.code),
      ['image_too_small', undefined, 'not_found'],
    );
    assert.deepEqual(Object.keys(results[1]!), ['file', ...MEMBERS]);
    assert.deepEqual(Object.keys(results[0]!), ['file', 'error']);
  });

  it('prints a JSON object with an error for a refused file', async () => {
    const { status, stdout } = await callTelltale(['check', '--json', tooSmall]);
    assert.equal(status, 1);
    assert.deepEqual(JSON.parse(stdout), {
      error: {
        code: 'image_too_small',
        message: 'The image has 97 × 75 px. The shorter side must have at least 256 px',
      },
    });
  });

  it('prints one JSON object per line with --jsonl', async () => {
    const { status, stdout } = await callTelltale(['check', '--jsonl', scene, tooSmall]);
    assert.equal(status, 1);
    const lines = parseLines(stdout);
    assert.deepEqual(
      lines.map(({ file, error }) => [file, error?.code]),
      [
        [scene, undefined],
        [tooSmall, 'image_too_small'],
      ],
    );
  });

  it('searches folders for images, with or without file extension, and skips hidden and text files', async () => {
    const { status, stdout } = await callTelltale(['check', '--jsonl', join(folder, 'set')]);
    assert.equal(status, 0);
    assert.deepEqual(
      parseLines(stdout).map(({ file }) => file),
      [join(folder, 'set/b.jpg'), join(folder, 'set/deep/without-extension')],
    );
  });

  it('reports a file that is not an image if the user named it or if it has an image extension', async () => {
    const other = join(folder, 'other');
    await mkdir(other);
    await writeFile(join(other, 'text.PNG'), 'no image');
    const named = join(folder, 'set/notes.txt');
    const { status, stdout } = await callTelltale(['check', '--jsonl', named, other]);
    assert.equal(status, 1);
    assert.deepEqual(
      parseLines(stdout).map(({ file, error }) => [file, error?.code]),
      [
        [named, 'unsupported_format'],
        [join(other, 'text.PNG'), 'unsupported_format'],
      ],
    );
  });

  it('exits with code 1 if a folder contains no image', async () => {
    const empty = join(folder, 'empty');
    await mkdir(empty);
    const { status, stdout, stderr } = await callTelltale(['check', '--json', empty]);
    assert.deepEqual([status, stdout], [1, '[]\n']);
    assert.match(stderr, /no images to check/);
  });

  it('reads an image from standard input', async () => {
    const bytes = await readFile(scene);
    const { status, stdout } = await runTelltale(['check', '--json', '-'], { input: bytes });
    assert.equal(status, 0);
    assert.deepEqual(Object.keys(JSON.parse(stdout) as object), MEMBERS);
    const nothing = await runTelltale(['check', '--jsonl', '-'], { input: '' });
    assert.deepEqual(
      parseLines(nothing.stdout).map(({ file, error }) => [file, error?.code]),
      [['-', 'unsupported_format']],
    );
  });

  it('uses the profile given as an option, otherwise the profile in the settings', async () => {
    const env = { TELLTALE_PROFILE: 'sensitive' };
    const set = await callTelltale(['check', '--json', scene], { env });
    assert.equal((JSON.parse(set.stdout) as Result).profile, 'sensitive');
    const asked = await callTelltale(['check', '--json', '--profile', 'strict', scene], { env });
    assert.equal((JSON.parse(asked.stdout) as Result).profile, 'strict');
  });

  it('adds the details that --include requests', async () => {
    const args = ['check', '--jsonl', '--include', 'heatmap,timings', '--include', 'warnings', scene];
    const { stdout } = await callTelltale(args, ONE_VIEW);
    const { details } = parseLines(stdout)[0]!;
    assert.deepEqual(Object.keys(details ?? {}), ['heatmap', 'timings', 'warnings']);
    const { patches } = details?.['heatmap'] as { patches: { box: number[]; score: number }[] };
    assert.ok(patches.length > 0);
    for (const { box, score } of patches) {
      const [x = -1, y = -1, w = 0, h = 0] = box;
      assert.ok(x >= 0 && y >= 0 && x + w <= 288 && y + h <= 256 && score >= 0 && score <= 1);
    }
  });

  const wrong: [why: RegExp, ...args: string[]][] = [
    [/at least one image or folder/],
    [/read only once/, '-', '-'],
    [/exclude each other/, '--json', '--jsonl', 'x'],
    [/--include needs --json/, '--include', 'faces', 'x'],
    [/one of strict, balanced, sensitive for --profile but received 'wild'/, '--profile', 'wild', 'x'],
    [/one of heatmap, .* for --include but received 'face'/, '--json', '--include', 'face', 'x'],
    [/for --device but received 'gpu'/, '--device', 'gpu', 'x'],
    [/--colour/, '--colour', 'x'],
  ];
  for (const [why, ...args] of wrong) {
    it(`exits with code 2 for 'check ${args.join(' ')}'`, async () => {
      const { status, stdout, stderr } = await callTelltale(['check', ...args]);
      assert.deepEqual([status, stdout], [2, '']);
      assert.match(stderr, why);
      assert.match(stderr, /'telltale check --help'/);
    });
  }

  it('explains why the requested device is unavailable, and checks nothing', async () => {
    const { status, stdout, stderr } = await callTelltale(['check', '--device', 'cuda', scene], {
      env: { CUDA_VISIBLE_DEVICES: '' },
    });
    assert.deepEqual([status, stdout], [1, '']);
    assert.match(stderr, /^telltale: .*cuda/i);
  });

  it('prints a table without colours to a pipe, one line per image', async () => {
    const { status, stdout } = await callTelltale(['check', scene, tooSmall, 'none.jpg']);
    assert.equal(status, 1);
    assert.match(
      (await callTelltale(['check', 'https://host.example/a.jpg'])).stdout,
      /not found +there is no such file; 'telltale scan' fetches the http and https addresses of a list\n/,
    );
    assert.doesNotMatch(stdout, /\u001b/);
    const [heading, first, second, third, summary, ...end] = stdout.split('\n');
    assert.match(heading ?? '', /^FILE +RESULT +WHOLE IMAGE +FACE +REASON$/);
    assert.match(first ?? '', /scene\.jpg +(AI detected|Unclear|No AI detected) +[01]\.\d{4} [≥<] [\d.]+ /);
    assert.match(second ?? '', /444\.jpg +refused +image_too_small: /);
    assert.match(third ?? '', /none\.jpg +not found +there is no such file$/);
    assert.match(
      summary ?? '',
      /^3 files: \d AI detected, \d unclear, \d no AI detected, 1 refused, 1 not found$/,
    );
    assert.doesNotMatch(first ?? '', /AI detected: |no proof/);
    assert.equal(
      end.filter((line) => line.includes('no proof')).length,
      Number(summary?.includes('1 no AI')),
    );
  });

  it('prints colours and wraps lines on a terminal, and respects NO_COLOR', async () => {
    const coloured = await runOnTerminal(['check', scene]);
    assert.equal(coloured.status, 0);
    assert.match(coloured.stdout, /\u001b\[3[123]m(AI detected|Unclear|No AI detected)/);
    assert.ok(
      coloured.stdout.split(/\r?\n/).every((line) => line.replace(/\u001b\[\d*m/g, '').length <= 100),
    );
    const plain = await runOnTerminal(['check', scene], { env: { NO_COLOR: '1' } });
    assert.doesNotMatch(plain.stdout, /\u001b\[3/);
  });

  it('draws a progress bar only for many files on a terminal', async () => {
    const many = Array.from({ length: 12 }, () => tooSmall);
    const shown = await runOnTerminal(['check', ...many]);
    assert.match(shown.stdout, /█|░/);
    const piped = await callTelltale(['check', ...many]);
    assert.doesNotMatch(piped.stderr, /█|░/);
  });

  it('prints control characters in file names as visible escapes', async () => {
    const name = 'clear\u001b[2J\u202e.jpg';
    const { stdout } = await callTelltale(['check', name]);
    assert.match(stdout, /clear\\u001b\[2J\\u202e\.jpg/);
    const { stdout: json } = await callTelltale(['check', '--jsonl', name]);
    assert.doesNotMatch(json, /[\u001b\u202e]/);
    assert.equal(parseLines(json)[0]?.file, name);
  });

  it('writes an annotated PNG with a unique name for each image, and skips these PNGs on the next run', async () => {
    const set = join(folder, 'annotated');
    const out = join(set, 'out');
    await mkdir(join(set, 'deep'), { recursive: true });
    await copyFile(scene, join(set, 'a.jpg'));
    await copyFile(scene, join(set, 'deep/a.jpg'));
    await copyFile(tooSmall, join(set, 'small.jpg'));
    for (let round = 0; round < 2; round += 1) {
      const { stdout } = await callTelltale(
        ['check', '--jsonl', '--annotate', out, set, scene, join(set, 'a.jpg')],
        ONE_VIEW,
      );
      assert.equal(parseLines(stdout).length, 5);
    }
    for (const name of ['a.jpg', 'deep/a.jpg', 'scene.jpg', 'a.jpg-2']) {
      const png = await readFile(join(out, `${name}.annotated.png`));
      assert.equal(png.subarray(1, 4).toString(), 'PNG');
    }
    await assert.rejects(readFile(join(out, 'small.jpg.annotated.png')));
  });

  it('never overwrites an input image with an annotated PNG', async () => {
    const own = join(folder, 'own');
    await mkdir(own);
    const [image, other] = [join(own, 'x.jpg'), join(own, 'x.jpg.annotated.png')];
    await copyFile(scene, image);
    await copyFile(scene, other);
    const { status } = await callTelltale(['check', '--annotate', own, image, other], ONE_VIEW);
    assert.equal(status, 0);
    assert.deepEqual(await readFile(other), await readFile(scene));
    assert.ok((await readFile(join(own, 'x.jpg-2.annotated.png'))).byteLength > 0);
  });

  it('checks nothing if annotated images cannot be written', async () => {
    const file = join(folder, 'a-file');
    await writeFile(file, '');
    const { status, stdout, stderr } = await callTelltale(['check', '--annotate', join(file, 'x'), scene]);
    assert.deepEqual([status, stdout], [1, '']);
    assert.match(stderr, /^telltale: the annotated image can't be written \(ENOTDIR\)\n$/);
  });

  it('stops on Ctrl-C with complete JSON output, a message on stderr and exit code 130', async () => {
    const child = startTelltale(['check', '--json', ...Array.from({ length: 400 }, () => scene)]);
    let stdout = '';
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.stdout?.setEncoding('utf8').on('data', (text: string) => {
      if (stdout === '') child.kill('SIGINT');
      stdout += text;
    });
    const [status] = (await once(child, 'close')) as [number];
    assert.equal(status, 130);
    const results = JSON.parse(stdout) as Result[];
    assert.ok(results.length > 0 && results.length < 400);
    assert.match(stderr, /stopped after \d+ of 400 images/);
  });

  it('exits without an error message if the program that reads its output ends', async () => {
    const child = startTelltale(['check', '--jsonl', ...Array.from({ length: 400 }, () => scene)]);
    let stderr = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => (stderr += text));
    child.stdout?.once('data', () => child.stdout?.destroy());
    const [status] = (await once(child, 'close')) as [number];
    // On a slow machine the command also prints progress lines, which are removed here.
    assert.deepEqual([status, stderr.replace(/^telltale: \d+\/400 .*\n/gm, '')], [1, '']);
  });
});
