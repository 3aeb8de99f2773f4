// Tests the search for a manifest in an image header, which decides whether the credential reader runs.
import assert from 'node:assert/strict';
import { createEngine } from '../../../../src/library/engine/native/engine.js';
import type { Engine } from '../../../../src/library/engine/types.js';
import { openStudio, SIGNABLE_FORMATS, type Studio } from '../../../support/studio.js';
import { modelsDir } from '../../../support/test-models.js';

describe('the search for a manifest in an image header', () => {
  let engine: Engine;
  let studio: Studio;

  before(async () => {
    studio = await openStudio();
    engine = await createEngine({ modelsDir, device: 'cpu', threads: 1 });
  });

  after(async () => {
    await engine.close();
    await studio.close();
  });

  for (const format of SIGNABLE_FORMATS) {
    it(`finds the manifest of a ${format} file, and none in a plain file`, async () => {
      const [plain, signed] = [
        await engine.sniff(await studio.picture(format)),
        await engine.sniff(await studio.sign(format)),
      ];
      assert.deepEqual([plain.hasManifest, signed.hasManifest], [false, true]);
      assert.deepEqual({ ...signed, hasManifest: false }, plain);
    });
  }

  it('finds none if a file only contains the address of a remote manifest', async () => {
    const remote = await studio.sign('jpeg', { remoteUrl: 'https://example.org/m.c2pa', embed: false });
    assert.equal((await engine.sniff(remote)).hasManifest, false);
  });
});
