// The cheap look that decides whether the reader is called: it must see every manifest that is embedded, and no other.
import assert from 'node:assert/strict';
import { loadBinding } from '../../../src/engine/binding.js';
import { openStudio, SIGNABLE_FORMATS, type Studio } from '../../support/studio.js';

describe('sniffing signed pictures', () => {
  const binding = loadBinding();
  let studio: Studio;

  before(async () => {
    studio = await openStudio();
  });

  after(() => studio.close());

  for (const format of SIGNABLE_FORMATS) {
    it(`sees the manifest of a ${format} file, and none in a plain one`, async () => {
      const [plain, signed] = [
        binding.sniff(await studio.picture(format)),
        binding.sniff(await studio.sign(format)),
      ];
      assert.deepEqual([plain.hasManifest, signed.hasManifest], [false, true]);
      assert.deepEqual({ ...signed, hasManifest: false }, plain);
    });
  }

  it('sees none where a file only points to one', async () => {
    const remote = await studio.sign('jpeg', { remoteUrl: 'https://example.org/m.c2pa', embed: false });
    assert.equal(binding.sniff(remote).hasManifest, false);
  });
});
