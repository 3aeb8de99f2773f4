// Files in the layout of each image generator, with the marks that they declare.
import sharp from 'sharp';
import {
  exifBlock,
  exifSegment,
  iptcSegment,
  iTXt,
  jpegWith,
  pngWith,
  tEXt,
  unicodeComment,
  webpWith,
  xmpPacket,
  xmpSegment,
} from './declared-images.js';
import { readFixture } from './images.js';

/** Name of a layout, a file, and the marks expected in it, in order. */
export type Layout = readonly [string, Uint8Array | Promise<Uint8Array>, readonly string[]];

/** Parameters as Stable Diffusion's web UI writes them, without the UI's version. */
export const SETTINGS =
  'Steps: 28, Sampler: DPM++ 2M Karras, CFG scale: 7, Seed: 1, Size: 512x512, Model: v1-5';
/** Complete parameters as Stable Diffusion's web UI writes them. */
export const A1111 = `a harbour at dusk\nNegative prompt: blurry\n${SETTINGS}, Version: v1.10.1`;
const FORGE = `a harbour at dusk\n${SETTINGS}, Version: f2.0.1v1.10.1-previous-659-gc055f2d4`;
const FOOOCUS = `a harbour at dusk\n${SETTINGS}, Version: Fooocus v2.5.5`;
const COMFY_PROMPT = '{"3": {"inputs": {"seed": 1, "steps": 20}, "class_type": "KSampler"}}';
const COMFY_WORKFLOW = '{"last_node_id": 9, "last_link_id": 9, "nodes": [{"id": 3, "type": "KSampler"}]}';
const MFLUX =
  '{"mflux_version": "0.11.1", "model": "black-forest-labs/FLUX.1-schnell", "seed": 4711, "steps": 4, "prompt": "a harbour"}';
const NOVELAI =
  '{"steps": 28, "height": 1216, "width": 832, "sampler": "k_euler", "uc": "lowres", "seed": 1}';
const DRAW_THINGS =
  '{"c":"a harbour","uc":"","model":"sd_v1.5_f16.ckpt","sampler":"DPM++ 2M Karras","steps":20}';
/** A description as Midjourney writes it. */
export const MIDJOURNEY = 'a harbour at dusk --ar 3:2 --v 6.1 Job ID: 0f6b9c1e-53a4-4c5e-9a52-1d2f3a4b5c6d';
/** IPTC's term for AI-generated images. */
export const IPTC_TERM = 'http://cv.iptc.org/newscodes/digitalsourcetype/trainedAlgorithmicMedia';

const SDCPP =
  'a\nNegative prompt: b\nSteps: 20, CFG scale: 7.0, Guidance: 3.5, Seed: 42, Size: 512x512, Model: x.gguf, RNG: cuda, Sampler: euler_a, Version: stable-diffusion.cpp';
const REORDERED = 'a harbour\nSampler: Euler a, Seed: 1, CFG scale: 7, Size: 512x512, Steps: 28';
const HF_JOB = 'ec8380a6-2091-423a-b835-209420f99ee1';
const XAI_SIGNATURE = `Signature: ${Buffer.alloc(64, 7).toString('base64')}`;

/** The texts in NovelAI's PNG files, as one object like in NovelAI's WebP files. */
const NOVELAI_OBJECT = JSON.stringify({
  Description: 'a harbour at dusk',
  Software: 'NovelAI',
  Source: 'NovelAI Diffusion V4 37442FCA',
  Comment: NOVELAI,
});

/** Layouts of Stable Diffusion's interfaces, of other programs and of Midjourney. */
export const GENERATOR_LAYOUTS: readonly Layout[] = [
  [
    'stable-diffusion.cpp, PNG',
    pngWith(tEXt('parameters', SDCPP)),
    ['generation_parameters stable-diffusion.cpp generated png:parameters'],
  ],
  [
    'stable-diffusion.cpp, JPEG',
    jpegWith([exifSegment(exifBlock({}, { 0x9286: unicodeComment(SDCPP) }))]),
    ['generation_parameters stable-diffusion.cpp generated exif:UserComment'],
  ],
  [
    "the web UI's settings in another order, PNG",
    pngWith(tEXt('parameters', REORDERED)),
    ['generation_parameters Stable Diffusion generated png:parameters'],
  ],
  [
    'a job id of hosted jobs, PNG',
    pngWith(tEXt('hf-job-id', HF_JOB)),
    ['job_id - possibly_generated png:hf-job-id'],
  ],
  [
    "Grok's signature and identifier, JPEG",
    jpegWith([exifSegment(exifBlock({ 0x010e: XAI_SIGNATURE, 0x013b: HF_JOB }))]),
    ['job_id Grok generated exif:ImageDescription'],
  ],
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
    'InvokeAI 5, PNG with its graph alone',
    pngWith(tEXt('invokeai_graph', '{"id": "7", "nodes": {"core_metadata": {"type": "core_metadata"}}}')),
    ['generation_parameters InvokeAI generated png:invokeai_graph'],
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
    'NovelAI, WebP',
    webpWith('EXIF', exifBlock({}, { 0x9286: Buffer.from(`ASCII\0\0\0${NOVELAI_OBJECT}`) })),
    ['generation_parameters NovelAI generated exif:UserComment'],
  ],
  [
    'NovelAI, JPEG with its settings alone',
    jpegWith([exifSegment(exifBlock({}, { 0x9286: Buffer.from(`ASCII\0\0\0${NOVELAI}`) }))]),
    ['generation_parameters NovelAI generated exif:UserComment'],
  ],
  [
    'mflux, JPEG',
    jpegWith([exifSegment(exifBlock({}, { 0x9286: Buffer.from(`ASCII\0\0\0${MFLUX}`) }))]),
    ['generation_parameters mflux generated exif:UserComment'],
  ],
  [
    'mflux, its version between two prompts of 20,000 characters',
    pngWith(
      tEXt(
        'Comment',
        `{"prompt": "${'a'.repeat(20_000)}", ${MFLUX.slice(1, -1)}, "negative_prompt": "${'b'.repeat(20_000)}"}`,
      ),
    ),
    ['generation_parameters mflux generated png:Comment'],
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
    'RuinedFooocus, PNG',
    pngWith(
      tEXt('parameters', '{"Prompt": "a harbour", "steps": 30, "cfg": 5, "software": "RuinedFooocus"}'),
    ),
    ['generation_parameters Stable Diffusion (RuinedFooocus) generated png:parameters'],
  ],
  [
    'Mochi Diffusion, JPEG',
    jpegWith([
      iptcSegment({
        65: 'Mochi Diffusion',
        120: 'Include in Image: a harbour; Steps: 20; Generator: Mochi Diffusion 5.2',
      }),
    ]),
    [
      'software Mochi Diffusion generated iptc:OriginatingProgram',
      'generation_parameters Mochi Diffusion generated iptc:Caption',
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
    'Midjourney, EXIF and IPTC',
    jpegWith([exifSegment(exifBlock({ 0x010e: MIDJOURNEY })), iptcSegment({ 120: MIDJOURNEY })]),
    ['job_id Midjourney generated exif:ImageDescription'],
  ],
  [
    'Midjourney, IPTC alone',
    jpegWith([iptcSegment({ 120: MIDJOURNEY })]),
    ['job_id Midjourney generated iptc:Caption'],
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
];

/** Returns the scene as GIF with a comment before its first frame. */
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
