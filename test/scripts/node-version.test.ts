// One truth of which Node is asked for: package.json's, which dependencies, documents, image and set-up agree with.
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
interface Locked {
  readonly packages: Readonly<Record<string, { dev?: boolean; engines?: { node?: string } }>>;
}

describe('the Node that is asked for', () => {
  const { engines } = parse('package.json') as Manifest;
  const least = Number(/^>=(\d+)$/.exec(engines.node)?.[1]);

  it('is one that every package in use takes, so that npm with engine-strict installs them', () => {
    const { packages } = parse('package-lock.json') as Locked;
    assert.equal(packages['']?.engines?.node, engines.node);
    const refusing = Object.entries(packages).filter(([, { dev, engines: asked }]) => {
      const lowest = /^>= ?v?(\d+)/.exec(asked?.node ?? '');
      return dev !== true && lowest !== null && Number(lowest[1]) > least;
    });
    assert.deepEqual(refusing, []);
  });

  it('is what documents and the image say', () => {
    for (const name of ['README.md', 'docs/operating.md', 'CONTRIBUTING.md'])
      assert.deepEqual(read(name).match(/Node \d+(\.\d+)* or newer/g), [`Node ${least} or newer`], name);
    for (const [, major] of read('deploy/Dockerfile').matchAll(/^FROM node:(\d+)/gm))
      assert.ok(Number(major) >= least);
  });

  it('is looked at by the set-up, which says so of an older one', async () => {
    const check = async (version: string): Promise<string> => {
      const program = `import { checkNode } from './scripts/setup/node-version.mjs'; checkNode('${version}');`;
      return (await run(process.execPath, ['--input-type=module', '-e', program], { cwd: ROOT })).stderr;
    };
    assert.match(await check(`${least - 1}.20.2`), new RegExp(`made for Node ${least} or newer`));
    assert.equal(await check(`${least}.0.0`), '');
  });
});
