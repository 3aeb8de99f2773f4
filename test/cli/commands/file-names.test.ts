// Tests images whose names are not UTF-8, as in archives of old file systems: by name, in folders, in scans
// and over MCP.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { loadDataset } from '../../../src/calibration/evaluation/dataset.js';
import { readImage } from '../../../src/calibration/input-files/read-image.js';
import { checkFolder } from '../../../src/cli/commands/mcp/check-folder.js';
import { ImageSource } from '../../../src/cli/commands/mcp/image-source.js';
import { makeFolder } from '../../support/folders.js';
import { fixture, ROOT, callTelltale, type Finished } from '../../support/telltale.js';

const LATIN_1 = Buffer.from('/caf\xe9.jpg', 'latin1');
const LATIN_2 = Buffer.from('/\xb3\xf3d\xbc', 'latin1');

describe('a file name that is not valid UTF-8', () => {
  const folder = makeFolder('names');
  before(() => {
    const below = Buffer.concat([Buffer.from(join(folder, 'set/real')), LATIN_2]);
    mkdirSync(below, { recursive: true });
    copyFileSync(fixture('jpeg/scene.jpg'), Buffer.concat([Buffer.from(join(folder, 'set')), LATIN_1]));
    copyFileSync(fixture('png/scene.png'), Buffer.concat([below, LATIN_1]));
  });

  /** Runs the command in a shell, because Node can pass only valid text to a child process. */
  const runAs = (command: string): Promise<Finished> =>
    new Promise((resolve) => {
      const child = execFile('sh', ['-c', command], { cwd: ROOT }, (error, stdout, stderr) =>
        resolve({ status: error === null ? 0 : child.exitCode, stdout, stderr }),
      );
    });
  const telltale = `${process.execPath} dist/cli/main.js`;

  it('can be passed to a command, and is displayed with the invalid byte escaped', async () => {
    const { status, stdout } = await runAs(`${telltale} check "$(printf '${folder}/set/caf\\351.jpg')"`);
    assert.equal(status, 0, stdout);
    assert.match(stdout, /\/caf\\xe9\.jpg +No AI detected/);
  });

  it('can be in a folder of images, and output files get the same name', async () => {
    const out = join(folder, 'out');
    const { status, stdout, stderr } = await callTelltale([
      'check',
      '--json',
      '--annotate',
      out,
      join(folder, 'set'),
    ]);
    assert.equal(status, 0, stderr);
    const results = JSON.parse(stdout) as { file: string }[];
    assert.deepEqual(
      results.map(({ file }) => file.slice(folder.length)),
      ['/set/caf\udce9.jpg', '/set/real/\udcb3\udcf3d\udcbc/caf\udce9.jpg'],
    );
    const written = readdirSync(out, { encoding: 'buffer' }).map((name) => name.toString('latin1'));
    assert.deepEqual(written.sort(), ['caf\xe9.jpg.annotated.png', 'real']);
  });

  it('is scanned exactly once, even if the scan is interrupted and resumed several times', async () => {
    const out = join(folder, 'scan.jsonl');
    for (const more of [[], ['--resume']]) {
      const { status, stdout } = await callTelltale(['scan', join(folder, 'set'), '--out', out, ...more]);
      assert.equal(status, 0);
      assert.match(stdout, /^2 images: /);
    }
    assert.match(readFileSync(join(folder, 'scan.html'), 'utf8'), /caf\\xe9\.jpg/);
  });

  it('can be among the images for calibration', async () => {
    const { signal } = new AbortController();
    const images = await loadDataset([join(folder, 'set')], signal);
    assert.deepEqual(images.map(({ source }) => source), ['\udcb3\udcf3d\udcbc']); // prettier-ignore
    assert.ok((await readImage(images[0]?.path ?? '', signal)).byteLength > 1000);
  });

  it('can be in a folder that the MCP tool checks', async () => {
    const source = new ImageSource(
      { configuredFolders: [folder], readRoots: () => Promise.resolve(null) },
      { fetchAllow: [], fetchProxy: null },
    );
    const sizes: number[] = [];
    const { entries } = await checkFolder(
      {
        concurrency: 1,
        check: (bytes: Uint8Array) => {
          sizes.push(bytes.byteLength);
          return Promise.resolve({} as never);
        },
      } as unknown as Parameters<typeof checkFolder>[0],
      source,
      {
        path: 'set',
        limit: 10,
        signal: new AbortController().signal,
        onProgress: () => Promise.resolve(),
      },
    );
    assert.deepEqual(entries.map(({ file }) => file), ['caf\udce9.jpg', 'real/\udcb3\udcf3d\udcbc/caf\udce9.jpg']); // prettier-ignore
    assert.equal(sizes.length, 2);
  });
});
