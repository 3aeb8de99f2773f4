// Tests marks in files: one file in each program's own layout.
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readMarks, strongestAiMark } from '../../../../src/library/check/marks/marks.js';
import type { Mark } from '../../../../src/library/check/types.js';
import { createEngine } from '../../../../src/library/engine/native/engine.js';
import type { Engine } from '../../../../src/library/engine/types.js';
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
} from '../../../support/declared-images.js';
import { SETTINGS } from '../../../support/generator-layouts.js';
import { LAYOUTS, CAMERA, EXPOSURE } from '../../../support/mark-layouts.js';
import { readFixture } from '../../../support/images.js';
import { modelsDir } from '../../../support/test-models.js';

describe('marks (signs of how an image was made) in an image file', () => {
  let engine: Engine;
  before(async () => {
    engine = await createEngine({ modelsDir, device: 'cpu', threads: 1 });
  });
  after(() => engine.close());
  const marksOf = async (file: Uint8Array): Promise<readonly Mark[]> =>
    readMarks(await engine.readMetadata(file));
  const brief = async (file: Uint8Array): Promise<readonly string[]> =>
    (await marksOf(file)).map(
      ({ kind, generator, says, where }) => `${kind} ${generator ?? '-'} ${says} ${where}`,
    );

  for (const [layout, file, expected] of LAYOUTS) {
    it(layout, async () => assert.deepEqual(await brief(await file), expected));
  }

  it('are not found in files without any statement of origin', async () => {
    for (const name of [
      'jpeg/scene.jpg',
      'png/scene.png',
      'webp/scene.webp',
      'avif/scene.avif',
      'gif/scene.gif',
    ])
      assert.deepEqual(await brief(readFixture(name)), []);
    for (const name of ['tiff/scene.tif', 'bmp/scene.bmp'])
      assert.deepEqual(await brief(readFixture(name)), []);
  });

  it('are not found in metadata that only resembles a mark', async () => {
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
      pngWith(tEXt('parameters', 'Steps: 3, glue; Sampler: cloth')),
      pngWith(tEXt('hf-job-id', 'none')),
      // Files with only one of Grok's two fields: a signed letter, and a program that numbers its artists.
      jpegWith([exifSegment(exifBlock({ 0x010e: 'Signature: J. Doe', 0x013b: randomUUID() }))]),
      jpegWith([exifSegment(exifBlock({ 0x010e: `Signature: ${'A'.repeat(88)}`, 0x013b: 'J. Doe' }))]),
    ];
    for (const file of innocent) assert.deepEqual(await brief(file), []);
  });

  it('contain no geographic position, at most 300 characters and no control characters', async () => {
    const long = `${'x'.repeat(500)}\n\u202E\0${SETTINGS}`;
    const [mark] = await marksOf(pngWith(iTXt('parameters', `a\u0007b\n\u202E${long}`)));
    assert.equal([...mark!.value].length, 300);
    assert.doesNotMatch(mark!.value, /[\p{Cc}\p{Cf}]/u);
    const gps = exifBlock({ 0x8825: 8, 0x0131: 'GIMP 2.10' });
    assert.deepEqual(
      (await engine.readMetadata(jpegWith([exifSegment(gps)]))).map(({ name }) => name),
      ['Software'],
    );
  });

  it('are listed in the order: made by AI, edited by AI, possibly made by AI, camera, editor', async () => {
    const file = jpegWith([
      exifSegment(exifBlock({ ...CAMERA, 0x0131: 'Snapseed 2.0' }, EXPOSURE)),
      xmpSegment(
        xmpPacket('<TC260:AIGC>{"Label":"2"}</TC260:AIGC>', 'photoshop:Credit="Edited with Google AI"'),
      ),
      iptcSegment({ 110: 'Made with Google AI' }),
    ]);
    assert.deepEqual(
      (await marksOf(file)).map(({ kind, says }) => `${kind} ${says}`),
      [
        'credit generated',
        'credit edited',
        'aigc_label possibly_generated',
        'camera camera',
        'editor edited',
      ],
    );
    assert.equal(strongestAiMark(await marksOf(file))?.says, 'generated');
    assert.equal(strongestAiMark(await marksOf(jpegWith([exifSegment(exifBlock(CAMERA, EXPOSURE))]))), null);
  });
});
