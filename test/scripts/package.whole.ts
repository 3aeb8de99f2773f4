// The package with the engine that `npm run prebuild` makes: it needs no compiler and none of the system's codecs.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { copyFileSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder } from '../support/folders.js';
import { ROOT } from '../support/telltale.js';

const run = promisify(execFile);
const PORTRAIT = join(ROOT, 'samples/portrait.png');
const SIGNED = join(ROOT, 'samples/scene-signed-ai.jpg');
const PLATFORM = `linux-${process.arch}`;

/** Runs Node in a folder without anything that this process's environment could add. */
const node = (folder: string, ...args: string[]): Promise<{ stdout: string; stderr: string }> =>
  run(process.execPath, args, { cwd: folder, env: { PATH: '/nonexistent' } });

const findingsIn = async (folder: string, image = PORTRAIT): Promise<unknown> => {
  const { stdout } = await node(folder, 'dist/cli/main.js', 'check', '--json', image);
  const { scores, content_credentials } = JSON.parse(stdout) as Record<string, unknown>;
  return { scores, content_credentials };
};

describe('the package with an engine', function () {
  this.timeout(600_000);
  const folder = makeFolder('package');
  let unpacked: string;

  before(async () => {
    await run('npm', ['run', 'prebuild'], { cwd: ROOT });
    const pack = ['pack', '--ignore-scripts', '--pack-destination', folder, '--silent'];
    const { stdout } = await run('npm', pack, { cwd: ROOT });
    await run('tar', ['-xzf', join(folder, stdout.trim()), '-C', folder]);
    unpacked = join(folder, 'package');
    symlinkSync(join(ROOT, 'node_modules'), join(unpacked, 'node_modules'));
  });

  it('gives the scores and reads the credentials as the one that is built here', async () => {
    for (const image of [PORTRAIT, SIGNED])
      assert.deepEqual(await findingsIn(unpacked, image), await findingsIn(ROOT, image));
  });

  it("loads its own libraries, and of the system's only what Node has too", async () => {
    const loader = join(unpacked, 'src/library/dist/engine/native/binding.js');
    const mapped = "readFileSync('/proc/self/maps', 'utf8').match(/\\/\\S+\\.so\\S*/g)";
    const program = `import { readFileSync } from 'node:fs';
      const list = () => ${mapped};
      const before = new Set(list());
      (await import(${JSON.stringify(loader)})).loadBinding();
      console.log([...new Set(list())].filter((path) => !before.has(path)).join('\\n'));`;
    const { stdout } = await node(unpacked, '--input-type=module', '--eval', program);
    const loaded = stdout.trim().split('\n');
    assert.ok(
      loaded.some((path) => path.endsWith('/telltale-libtiff.so.6')),
      stdout,
    );
    const foreign = loaded.filter(
      (path) => !path.startsWith(join(unpacked, 'prebuilds')) && !/librt/.test(path),
    );
    assert.deepEqual(foreign, []);
    const notices = readFileSync(join(unpacked, 'prebuilds', PLATFORM, 'THIRD_PARTY_NOTICES'), 'utf8');
    for (const name of [
      'libopencv-core',
      'libtiff',
      'libdav1d',
      'ONNX Runtime 1.',
      'abseil-cpp',
      'c2pa-node 0.',
    ])
      assert.ok(notices.includes(name), name);
  });

  it('is set up without Debian packages or a compiler, unless a build from source is asked for', async () => {
    const { stderr } = await node(unpacked, 'scripts/setup.mjs', '--system-only');
    assert.equal(stderr, '');
    const env = { PATH: '/nonexistent', npm_config_build_from_source: 'true' };
    const setUp = run(process.execPath, ['scripts/setup.mjs', '--system-only'], { cwd: unpacked, env });
    await assert.rejects(setUp, /this is no Debian system/);
  });

  const addon = (): string => join(unpacked, 'prebuilds', PLATFORM, 'telltale.node');
  const damages: { name: string; damage: () => void; expected: RegExp }[] = [
    {
      name: 'cut short',
      damage: () => writeFileSync(addon(), readFileSync(addon()).subarray(0, 300_000)),
      expected: /telltale\.node is damaged, it has 300000 of \d+ bytes/,
    },
    {
      name: "another architecture's",
      // The machine of an ELF file: 0xf3 is RISC-V.
      damage: () => {
        const bytes = readFileSync(addon());
        bytes[18] = 0xf3;
        writeFileSync(addon(), bytes);
      },
      expected: /engine does not load: .*telltale\.node/,
    },
    {
      name: 'none for this platform',
      damage: () => renameSync(join(unpacked, 'prebuilds'), join(unpacked, 'away')),
      expected: new RegExp(`there is none for ${PLATFORM}; run 'npm rebuild telltale'`),
    },
  ];
  for (const { name, damage, expected } of damages)
    it(`says in one line what is wrong: ${name}`, async () => {
      const whole = join(folder, 'telltale.node');
      copyFileSync(addon(), whole);
      damage();
      try {
        await assert.rejects(findingsIn(unpacked), ({ code, stderr }: { code: number; stderr: string }) => {
          assert.match(stderr, expected);
          assert.equal(stderr.trim().split('\n').length, 1, stderr);
          return code > 0;
        });
      } finally {
        if (name.startsWith('none')) renameSync(join(unpacked, 'away'), join(unpacked, 'prebuilds'));
        copyFileSync(whole, addon());
      }
    });
});
