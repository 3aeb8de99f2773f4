// Tests the message about an unknown field, which suggests a known name if the field looks misspelled.
import assert from 'node:assert/strict';
import { describeUnknown, findNearest } from '../../../src/library/base/unknown-field.js';

describe('the error message about an unknown field', () => {
  const names = ['threads', 'device', 'memoryMb', 'ref'];

  for (const [name, meant] of [
    ['thread', 'threads'],
    ['Threads', 'threads'],
    ['thraeds', 'threads'],
    ['trheadss', null],
    ['divice', 'device'],
    ['memorymb', 'memoryMb'],
    ['reff', 'ref'],
    ['rfee', null],
    ['memory', 'memoryMb'],
    ['cuda', null],
    ['', null],
    ['x'.repeat(1_000_000), null],
  ] as const)
    it(`suggests ${meant ?? 'no known name'} for '${name.slice(0, 20)}'`, () => {
      assert.equal(findNearest(name, names), meant);
    });

  it('contains the path of the field, the likely name and all known names', () => {
    assert.equal(
      describeUnknown('engine.thread', ['threads', 'device']),
      "'engine.thread' is not known here; did you mean 'threads'? Known are threads, device",
    );
    assert.equal(describeUnknown('cuda', ['threads']), "'cuda' is not known here; known are threads");
  });
});
