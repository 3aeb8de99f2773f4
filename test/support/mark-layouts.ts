// Files in the layout of each program, with the marks that they declare: generators, standards, editors and
// cameras.
import sharp from 'sharp';
import {
  exifBlock,
  exifSegment,
  iptcSegment,
  iTXt,
  jpegWith,
  pngWith,
  samsungTrailer,
  segment,
  tEXt,
  xmpPacket,
  xmpSegment,
  zTXt,
} from './declared-images.js';
import { A1111, GENERATOR_LAYOUTS, IPTC_TERM, MIDJOURNEY, type Layout } from './generator-layouts.js';
import { readFixture } from './images.js';

const COMPOSITE = 'http://cv.iptc.org/newscodes/digitalsourcetype/compositeWithTrainedAlgorithmicMedia';
const AIGC = '{"Label":"1","ContentProducer":"Example Studio","ProduceID":"7","ReservedCode1":""}';
/** EXIF tags of a camera. */
export const CAMERA = { 0x010f: 'Canon', 0x0110: 'Canon EOS R6' };
/** EXIF tags of exposure settings. */
export const EXPOSURE = { 0x829a: [1, 200], 0x829d: [28, 10], 0x8827: 400, 0x920a: [50, 1] } as const;

/**
 * Returns a metadata block in the form in which ImageMagick 6 and GraphicsMagick write it into a PNG's texts.
 */
const rawProfile = (kind: string, block: Buffer): Buffer =>
  zTXt(
    `Raw profile type ${kind}`,
    `\n${kind}\n${String(block.length).padStart(8)}\n${block.toString('hex').replace(/.{72}/g, '$&\n')}\n`,
  );
const GENERATED = 'digital_source_type - generated xmp:Iptc4xmpExt:DigitalSourceType';
const GENERATED_PACKET = xmpPacket(
  `<Iptc4xmpExt:DigitalSourceType>${IPTC_TERM}</Iptc4xmpExt:DigitalSourceType>`,
);
/** XMP block of a GIF. The bytes at the end let readers that do not know XMP find the end of the block. */
const GIF_XMP = Buffer.concat([
  Buffer.from('\x21\xff\x0bXMP DataXMP', 'latin1'),
  Buffer.from(GENERATED_PACKET),
  Buffer.from([1, ...Array.from({ length: 256 }, (_, step) => 255 - step), 0]),
]);
/** Returns the offset of the first block of a GIF: after its screen descriptor and colour table. */
const gifBlocks = (gif: Buffer): number => 13 + ((gif[10]! & 0x80) === 0 ? 0 : 3 << ((gif[10]! & 7) + 1));
const GIF = readFixture('gif/animated.gif');

/** Returns a function that encodes a packet: each character as `size` bytes in the given byte order. */
const encodeWide = (size: 2 | 4, isBigEndian: boolean, mark: '' | '\uFEFF'): Buffer =>
  Buffer.concat(
    Array.from(mark + GENERATED_PACKET, (character) => {
      const bytes = Buffer.alloc(size);
      if (isBigEndian) bytes.writeUInt16BE(character.charCodeAt(0), size - 2);
      else bytes.writeUInt16LE(character.charCodeAt(0), 0);
      return bytes;
    }),
  );
const WIDE_PACKETS = ([2, 4] as const).flatMap((size) =>
  [true, false].flatMap((isBigEndian) =>
    (['', '\uFEFF'] as const).map((mark): Layout => [
      `IPTC source type in UTF-${8 * size}${isBigEndian ? 'BE' : 'LE'} ${mark && 'with a mark'}`,
      jpegWith([
        segment(
          0xe1,
          Buffer.concat([Buffer.from('http://ns.adobe.com/xap/1.0/\0'), encodeWide(size, isBigEndian, mark)]),
        ),
      ]),
      [GENERATED],
    ]),
  ),
);
const uint32 = (value: number): Buffer => Buffer.from([value >>> 24, value >>> 16, value >>> 8, value]);
/** Returns the segments of an extended XMP packet, in `parts` pieces. */
const extendedSegments = (packet: string, parts: number): Buffer[] => {
  const bytes = Buffer.from(packet);
  const size = Math.ceil(bytes.length / parts);
  return Array.from({ length: parts }, (_, part) =>
    segment(
      0xe1,
      Buffer.concat([
        Buffer.from(`http://ns.adobe.com/xmp/extension/\0${'6DC2DD86'.repeat(4)}`),
        uint32(bytes.length),
        uint32(part * size),
        bytes.subarray(part * size, (part + 1) * size),
      ]),
    ),
  );
};
const EXTENDED_NOTE = xmpSegment(
  xmpPacket(
    '',
    `xmlns:xmpNote="http://ns.adobe.com/xmp/note/" xmpNote:HasExtendedXMP="${'6DC2DD86'.repeat(4)}"`,
  ),
);

