// Tests reading the algorithms of soft bindings (invisible watermarks to which a manifest refers).
import assert from 'node:assert/strict';
import type { Assertion } from '../../../../src/library/check/credentials/find-credentials.js';
import { readSoftBindings } from '../../../../src/library/check/credentials/read-manifest.js';
import { openStudio } from '../../../support/studio.js';

function read(...lists: (readonly Assertion[])[]): readonly string[] {
  return readSoftBindings({
    manifests: Object.fromEntries(lists.map((assertions, at) => [`urn:${at}`, { assertions }])),
  });
}
const binding = (alg: unknown, label = 'c2pa.soft-binding'): Assertion => ({
  label,
  data: { alg, blocks: [] },
});

describe('soft bindings (invisible watermarks to which a manifest refers)', () => {
  it('are named by algorithm, from all manifests and several assertions', () => {
    assert.deepEqual(
      read(
        [binding('com.adobe.trustmark.P'), binding('com.microsoft.invismark.1', 'c2pa.soft-binding__1')],
        [binding('com.adobe.trustmark.P')],
      ),
      ['com.adobe.trustmark.P', 'com.microsoft.invismark.1', 'com.adobe.trustmark.P'],
    );
  });

  it('are absent if the manifest mentions none', () => {
    assert.deepEqual(readSoftBindings({}), []);
    assert.deepEqual(read([{ label: 'c2pa.actions', data: { alg: 'x' } }], []), []);
  });

  it("are ignored if the algorithm's name is malformed", () => {
    const malformed = [null, undefined, 'text', [], { alg: 7 }].map((data) => ({
      label: 'c2pa.soft-binding',
      data,
    }));
    assert.deepEqual(read(malformed), []);
  });

  it('are read from a signed image', async () => {
    const studio = await openStudio();
    try {
      const data = { alg: 'com.adobe.trustmark.P', blocks: [{ scope: {}, value: 'MipQ' }] };
      const image = await studio.sign('jpeg', { assertions: { 'c2pa.soft-binding': data } });
      const found = await studio.reader.read(image, { format: 'jpeg' });
      assert.deepEqual([found?.state, found?.softBindings], ['verified', ['com.adobe.trustmark.P']]);
      const plain = await studio.reader.read(await studio.sign('jpeg'), { format: 'jpeg' });
      assert.deepEqual(plain?.softBindings, []);
    } finally {
      await studio.close();
    }
  });
});
