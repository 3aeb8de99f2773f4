// Tests the ordered list of everything that an image declares and shows, and the searched part of long texts.
import assert from 'node:assert/strict';
import { collectMarks, readMarks, strongestAiMark } from '../../../../src/library/check/marks/marks.js';
import { findRule } from '../../../../src/library/check/marks/rules.js';
import type { Mark } from '../../../../src/library/check/types.js';
import type { MetadataText, PixelMarks } from '../../../../src/library/engine/types.js';

const NOTHING: PixelMarks = { visible: [], watermarks: [] };
const EDITOR: MetadataText = { where: 'exif', name: 'Software', text: 'GIMP 2.10' };
const CREDIT: MetadataText = { where: 'iptc', name: 'Credit', text: 'Made with Google AI' };
const CAMERA: MetadataText[] = [
  { where: 'exif', name: 'Make', text: 'Canon' },
  { where: 'exif', name: 'Model', text: 'EOS R6' },
  { where: 'exif', name: 'ISO', text: '100' },
  { where: 'exif', name: 'FNumber', text: '2.8' },
];
const brief = (marks: readonly Mark[]): readonly string[] =>
  marks.map(({ kind, says, generator }) => `${kind} ${says} ${generator ?? '-'}`);

describe('the list of marks (signs of how an image was made)', () => {
  it('contains visible signs, statements, watermarks, cameras and editors in this order', () => {
    const found: PixelMarks = {
      watermarks: [{ generator: 'Stable Diffusion XL', matchingBits: 47, bits: 48 }],
      visible: [{ generator: 'Google Gemini', sign: 'four-pointed star', box: [9, 8, 48, 40] }],
    };
    const may: MetadataText = { where: 'png', name: 'AIGC', text: '{"Label":"2"}' };
    const edited: MetadataText = { where: 'iptc', name: 'Credit', text: 'Edited with Google AI' };
    const marks = collectMarks([EDITOR, ...CAMERA, may, edited], found, { generator: 'Dreamina Web' });
    assert.deepEqual(brief(marks), [
      'visible generated Google Gemini',
      'software generated Dreamina',
      'credit edited Google AI',
      'aigc_label possibly_generated -',
      'watermark generated Stable Diffusion XL',
      'camera camera -',
      'editor edited -',
    ]);
    assert.deepEqual(marks[0], {
      kind: 'visible',
      generator: 'Google Gemini',
      says: 'generated',
      where: 'pixels',
      value: 'four-pointed star, 48 x 40 px',
      box: [9, 8, 48, 40],
    });
    assert.deepEqual(
      marks
        .filter(({ kind }) => kind === 'watermark' || kind === 'software')
        .map(({ where, value }) => [where, value]),
      [
        ['c2pa:softwareAgent', 'Dreamina Web'],
        ['pixels', '47 of 48 bits of its known message'],
      ],
    );
  });

  it('can be made from metadata texts only, and contains each kind, generator and statement once', () => {
    const twice: MetadataText[] = [
      CREDIT,
      { where: 'xmp', name: '', text: 'no packet' },
      { ...CREDIT },
      EDITOR,
    ];
    assert.deepEqual(brief(collectMarks(twice, NOTHING, null)), [
      'credit generated Google AI',
      'editor edited -',
    ]);
    assert.deepEqual(collectMarks([], NOTHING, { generator: null }), []);
  });

  it('names an unknown creator as written in the file, cut to 64 characters', () => {
    const [mark] = collectMarks([], NOTHING, { generator: 'x'.repeat(400) });
    assert.deepEqual([mark?.generator?.length, mark?.value.length], [64, 300]);
  });
});

describe('the strongest mark of AI', () => {
  it('is never a camera or an ordinary editor', () => {
    const all = collectMarks([EDITOR, ...CAMERA, CREDIT], NOTHING, null);
    assert.equal(strongestAiMark(all)?.kind, 'credit');
    assert.equal(strongestAiMark(all.filter(({ kind }) => kind !== 'credit')), null);
    assert.equal(strongestAiMark(collectMarks([EDITOR], NOTHING, null)), null);
    assert.equal(strongestAiMark([]), null);
  });
});

describe('the search for a statement in metadata text', () => {
  it('finds a statement at the start, middle and end of a text of 65,536 characters', () => {
    const statement = ' Steps: 20, Sampler: Euler ';
    const rest = 65_536 - statement.length;
    for (const before of [0, 4096, 30_000, rest]) {
      const text = 'x'.repeat(before) + statement + 'x'.repeat(rest - before);
      assert.ok(findRule('png:parameters', text), `after ${before} characters`);
    }
  });
});

describe('the metadata signature of the generator Grok', () => {
  const SIGNATURE = `Signature: ${'A'.repeat(88)}==`;
  const artist = { where: 'exif', name: 'Artist', text: ' 0b7c9a52-6a31-4a52-9a7b-2f6b1c0d9e11\n' } as const;

  it('is recognized only if both of its fields are present, with or without white space', () => {
    const signed = { where: 'exif', name: 'ImageDescription', text: ` ${SIGNATURE}\n` } as const;
    assert.deepEqual(readMarks([artist, signed]), [
      {
        kind: 'job_id',
        generator: 'Grok',
        says: 'generated',
        where: 'exif:ImageDescription',
        value: SIGNATURE,
      },
    ]);
    for (const texts of [[signed], [artist], [{ ...artist, name: 'Software' }, signed]])
      assert.deepEqual(readMarks(texts), []);
  });
});
