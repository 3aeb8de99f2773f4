// One file by each program's own layout, with the marks that it declares.
import sharp from 'sharp';
import {
  exifBlock,
  exifSegment,
  iptcSegment,
  iTXt,
  jpegWith,
  pngWith,
  samsungTrailer,
  tEXt,
  unicodeComment,
  xmpPacket,
  xmpSegment,
  zTXt,
} from './declared-pictures.js';
import { readFixture } from './pictures.js';

/** Parameters as the web UI writes them, without its version. */
export const SETTINGS =
  'Steps: 28, Sampler: DPM++ 2M Karras, CFG scale: 7, Seed: 1, Size: 512x512, Model: v1-5';
const A1111 = `a harbour at dusk\nNegative prompt: blurry\n${SETTINGS}, Version: v1.10.1`;
const FORGE = `a harbour at dusk\n${SETTINGS}, Version: f2.0.1v1.10.1-previous-659-gc055f2d4`;
const FOOOCUS = `a harbour at dusk\n${SETTINGS}, Version: Fooocus v2.5.5`;
const COMFY_PROMPT = '{"3": {"inputs": {"seed": 1, "steps": 20}, "class_type": "KSampler"}}';
const COMFY_WORKFLOW = '{"last_node_id": 9, "last_link_id": 9, "nodes": [{"id": 3, "type": "KSampler"}]}';
const NOVELAI =
  '{"steps": 28, "height": 1216, "width": 832, "sampler": "k_euler", "uc": "lowres", "seed": 1}';
const DRAW_THINGS =
  '{"c":"a harbour","uc":"","model":"sd_v1.5_f16.ckpt","sampler":"DPM++ 2M Karras","steps":20}';
const MIDJOURNEY = 'a harbour at dusk --ar 3:2 --v 6.1 Job ID: 0f6b9c1e-53a4-4c5e-9a52-1d2f3a4b5c6d';
const IPTC_TERM = 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia';
const COMPOSITE = 'http://cv.iptc.org/newscodes/digitalsourcetype/compositeWithTrainedAlgorithmicMedia';
const AIGC = '{"Label":"1","ContentProducer":"Example Studio","ProduceID":"7","ReservedCode1":""}';
/** EXIF of a camera. */
export const CAMERA = { 0x010f: 'Canon', 0x0110: 'Canon EOS R6' };
/** EXIF of an exposure. */
export const EXPOSURE = { 0x829a: [1, 200], 0x829d: [28, 10], 0x8827: 400, 0x920a: [50, 1] } as const;

