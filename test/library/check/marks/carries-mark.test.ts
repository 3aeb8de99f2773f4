// Tests whether a result has a mark of certain kinds.
import assert from 'node:assert/strict';
import { carriesMark } from '../../../../src/library/check/marks/kinds.js';

describe('the search for marks (signs of how an image was made) of given kinds', () => {
  it('succeeds if an image has a mark of a given kind', () => {
    const result = { details: { marks: [{ kind: 'camera' }, { kind: 'editor' }] } };
    assert.equal(carriesMark(result, ['editor', 'visible']), true);
    assert.equal(carriesMark(result, ['visible']), false);
    for (const none of [{}, { details: {} }, { details: { marks: [] } }, { error: { code: 'x' } }])
      assert.equal(carriesMark(none, ['editor']), false);
  });
});
