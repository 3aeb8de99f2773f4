// Tests file names that are not UTF-8: they are converted to text and back without loss.
import assert from 'node:assert/strict';
import { toFileName, toFilePath } from '../../../src/library/base/files.js';
import { visibleText } from '../../../src/library/base/visible-text.js';

describe('a file name from the file system', () => {
  const names: readonly (readonly [title: string, bytes: readonly number[], shown: string])[] = [
    ['in ASCII', [0x61, 0x2e, 0x6a], 'a.j'],
    ['in UTF-8', [...Buffer.from('ü日😀')], 'ü日😀'],
    ['in Latin-1', [0x63, 0xe9, 0x2e], 'c\\xe9.'],
    ['cut off within a character', [0xe6, 0x97], '\\xe6\\x97'],
    [
      'mixing UTF-8 with other bytes',
      [0xff, ...Buffer.from('é😀'), 0xf0, 0x9f, 0x98],
      '\\xffé😀\\xf0\\x9f\\x98',
    ],
    ['with surrogates encoded as bytes', [0xed, 0xb3, 0xa9], '\\xed\\xb3\\xa9'],
    ['with a byte order mark', [0xef, 0xbb, 0xbf, 0x61, 0xff], '\\ufeffa\\xff'],
  ];
  for (const [title, bytes, shown] of names) {
    it(`${title} can be displayed, and converted back to the same bytes`, () => {
      const name = toFileName(Buffer.from(bytes));
      assert.deepEqual([...Buffer.from(toFilePath(name) as string)], bytes);
      assert.deepEqual(JSON.parse(JSON.stringify(name)), name);
      assert.equal(visibleText(name), shown);
    });
  }

  it('with Unicode surrogates that stand for no byte is converted as Node does', () => {
    assert.equal(toFilePath('\ud83da'), '\ud83da');
    assert.deepEqual(toFilePath('\ud83d\udce9'), Buffer.from('📩'));
  });
});