/** All layouts. */
export const LAYOUTS: readonly Layout[] = [
  ...GENERATOR_LAYOUTS,
  ...WIDE_PACKETS,
  [
    'IPTC source type in extended XMP, JPEG',
    jpegWith([EXTENDED_NOTE, ...extendedSegments(GENERATED_PACKET, 1)]),
    [GENERATED],
  ],
  [
    'IPTC source type in extended XMP, its parts in reverse order, JPEG',
    jpegWith([...extendedSegments(GENERATED_PACKET, 3).reverse(), EXTENDED_NOTE]),
    [GENERATED],
  ],
  [
    'IPTC source type as a resource, JPEG',
    jpegWith([xmpSegment(xmpPacket(`<Iptc4xmpExt:DigitalSourceType rdf:resource="${COMPOSITE}"/>`))]),
    ['digital_source_type - edited xmp:Iptc4xmpExt:DigitalSourceType'],
  ],
  [
    'IPTC source type, WebP',
    sharp(readFixture('png/scene.png'))
      .withXmp(xmpPacket(`<Iptc4xmpExt:DigitalSourceType>${IPTC_TERM}</Iptc4xmpExt:DigitalSourceType>`))
      .webp()
      .toBuffer(),
    ['digital_source_type - generated xmp:Iptc4xmpExt:DigitalSourceType'],
  ],
  [
    'IPTC source type, TIFF',
    sharp(readFixture('png/scene.png'))
      .withXmp(xmpPacket(`<Iptc4xmpExt:DigitalSourceType>${IPTC_TERM}</Iptc4xmpExt:DigitalSourceType>`))
      .tiff()
      .toBuffer(),
    ['digital_source_type - generated xmp:Iptc4xmpExt:DigitalSourceType'],
  ],
  [
    'IPTC source type as a raw profile, PNG',
    pngWith(rawProfile('xmp', Buffer.from(GENERATED_PACKET))),
    ['digital_source_type - generated xmp:Iptc4xmpExt:DigitalSourceType'],
  ],
  [
    'EXIF as a raw profile, PNG',
    pngWith(rawProfile('exif', Buffer.concat([Buffer.from('Exif\0\0'), exifBlock({ 0x0131: 'NovelAI' })]))),
    ['software NovelAI generated exif:Software'],
  ],
  [
    'IPTC as a raw profile, PNG',
    pngWith(rawProfile('iptc', iptcSegment({ 110: 'Made with Google AI' }).subarray(4 + 14))),
    ['credit Google AI generated iptc:Credit'],
  ],
  [
    'IPTC source type before the frames, GIF',
    Buffer.concat([GIF.subarray(0, gifBlocks(GIF)), GIF_XMP, GIF.subarray(gifBlocks(GIF))]),
    ['digital_source_type - generated xmp:Iptc4xmpExt:DigitalSourceType'],
  ],
  [
    'IPTC source type behind the frames, GIF',
    Buffer.concat([GIF.subarray(0, -1), GIF_XMP, GIF.subarray(-1)]),
    ['digital_source_type - generated xmp:Iptc4xmpExt:DigitalSourceType'],
  ],
  [
    "Google's credit, IPTC and XMP",
    jpegWith([
      iptcSegment({ 110: 'Made with Google AI' }),
      xmpSegment(xmpPacket('', 'photoshop:Credit="Made with Google AI"')),
    ]),
    ['credit Google AI generated iptc:Credit'],
  ],
  [
    "Google Photos' edit mark",
    jpegWith([
      xmpSegment(
        xmpPacket(
          `<Iptc4xmpExt:DigitalSourceType>${COMPOSITE}</Iptc4xmpExt:DigitalSourceType>`,
          'photoshop:Credit="Edited with Google AI"',
        ),
      ),
    ]),
    [
      'credit Google AI edited xmp:photoshop:Credit',
      'digital_source_type - edited xmp:Iptc4xmpExt:DigitalSourceType',
    ],
  ],
  [
    "Apple Photos' Clean Up, IPTC and XMP",
    jpegWith([
      iptcSegment({ 110: 'Apple Photos Clean Up' }),
      xmpSegment(
        xmpPacket(
          `<Iptc4xmpExt:DigitalSourceType>${COMPOSITE}</Iptc4xmpExt:DigitalSourceType>`,
          'photoshop:Credit="Apple Photos Clean Up"',
        ),
      ),
    ]),
    [
      'credit Apple Photos Clean Up edited iptc:Credit',
      'digital_source_type - edited xmp:Iptc4xmpExt:DigitalSourceType',
    ],
  ],
  [
    "Photoshop's generative history",
    jpegWith([
      xmpSegment(
        xmpPacket(
          '<xmpMM:History><rdf:Seq><rdf:li stEvt:action="saved" stEvt:softwareAgent="Adobe Photoshop 26.1"/>' +
            '<rdf:li stEvt:action="edited" stEvt:parameters="Generative Fill"/></rdf:Seq></xmpMM:History>',
          'xmp:CreatorTool="Adobe Photoshop 26.1 (Macintosh)"',
        ),
      ),
    ]),
    ['edit_history Adobe Firefly edited xmp:stEvt:parameters', 'editor - edited xmp:xmp:CreatorTool'],
  ],
  [
    "IPTC source type under Google's older name, capital first",
    jpegWith([xmpSegment(xmpPacket('', 'Iptc4xmpExt:DigitalSourceFileType="TrainedAlgorithmicMedia"'))]),
    ['digital_source_type - generated xmp:Iptc4xmpExt:DigitalSourceFileType'],
  ],
  [
    "Dreamina's own JSON, EXIF",
    jpegWith([
      exifSegment(
        exifBlock(
          {},
          {
            0x9286: Buffer.from(
              '{"aigc_info":{"aigc_label_type":0,"source_info":"dreamina"},"data":{"os":"web","product":"dreamina",' +
                '"exportType":"generation","pictureId":"0"},"trace_info":{"originItemId":"7"}}',
            ),
          },
        ),
      ),
    ]),
    ['aigc_label dreamina generated exif:UserComment'],
  ],
  [
    'Ideogram, as the maker of the camera',
    jpegWith([exifSegment(exifBlock({ 0x010f: 'Ideogram AI' }))]),
    ['software Ideogram generated exif:Make'],
  ],
  [
    'IPTC 2025.1',
    jpegWith([
      xmpSegment(
        xmpPacket(
          '<Iptc4xmpExt:AISystemUsed>Example Imaginer</Iptc4xmpExt:AISystemUsed>' +
            '<Iptc4xmpExt:AISystemVersionUsed>3</Iptc4xmpExt:AISystemVersionUsed>',
        ),
      ),
    ]),
    [
      'ai_system Example Imaginer generated xmp:Iptc4xmpExt:AISystemUsed',
      'ai_system - generated xmp:Iptc4xmpExt:AISystemVersionUsed',
    ],
  ],
  [
    "China's label, XMP",
    jpegWith([xmpSegment(xmpPacket(`<TC260:AIGC>${AIGC.replaceAll('"', '&quot;')}</TC260:AIGC>`))]),
    ['aigc_label Example Studio generated xmp:TC260:AIGC'],
  ],
  ["China's label, PNG", pngWith(tEXt('AIGC', AIGC)), ['aigc_label Example Studio generated png:AIGC']],
  [
    "China's label 2: AI may have made it",
    pngWith(tEXt('AIGC', AIGC.replace('"1"', '"2"'))),
    ['aigc_label Example Studio possibly_generated png:AIGC'],
  ],
  [
    "China's label 3: AI is suspected to have made it, in a comment",
    pngWith(tEXt('Comment', '{"AIGC":{"Label":3,"ContentProducer":""}}')),
    ['aigc_label - possibly_generated png:Comment'],
  ],
  [
    "Samsung's generative edit",
    jpegWith([], samsungTrailer('PhotoEditor_Re_Edit_Data', '{"originalPath":"x","genAIType":2}')),
    ['edit_history Samsung Galaxy AI edited sef:PhotoEditor_Re_Edit_Data'],
  ],
  [
    "Samsung's editor without AI",
    jpegWith([], samsungTrailer('PhotoEditor_Re_Edit_Data', '{"originalPath":"x","genAIType":0}')),
    ['editor - edited sef:PhotoEditor_Re_Edit_Data'],
  ],
  [
    "FLUX's own scripts",
    jpegWith([
      exifSegment(
        exifBlock({ 0x010f: 'Black Forest Labs', 0x0110: 'flux-dev', 0x0131: 'AI generated;txt2img;flux' }),
      ),
    ]),
    ['software FLUX generated exif:Software'],
  ],
  [
    'a camera, edited',
    jpegWith([exifSegment(exifBlock({ ...CAMERA, 0x0131: 'Adobe Lightroom 7.1' }, EXPOSURE))]),
    ['camera - camera exif:Model', 'editor - edited exif:Software'],
  ],
  [
    'compressed texts of PNG',
    pngWith(zTXt('parameters', A1111), iTXt('Description', MIDJOURNEY, true)),
    [
      'generation_parameters Stable Diffusion (web UI) generated png:parameters',
      'job_id Midjourney generated png:Description',
    ],
  ],
];
