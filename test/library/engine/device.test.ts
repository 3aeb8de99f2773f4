// Tests the choice of an engine's device, and options that are validated before anything is loaded.
import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { createEngine } from '../../../src/library/engine/native/engine.js';
import type { Engine } from '../../../src/library/engine/types.js';
import { StartError } from '../../../src/library/base/errors.js';
import { makeFolder } from '../../support/folders.js';

describe('the device on which an engine computes', () => {
  it('is chosen by the option "auto", which states the reason for the choice', async () => {
    const engine = await createEngine({ device: 'auto', threads: 3 });
    const { device, deviceReason, threads, onnxRuntimeVersion } = engine.stats();
    await engine.close();
    assert.ok(['cpu', 'cuda', 'tensorrt'].includes(device));
    assert.match(
      deviceReason,
      device === 'cpu' ? /^cpu, because tensorrt is unavailable: .+; cuda is unavailable: ./ : /fastest/,
    );
    assert.ok(threads.decode + threads.batchers + (threads.intraOp - 1) * threads.decode <= 3);
    assert.match(onnxRuntimeVersion, /^\d+\.\d+\.\d+$/);
  });

  it('leads to an error with a reason if the requested device is unavailable', async function () {
    for (const device of ['cuda', 'tensorrt'] as const) {
      let engine: Engine;
      try {
        engine = await createEngine({ device });
      } catch (error) {
        assert.ok(error instanceof StartError && error.code === 'device_unavailable');
        assert.match(error.message, new RegExp(`^${device} is unavailable: .{10}`));
        continue;
      }
      await engine.close();
      this.skip();
    }
  });

  it('is validated, like every option, before any file is loaded', async () => {
    const faults: [object, string][] = [
      [
        { device: 'gpu' },
        `Expected one of "auto", "cpu", "cuda", "tensorrt" for 'device' but received 'gpu'`,
      ],
      [{ threads: 0 }, "Expected a whole number from 1 to 1024 for 'threads' but received 0"],
      [{ threads: 1.5 }, "Expected a whole number from 1 to 1024 for 'threads' but received 1.5"],
      [{ queueLimit: -1 }, "Expected a whole number from 0 to 100000 for 'queueLimit' but received -1"],
      [{ views: 9 }, "Expected a whole number from 1 to 8 for 'views' but received 9"],
      [{ modelsDir: '' }, "Expected the path of a folder for 'modelsDir' but received ''"],
      [{ cacheDir: 5 }, "Expected the path of a folder for 'cacheDir' but received 5"],
    ];
    for (const [options, message] of faults) {
      await assert.rejects(createEngine(options), { name: 'StartError', code: 'config_invalid', message });
    }
    await assert.rejects(createEngine({ cacheDir: '/dev/null/cache' }), {
      code: 'config_invalid',
      message: /^the cache folder \/dev\/null\/cache\/[0-9a-f]{16} can't be created \(ENOTDIR\)$/,
    });
  });

  it('has a separate cache folder for each set of networks', async () => {
    const cacheDir = makeFolder('cache');
    await (await createEngine({ device: 'cpu', threads: 1, cacheDir })).close();
    const [folder, ...others] = await readdir(cacheDir);
    assert.match(folder ?? '', /^[0-9a-f]{16}$/);
    assert.deepEqual(others, []);
  });
});
