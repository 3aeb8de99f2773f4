// Tests that the embedding example runs unchanged, and that the package exports what embedding programs need.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { copyFileSync, mkdirSync, symlinkSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as telltale from 'telltale';
import { makeFolder } from '../support/folders.js';
import { ROOT, fixture } from '../support/telltale.js';

interface Answer {
  readonly decision?: string;
  readonly check?: { readonly id: string; readonly is_ai: boolean };
  readonly error?: { readonly code: string };
}

describe('the example program that embeds the library', () => {
  it('responds to an upload with a decision or an error code, and stops on request', async () => {
    // The example is copied into a project whose package.json does not say whether files are modules.
    const folder = makeFolder('embed');
    const program = join(folder, 'upload-service.mts');
    copyFileSync(join(ROOT, 'examples/embed/upload-service.mts'), program);
    mkdirSync(join(folder, 'node_modules'));
    symlinkSync(join(ROOT, 'src/library'), join(folder, 'node_modules/telltale-engine'));
    symlinkSync(join(ROOT, 'node_modules/tsx'), join(folder, 'node_modules/tsx'));
    const child = spawn(process.execPath, ['--import', 'tsx', program, '0'], {
      cwd: folder,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = (await once(child.stdout.setEncoding('utf8'), 'data')) as [string];
    const post = async (bytes: Uint8Array): Promise<[number, Answer]> => {
      const response = await fetch(line.trim(), { method: 'POST', body: new Uint8Array(bytes) });
      return [response.status, (await response.json()) as Answer];
    };
    try {
      const [status, answer] = await post(await readFile(fixture('jpeg/scene.jpg')));
      assert.equal(status, 200);
      assert.ok(['publish', 'ask a person'].includes(answer.decision ?? ''), answer.decision);
      assert.match(answer.check?.id ?? '', /^chk_/);
      const [refused, { error }] = await post(Buffer.from('no image'));
      assert.deepEqual([refused, error?.code], [415, 'unsupported_format']);
    } finally {
      child.kill('SIGTERM');
    }
    const [exitCode] = (await once(child, 'exit')) as [number | null];
    assert.equal(exitCode, 0);
  });
});

describe('the entry point of the package', () => {
  it('exports only documented parts of the library', () => {
    assert.deepEqual(Object.keys(telltale).sort(), [
      'CheckError',
      'DETAIL_NAMES',
      'DEVICE_NAMES',
      'ERROR_STATUS',
      'MEDIUM_NAMES',
      'PROFILE_NAMES',
      'StartError',
      'checkImage',
      'createChecker',
      'createEngine',
      'loadBands',
      'presentCheck',
    ]);
  });

  it('lets a program check images with an engine, thresholds and credential reader of its own', async () => {
    const engine = await telltale.createEngine({ device: 'cpu', threads: 1 });
    try {
      const bands = await telltale.loadBands(join(ROOT, 'models/bands.json'), engine.model);
      const credentials = { read: () => Promise.resolve(null) };
      const bytes = await readFile(fixture('png/scene.png'));
      const report = await telltale.checkImage(
        { engine, bands, credentials },
        { bytes, profile: 'sensitive' },
      );
      assert.equal(report.model, bands.model);
      assert.equal(telltale.presentCheck(report).profile, 'sensitive');
    } finally {
      await engine.close();
    }
  });
});
