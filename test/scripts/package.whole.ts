// Tests the package with the engine from `npm run prebuild`, which needs neither a compiler nor system
// libraries for images.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { makeFolder } from '../support/folders.js';
import { ROOT } from '../support/telltale.js';

const run = promisify(execFile);
const PORTRAIT = join(ROOT, 'samples/portrait.png');
const SIGNED = join(ROOT, 'samples/scene-signed-ai.jpg');
const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
  version: string;
};
const PLATFORM = `linux-${process.arch}`;

/** Runs Node in a folder without the environment variables of this process. */
const node = (folder: string, ...args: string[]): Promise<{ stdout: string; stderr: string }> =>
  run(process.execPath, args, { cwd: folder, env: { PATH: '/nonexistent' }, timeout: 120_000 });

const findingsIn = async (folder: string, image = PORTRAIT): Promise<unknown> => {
  const { stdout } = await node(folder, 'dist/cli/main.js', 'check', '--json', image);
  const { scores, content_credentials } = JSON.parse(stdout) as Record<string, unknown>;
  return { scores, content_credentials };
};

describe('the npm packages with the compiled engine', function () {
  this.timeout(1_800_000);
  const folder = makeFolder('package');
  const modules = join(folder, 'node_modules');
  const unpacked = join(modules, 'telltale');
  const library = join(modules, 'telltale-engine');

  // Installs both tarballs as an embedding program does. npm takes the dependencies from its cache if
  // possible.
  before(async () => {
    const pack = ['pack', '--ignore-scripts=false', '--pack-destination', folder, '--loglevel=error'];
    await run('npm', pack, { cwd: ROOT, maxBuffer: 10_000_000 });
    writeFileSync(join(folder, 'package.json'), '{}');
    const engine = join(folder, `telltale-engine-${VERSION}.tgz`);
    await run('npm', ['install', '--prefer-offline', '--no-audit', '--no-fund', engine], { cwd: folder });
    const service = join(folder, `telltale-${VERSION}.tgz`);
    mkdirSync(unpacked);
    await run('tar', ['-xzf', service, '--strip-components=1', '-C', unpacked]);
    // Links the dependencies of the service, so that no network is needed.
    for (const name of readdirSync(join(ROOT, 'node_modules')))
      if (!existsSync(join(modules, name)))
        symlinkSync(join(ROOT, 'node_modules', name), join(modules, name));
  });

  it('install together with at most 12 packages', () => {
    const { packages } = JSON.parse(readFileSync(join(modules, '.package-lock.json'), 'utf8')) as {
      packages: object;
    };
    assert.ok(Object.keys(packages).length <= 12, Object.keys(packages).join());
  });

  it('work as an ES module, through `require` and in a worker thread, with equal scores', async () => {
    const body = `createChecker().then(async (checker) => {
      const report = await checker.check(require('node:fs').readFileSync(${JSON.stringify(PORTRAIT)}));
      console.log(JSON.stringify([report.fullImageScore, report.faceScore]));
      await checker.close();
    });`;
    const makeRequire =
      "import { createRequire } from 'node:module'; const require = createRequire(import.meta.url);";
    writeFileSync(
      join(folder, 'esm.mjs'),
      `import { createChecker } from 'telltale-engine'; ${makeRequire} ${body}`,
    );
    writeFileSync(join(folder, 'cjs.cjs'), `const { createChecker } = require('telltale-engine'); ${body}`);
    writeFileSync(
      join(folder, 'worker.cjs'),
      "new (require('node:worker_threads').Worker)(__dirname + '/esm.mjs');",
    );
    const outputs = await Promise.all(
      ['esm.mjs', 'cjs.cjs', 'worker.cjs'].map(async (name) => (await node(folder, name)).stdout.trim()),
    );
    const [first = ''] = outputs;
    assert.match(first, /^\[0\.\d+,0\.\d+\]$/);
    assert.deepEqual(outputs, [first, first, first]);
  });

  for (const [resolution, module, extension] of [
    ['bundler', 'es2022', 'ts'],
    ['node16', 'node16', 'mts'],
    ['nodenext', 'nodenext', 'cts'],
    ['node10', 'es2022', 'ts'],
  ] as const)
    it(`have types for strict TypeScript programs with moduleResolution ${resolution} (.${extension})`, async () => {
      const file = join(folder, `${resolution}.${extension}`);
      writeFileSync(
        file,
        `import { createChecker, presentCheck, CheckError, type CheckReport } from 'telltale-engine';
        export const isAi = async (bytes: Uint8Array): Promise<boolean> => {
          const report: CheckReport = await (await createChecker({ profile: 'strict' })).check(bytes);
          // @ts-expect-error: a misspelt field does not compile.
          report.isAI;
          return presentCheck(report).is_ai;
        };
        export const codeOf = (error: unknown) => (error instanceof CheckError ? error.code : null);`,
      );
      const tsc = join(ROOT, 'node_modules/typescript/bin/tsc');
      const options = [
        '--noEmit',
        '--strict',
        '--target',
        'es2022',
        '--types',
        'node',
        '--ignoreDeprecations',
        '6.0',
      ];
      const kind = ['--module', module, '--moduleResolution', resolution];
      await run(process.execPath, [tsc, ...options, ...kind, file], { cwd: folder }).catch((fault: unknown) =>
        assert.fail((fault as { stdout: string }).stdout),
      );
    });

  it('return the same scores and credentials as the build in this checkout', async () => {
    for (const image of [PORTRAIT, SIGNED])
      assert.deepEqual(await findingsIn(unpacked, image), await findingsIn(ROOT, image));
  });

  it('load their own libraries, and of the system libraries only those that Node loads anyway', async () => {
    const loader = join(library, 'dist/engine/native/binding.js');
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
      (path) => !path.startsWith(join(library, 'prebuilds')) && !/librt/.test(path),
    );
    assert.deepEqual(foreign, []);
    const notices = readFileSync(join(library, 'prebuilds', PLATFORM, 'THIRD_PARTY_NOTICES'), 'utf8');
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

  it('need no Debian package or compiler for installation, unless a build from source is requested', async () => {
    const { stderr } = await node(library, 'scripts/setup.mjs', '--system-only');
    assert.equal(stderr, '');
    const env = { PATH: '/nonexistent', npm_config_build_from_source: 'true' };
    const setUp = run(process.execPath, ['scripts/setup.mjs', '--system-only'], { cwd: library, env });
    await assert.rejects(setUp, /this is no Debian system/);
  });

  const addon = (): string => join(library, 'prebuilds', PLATFORM, 'telltale.node');
  const damages: { name: string; damage: () => void; expected: RegExp }[] = [
    {
      name: 'that the engine file is truncated',
      damage: () => writeFileSync(addon(), readFileSync(addon()).subarray(0, 300_000)),
      expected: /telltale\.node is damaged: it has 300000 of \d+ bytes/,
    },
    {
      name: 'that the engine file is for another architecture',
      // Changes the machine field of the addon's ELF file to RISC-V (0xf3).
      damage: () => {
        const bytes = readFileSync(addon());
        bytes[18] = 0xf3;
        writeFileSync(addon(), bytes);
      },
      expected: /engine does not load: .*telltale\.node/,
    },
    {
      name: 'that there is no engine for this platform',
      damage: () => renameSync(join(library, 'prebuilds'), join(library, 'away')),
      expected: new RegExp(`there is no build for ${PLATFORM}; run 'npm rebuild telltale-engine'`),
    },
  ];
  for (const { name, damage, expected } of damages)
    it(`explain in one line ${name}`, async () => {
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
        if (!existsSync(addon())) renameSync(join(library, 'away'), join(library, 'prebuilds'));
        copyFileSync(whole, addon());
      }
    });
});
