// Tests parsing JSON from untrusted senders: a text with too many parts is never parsed.
import assert from 'node:assert/strict';
import { countMembers, JsonFault, parseBounded } from '../../../src/library/base/bounded-json.js';

const kindOf = (text: string | Uint8Array, most: number): string => {
  try {
    parseBounded(Buffer.from(text), most);
    return 'parsed';
  } catch (error) {
    assert.ok(error instanceof JsonFault);
    return error.kind;
  }
};

describe('the JSON parser with a limit on the number of values', () => {
  it('counts objects, lists, members and items at any depth before parsing', () => {
    const names = (count: number): string =>
      `{${Array.from({ length: count }, (_, index) => `"n${index}":1`).join(',')}}`;
    assert.deepEqual(parseBounded(Buffer.from(names(10)), 20), JSON.parse(names(10)));
    for (const text of [
      names(11),
      `[${'1,'.repeat(20)}1]`,
      '['.repeat(21),
      '{"a":'.repeat(11),
      ','.repeat(21),
    ])
      assert.equal(kindOf(text, 20), 'too_many_parts', text);
  });

  it('ignores brackets and commas inside strings when counting', () => {
    const text = { 'a:b,c[d{': '\\",:[{\\\\'.repeat(50), 'x"y\\': '"' };
    assert.deepEqual(parseBounded(Buffer.from(JSON.stringify(text)), 4), text);
    assert.equal(countMembers(Buffer.from(JSON.stringify(text))), 2);
  });

  it('reports invalid UTF-8 and invalid JSON', () => {
    assert.equal(kindOf(Uint8Array.of(0x22, 0xff, 0x22), 5), 'not_utf8');
    for (const text of ['', '{', '"abc', '"abc\\"', '[1,]', 'nul'])
      assert.equal(kindOf(text, 5), 'not_json', text);
  });
});
