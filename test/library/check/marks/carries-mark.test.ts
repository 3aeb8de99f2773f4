// Tests whether a result has a mark of certain kinds.
import assert from 'node:assert/strict';
import { carriesMark } from '../../../../src/library/check/marks/carries-mark.js';

describe('the search for a kind of mark (a sign of how an image was made)', () => {
  it("succeeds if one of the image's marks is of a requested kind", () => {
    const result = { details: { marks: [{ kind: 'camera' }, { kind: 'editor' }] } };
    assert.equal(carriesMark(result, ['editor', 'visible']), true);
    assert.equal(carriesMark(result, ['visible']), false);
    for (const none of [{}, { details: {} }, { details: { marks: [] } }, { error: { code: 'x' } }])
      assert.equal(carriesMark(none, ['editor']), false);
  });
});
