// Tests that dependencies, documents, container image and set-up agree with the Node version that
// package.json requires.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { ROOT } from '../support/telltale.js';

const run = promisify(execFile);
const read = (name: string): string => readFileSync(join(ROOT, name), 'utf8');
const parse = (name: string): unknown => JSON.parse(read(name));

interface Manifest {
  readonly engines: { readonly node: string };
}
interface Fetched {
  readonly optionalDependencies: Readonly<Record<string, string>>;
}
interface Locked {
  readonly packages: Readonly<Record<string, { dev?: boolean; engines?: { node?: string } }>>;
}

describe('the oldest supported Node version', () => {
  const { engines } = parse('package.json') as Manifest;
  const [least] = /(?<=^>=)\d+\.\d+$/.exec(engines.node)!;

  it('satisfies every dependency, so that npm with engine-strict installs them', () => {
    const { packages } = parse('package-lock.json') as Locked;
    assert.equal(packages['']?.engines?.node, engines.node);
    const refusing = Object.entries(packages).filter(([, { dev, engines: asked }]) => {
      const lowest = /^>= ?v?(\d+(?:\.\d+)?)/.exec(asked?.node ?? '');
      return dev !== true && lowest !== null && compare(lowest[1]!, least) > 0;
    });
    assert.deepEqual(refusing, []);
  });

  it('is the same in the documents, the container image and the set-up', () => {
    for (const name of ['README.md', 'docs/operating.md', 'CONTRIBUTING.md'])
      assert.deepEqual(read(name).match(/\d+(\.\d+)* or newer/g), [`${least} or newer`], name);
    const [, major] = /\bnode:(\d+)-bookworm/.exec(read('deploy/Dockerfile'))!;
    assert.ok(Number(major) >= Number.parseInt(least));
    const { optionalDependencies } = parse('scripts/setup/node/package.json') as Fetched;
    for (const version of Object.values(optionalDependencies))
      assert.ok(compare(version, least) >= 0, version);
  });

  it('is compared correctly with older and newer versions by the set-up', async () => {
    const [major, minor] = least.split('.').map(Number) as [number, number];
    const versions = [`${major - 2}.99.0`, `${major}.${minor - 1}.9`, `${least}.0`, `${major + 1}.0.0`];
    const program = `import { isNewEnough } from './scripts/setup/node-version.mjs';
      console.log(JSON.stringify(${JSON.stringify(versions)}.map((version) => isNewEnough(version))));`;
    const { stdout } = await run(process.execPath, ['--input-type=module', '-e', program], { cwd: ROOT });
    assert.deepEqual(JSON.parse(stdout), [false, false, true, true]);
  });

  it('lets the set-up refuse an older Node in one line before loading newer code', async () => {
    const versions = "{ ...process.versions, node: '20.20.2' }";
    const claim = `data:text/javascript,Object.defineProperty(process, 'versions', { value: ${versions} })`;
    const telltale = (...args: string[]): Promise<{ stdout: string }> =>
      run(process.execPath, ['--import', claim, ...args], { cwd: ROOT });
    const refusal = `Telltale needs Node ${least} or newer; this is 20.20.2`;
    await assert.rejects(telltale('dist/cli/main.js', 'serve'), {
      code: 1,
      stderr: `telltale: ${refusal}\n`,
    });
    const library = `import('./dist/index.js').catch(({ message }) => console.log(message))`;
    assert.equal((await telltale('--input-type=module', '-e', library)).stdout, `${refusal}\n`);
  });
});

/**
 * Compares the first two numbers of two versions: the result is below, equal to or above 0 like `one` is
 * older, equal or newer.
 */
function compare(one: string, other: string): number {
  const [major, minor = 0] = one.split('.').map(Number) as [number, number?];
  const [otherMajor, otherMinor = 0] = other.split('.').map(Number) as [number, number?];
  return major - otherMajor || minor - otherMinor;
}
