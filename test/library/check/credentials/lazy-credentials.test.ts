// The reader that opens its trust lists late: a fault on the way is one check's, and no reason not to stop.
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createLazyCredentialReader } from '../../../../src/library/check/credentials/lazy-credentials.js';
import { makeFolder } from '../../../support/folders.js';

describe('createLazyCredentialReader', () => {
  let folder: string;
  beforeEach(() => (folder = makeFolder('lazy')));

  it('tries again after lists that could not be read', async () => {
    const reader = createLazyCredentialReader({ shippedTrustDir: folder });
    await assert.rejects(reader.trust(), { code: 'ENOENT' });
    await assert.rejects(reader.read(new Uint8Array(1), { format: 'png' }), { code: 'ENOENT' });
    writeFileSync(join(folder, 'lists.json'), '{"date":"2026-01-01"}');
    assert.deepEqual((await reader.trust()).files, []);
    await reader.close();
  });

  it('closes after lists that could not be read, and while they fail', async () => {
    const reader = createLazyCredentialReader({ shippedTrustDir: folder });
    await assert.rejects(reader.trust(), { code: 'ENOENT' });
    await reader.close();
    const failing = assert.rejects(reader.trust(), { code: 'ENOENT' });
    await reader.close();
    await failing;
  });
});
