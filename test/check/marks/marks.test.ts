// What files declare of themselves: one file by each program's own layout, through the native reader and the rules.
import assert from 'node:assert/strict';
import { readMarks, strongestAiMark } from '../../../src/check/marks/marks.js';
import type { Mark } from '../../../src/check/types.js';
import { loadBinding } from '../../../src/engine/binding.js';
import {
  exifBlock,
  exifSegment,
  iptcSegment,
  iTXt,
  jpegWith,
  pngWith,
  segment,
  tEXt,
  xmpPacket,
  xmpSegment,
} from '../../support/declared-pictures.js';
import { LAYOUTS, SETTINGS, CAMERA, EXPOSURE } from '../../support/mark-layouts.js';
import { readFixture } from '../../support/pictures.js';

const { readMetadata } = loadBinding();
const marksOf = (file: Uint8Array): readonly Mark[] => readMarks(readMetadata(file));
const brief = (file: Uint8Array): readonly string[] =>
  marksOf(file).map(({ kind, generator, says, where }) => `${kind} ${generator ?? '-'} ${says} ${where}`);

describe('marks', () => {
  for (const [layout, file, expected] of LAYOUTS) {
    it(layout, async () => assert.deepEqual(brief(await file), expected));
  }

  it('are not seen in files that declare nothing', () => {
    for (const name of [
      'jpeg/scene.jpg',
      'png/scene.png',
      'webp/scene.webp',
      'avif/scene.avif',
      'gif/scene.gif',
    ])
      assert.deepEqual(brief(readFixture(name)), []);
    for (const name of ['tiff/scene.tif', 'bmp/scene.bmp']) assert.deepEqual(brief(readFixture(name)), []);
  });

  it('are not seen in what only resembles them', () => {
    const innocent = [
      pngWith(
        tEXt('parameters', 'Steps to reproduce: open, save'),
        tEXt('prompt', 'name?'),
        tEXt('workflow', 'review'),
      ),
      pngWith(tEXt('Comment', 'Created with GIMP'), tEXt('Title', 'On NovelAI generated images')),
      jpegWith([exifSegment(exifBlock({ 0x010f: 'Canon', 0x0110: 'Canon EOS R6' }))]),
      jpegWith([xmpSegment(xmpPacket('', 'photoshop:Credit="AP / Example" xmp:CreatorTool="Ver.1.02"'))]),
      jpegWith([
        xmpSegment(
          xmpPacket('<Iptc4xmpExt:DigitalSourceType>algorithmicMedia</Iptc4xmpExt:DigitalSourceType>'),
        ),
      ]),
      pngWith(tEXt('AIGC', '{"Label":"0"}')),
      pngWith(tEXt('AIGC', '{"Label":"12"}')),
      jpegWith([segment(0xfe, Buffer.from('Job ID: 7'))]),
    ];
    for (const file of innocent) assert.deepEqual(brief(file), []);
  });

  it('never tell a position, nor more than 300 characters, nor control characters', () => {
    const long = `${'x'.repeat(500)}\n\u202E\0${SETTINGS}`;
    const [mark] = marksOf(pngWith(iTXt('parameters', `a\u0007b\n\u202E${long}`)));
    assert.equal([...mark!.value].length, 300);
    assert.doesNotMatch(mark!.value, /[\p{Cc}\p{Cf}]/u);
    const gps = exifBlock({ 0x8825: 8, 0x0131: 'GIMP 2.10' });
    assert.deepEqual(
      readMetadata(jpegWith([exifSegment(gps)])).map(({ name }) => name),
      ['Software'],
    );
  });

  it('are ranked: made by AI, edited by AI, possibly made by AI, camera, editor', () => {
    const file = jpegWith([
      exifSegment(exifBlock({ ...CAMERA, 0x0131: 'Snapseed 2.0' }, EXPOSURE)),
      xmpSegment(
        xmpPacket('<TC260:AIGC>{"Label":"2"}</TC260:AIGC>', 'photoshop:Credit="Edited with Google AI"'),
      ),
      iptcSegment({ 110: 'Made with Google AI' }),
    ]);
    assert.deepEqual(
      marksOf(file).map(({ kind, says }) => `${kind} ${says}`),
      [
        'credit generated',
        'credit edited',
        'aigc_label possibly_generated',
        'camera camera',
        'editor edited',
      ],
    );
    assert.equal(strongestAiMark(marksOf(file))?.says, 'generated');
    assert.equal(strongestAiMark(marksOf(jpegWith([exifSegment(exifBlock(CAMERA, EXPOSURE))]))), null);
  });
});
