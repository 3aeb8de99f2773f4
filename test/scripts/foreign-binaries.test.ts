// Tests which files of onnxruntime-node the set-up deletes.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { makeFolder } from '../support/folders.js';
import { ROOT } from '../support/telltale.js';

const SYSTEMS = ['darwin/arm64', 'linux/arm64', 'linux/x64', 'win32/x64'];

describe('ONNX Runtime libraries for other systems', () => {
  let app: string;
  beforeEach(() => (app = makeFolder('foreign')));

  const install = (folder: string): void => {
    for (const system of SYSTEMS) {
      const path = join(folder, 'onnxruntime-node/bin/napi-v6', system, 'libonnxruntime.so.1');
      mkdirSync(dirname(path), { recursive: true });
      writeFileSync(path, Buffer.alloc(1_000_000));
    }
  };
  const listSystems = (folder: string): string[] => {
    const bin = join(folder, 'onnxruntime-node/bin/napi-v6');
    return readdirSync(bin)
      .flatMap((system) => readdirSync(join(bin, system)).map((arch) => `${system}/${arch}`))
      .sort();
  };
  const remove = (folder: string, archs = ['x64']): string => {
    const options = JSON.stringify({ folder, platform: 'linux', archs });
    const program = `import { removeForeignBinaries } from './scripts/setup/foreign-binaries.mjs';
      console.error = console.log;
      removeForeignBinaries(${options});`;
    return execFileSync(process.execPath, ['--input-type=module', '-e', program], {
      cwd: ROOT,
      encoding: 'utf8',
    });
  };

  it('are removed from a checkout, and the freed space is reported once', () => {
    install(join(app, 'node_modules'));
    assert.match(remove(app), /removed 3 MB of ONNX Runtime for other systems/);
    assert.deepEqual(listSystems(join(app, 'node_modules')), ['linux/x64']);
    assert.deepEqual(readdirSync(join(app, 'node_modules/onnxruntime-node/bin/napi-v6')), ['linux']);
    assert.equal(remove(app), '');
  });

  it('are kept for this machine and for the target of a cross build', () => {
    install(join(app, 'node_modules'));
    assert.match(remove(app, ['x64', 'arm64']), /removed 2 MB/);
    assert.deepEqual(listSystems(join(app, 'node_modules')), ['linux/arm64', 'linux/x64']);
  });

  it('are removed from a telltale package built from source, and from no other folder', () => {
    const telltale = join(app, 'node_modules/telltale');
    install(join(telltale, 'native/node_modules'));
    install(join(app, 'node_modules'));
    assert.match(remove(telltale), /removed 3 MB/);
    assert.deepEqual(listSystems(join(telltale, 'native/node_modules')), ['linux/x64']);
    assert.deepEqual(listSystems(join(app, 'node_modules')), SYSTEMS);
  });

  it('cause no error if the package onnxruntime-node is absent', () => {
    assert.equal(remove(app), '');
  });
});
