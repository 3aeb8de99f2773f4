// Tests text for terminals: escapes, widths and wrapping.
import assert from 'node:assert/strict';
import stringWidth from 'string-width';
import { cutColumns, formatTable, padColumns, wrapColumns } from '../../../src/tables/columns.js';
import { visibleJson, visibleText } from '../../../src/library/base/visible-text.js';

describe('text printed on a terminal', () => {
  it('has escapes in place of characters that control a terminal, break a line or reorder text', () => {
    assert.equal(
      visibleText('a\u001b[31m\n\u009b\u202e\u2028b'),
      'a\\u001b[31m\\u000a\\u009b\\u202e\\u2028b',
    );
  });

  it('is otherwise unchanged, in any script', () => {
    assert.equal(visibleText('Füße 猫 😀.jpg'), 'Füße 猫 😀.jpg');
  });
});

describe('JSON printed on a terminal', () => {
  it('parses to the same value and contains no control characters except line breaks', () => {
    const value = { file: 'x\u001b\u007f\u009b\u202e\u{e0001}猫.jpg', line: 'a\nb' };
    const json = visibleJson(JSON.stringify(value, null, 2));
    assert.deepEqual(JSON.parse(json), value);
    assert.doesNotMatch(json, /(?!\n)[\p{Cc}\p{Cf}]/u);
  });
});

describe('terminal columns', () => {
  it('are padded and cut by the displayed width of their text', () => {
    assert.equal(stringWidth(padColumns('猫', 6)), 6);
    assert.equal(cutColumns('short', 10), 'short');
    assert.equal(cutColumns('abcdefghij', 7), 'abc…hij');
    assert.ok(stringWidth(cutColumns('猫'.repeat(50), 20)) <= 20);
  });

  it('wrap at spaces and keep long words whole', () => {
    assert.deepEqual(wrapColumns('one two three', 7), ['one two', 'three']);
    assert.deepEqual(wrapColumns('unbreakable it is', 4), ['unbreakable', 'it', 'is']);
    assert.deepEqual(wrapColumns('one two three', Infinity), ['one two three']);
  });

  it('form a table in which equal columns are aligned', () => {
    assert.deepEqual(
      formatTable([
        ['a', 'bb'],
        ['ccc', 'd'],
      ]),
      ['a    bb', 'ccc  d'],
    );
  });
});