/** Layout, file, and the marks that must be found, in their order. */
export const LAYOUTS: readonly (readonly [string, Uint8Array | Promise<Uint8Array>, readonly string[]])[] = [
  [
    'A1111, PNG',
    pngWith(tEXt('parameters', A1111)),
    ['generation_parameters Stable Diffusion (web UI) generated png:parameters'],
  ],
  [
    'A1111, PNG with a prompt beyond Latin-1',
    pngWith(iTXt('parameters', `港の夕暮れ\n${SETTINGS}`)),
    ['generation_parameters Stable Diffusion (web UI) generated png:parameters'],
  ],
  [
    'A1111, JPEG',
    jpegWith([exifSegment(exifBlock({}, { 0x9286: unicodeComment(A1111) }))]),
    ['generation_parameters Stable Diffusion (web UI) generated exif:UserComment'],
  ],
  [
    'A1111, WebP',
    sharp(readFixture('png/scene.png'))
      .withExif({ IFD2: { UserComment: A1111 } })
      .webp()
      .toBuffer(),
    ['generation_parameters Stable Diffusion (web UI) generated exif:UserComment'],
  ],
  [
    'A1111, AVIF',
    sharp(readFixture('png/scene.png'))
      .withExif({ IFD2: { UserComment: A1111 } })
      .avif({ effort: 0 })
      .toBuffer(),
    ['generation_parameters Stable Diffusion (web UI) generated exif:UserComment'],
  ],
  ['A1111, GIF', gifWith(A1111), ['generation_parameters Stable Diffusion (web UI) generated comment']],
  [
    'Forge, PNG',
    pngWith(tEXt('parameters', FORGE)),
    ['generation_parameters Stable Diffusion (Forge) generated png:parameters'],
  ],
  [
    'ComfyUI, PNG',
    pngWith(tEXt('prompt', COMFY_PROMPT), tEXt('workflow', COMFY_WORKFLOW)),
    ['generation_parameters ComfyUI generated png:prompt'],
  ],
  [
    'ComfyUI, animated WebP node: make and model hold the graphs',
    jpegWith([
      exifSegment(exifBlock({ 0x010f: `workflow:${COMFY_WORKFLOW}`, 0x0110: `prompt:${COMFY_PROMPT}` })),
    ]),
    ['generation_parameters ComfyUI generated exif:Make'],
  ],
  [
    'InvokeAI, PNG',
    pngWith(tEXt('invokeai_metadata', '{"app_version": "5.4.2", "generation_mode": "txt2img"}')),
    ['generation_parameters InvokeAI generated png:invokeai_metadata'],
  ],
  [
    'NovelAI, PNG',
    pngWith(
      tEXt('Title', 'NovelAI generated image'),
      tEXt('Description', 'a harbour at dusk'),
      tEXt('Software', 'NovelAI'),
      tEXt('Source', 'NovelAI Diffusion V4 37442FCA'),
      tEXt('Comment', NOVELAI),
    ),
    ['generation_parameters NovelAI generated png:Title', 'software NovelAI generated png:Software'],
  ],
  [
    'Fooocus, PNG',
    pngWith(tEXt('parameters', FOOOCUS), tEXt('fooocus_scheme', 'a1111')),
    ['generation_parameters Stable Diffusion (Fooocus) generated png:parameters'],
  ],
  [
    'Fooocus, JPEG',
    jpegWith([
      exifSegment(
        exifBlock({ 0x0131: 'Fooocus v2.5.5' }, { 0x9286: Buffer.from('{"version": "Fooocus v2.5.5"}') }),
      ),
    ]),
    [
      'software Fooocus generated exif:Software',
      'generation_parameters Stable Diffusion (Fooocus) generated exif:UserComment',
    ],
  ],
  [
    'SwarmUI, PNG',
    pngWith(tEXt('parameters', '{"sui_image_params": {"prompt": "a harbour", "steps": 20}}')),
    ['generation_parameters Stable Diffusion (SwarmUI) generated png:parameters'],
  ],
  [
    'Draw Things, PNG with XMP',
    pngWith(
      iTXt(
        'XML:com.adobe.xmp',
        xmpPacket(
          `<exif:UserComment><rdf:Alt><rdf:li xml:lang="x-default">${DRAW_THINGS}</rdf:li></rdf:Alt></exif:UserComment>` +
            '<xmp:CreatorTool>Draw Things</xmp:CreatorTool>',
        ),
      ),
    ),
    [
      'generation_parameters Draw Things generated xmp:exif:UserComment',
      'software Draw Things generated xmp:xmp:CreatorTool',
    ],
  ],
  [
    'DiffusionBee, by its name',
    pngWith(tEXt('Software', 'DiffusionBee 2.5.3')),
    ['software DiffusionBee generated png:Software'],
  ],
  [
    'Midjourney, PNG',
    pngWith(tEXt('Description', MIDJOURNEY), tEXt('Author', 'someone')),
    ['job_id Midjourney generated png:Description'],
  ],
  [
    'Midjourney, JPEG with XMP',
    jpegWith([
      xmpSegment(
        xmpPacket(
          `<dc:description><rdf:Alt><rdf:li xml:lang="x-default">${MIDJOURNEY}</rdf:li></rdf:Alt></dc:description>`,
          `Iptc4xmpExt:DigitalSourceType="${IPTC_TERM}"`,
        ),
      ),
    ]),
    [
      'digital_source_type - generated xmp:Iptc4xmpExt:DigitalSourceType',
      'job_id Midjourney generated xmp:dc:description',
    ],
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

/** The scene as GIF with a comment before its first frame. */
function gifWith(comment: string): Buffer {
  const gif = readFixture('gif/scene.gif');
  const at = 13 + ((gif[10]! & 0x80) === 0 ? 0 : 3 << ((gif[10]! & 7) + 1));
  const blocks = Buffer.from(comment)
    .toString('latin1')
    .match(/[^]{1,255}/g)!
    .map((block) => Buffer.concat([Buffer.from([block.length]), Buffer.from(block, 'latin1')]));
  return Buffer.concat([
    gif.subarray(0, at),
    Buffer.from([0x21, 0xfe]),
    ...blocks,
    Buffer.from([0]),
    gif.subarray(at),
  ]);
}
