// Rules that recognise in a file's metadata which program or service made the image. Each rule describes how
// one program or service writes metadata.
import type { Mark } from '../types.js';
import type { MarkKind } from './kinds.js';

/**
 * Pattern of generators' names, in a software field or in the first action of a manifest. Source: files that
 * their publishers declared as made by these generators (eval/signers.ts and eval/metadata-marks.ts print the
 * names).
 */
export const GENERATOR_NAMES =
  /\b(Stable Diffusion|NovelAI|Midjourney|DALL[·-]?E|Adobe Firefly|Fooocus|ComfyUI|InvokeAI|Draw Things|Google Imagen|Google Gemini|Leonardo\.Ai|Ideogram|Bing Image Creator|Recraft|ChatGPT|Dreamina|Jimeng)/i;

/**
 * A rule: an image whose metadata field `at` has a text that matches `text` gets a mark of the kind `kind`.
 * Patterns must take linear time, because texts have up to 65,536 characters.
 */
export interface Rule {
  readonly kind: MarkKind;
  readonly says: Mark['says'];
  /** Generator's name; `$1` takes it from the pattern's first group; null if the file does not name it. */
  readonly generator: string | null;
  readonly at: readonly string[];
  readonly text: RegExp;
}

/** Matches every text, for metadata fields whose presence is enough. */
const ANY = /\S/;
/** Fields in which generators write their settings, in different file formats. */
const PARAMETERS = ['png:parameters', 'exif:UserComment', 'xmp:exif:UserComment', 'comment:'];
/** Fields in which a program writes its name. */
const SOFTWARE = ['png:Software', 'exif:Software', 'xmp:xmp:CreatorTool', 'iptc:OriginatingProgram'];
const CAPTIONS = ['png:Description', 'exif:ImageDescription', 'xmp:dc:description', 'iptc:Caption'];
const CREDITS = ['iptc:Credit', 'xmp:photoshop:Credit'];
const HISTORY = [
  'xmp:photoshop:History',
  'xmp:stEvt:action',
  'xmp:stEvt:parameters',
  'xmp:stEvt:changed',
  'xmp:stEvt:softwareAgent',
];

type Row = readonly [generator: string | null, at: readonly string[], text: RegExp];

function rows(kind: MarkKind, says: Mark['says'], table: readonly Row[]): readonly Rule[] {
  return table.map(([generator, at, text]) => ({ kind, says, generator, at, text }));
}

/** Returns a pattern for a setting anywhere in a list. The look-ahead at the start takes linear time. */
const setting = (text: string): string => String.raw`(?=[^]*(?:^|[,\n] ?)${text})`;
const SETTINGS_LIST = ['Steps: \\d+', 'Sampler: \\S', '(?:CFG scale|Seed): \\d'].map(setting).join('');

/** Rules for the settings that generators write. The first matching row counts. */
const GENERATION_PARAMETERS = rows('generation_parameters', 'generated', [
  ['Stable Diffusion (Fooocus)', PARAMETERS, /\bVersion: Fooocus|"version"\s*:\s*"Fooocus/],
  ['Stable Diffusion (Fooocus)', ['png:fooocus_scheme'], ANY],
  ['Stable Diffusion (RuinedFooocus)', PARAMETERS, /"software"\s*:\s*"RuinedFooocus/],
  ['Mochi Diffusion', CAPTIONS, /\bGenerator: Mochi Diffusion\b/],
  ['Stable Diffusion (SwarmUI)', PARAMETERS, /"sui_image_params"\s*:/],
  // Begins at the first 'Steps:' only, because trying every 'Steps:' could take quadratic time.
  [
    'Stable Diffusion (Forge)',
    PARAMETERS,
    /^(?:(?!\bSteps: \d+, )[^])*\bSteps: \d+, [^]*\bVersion: (?:f\d|forge|neo)/i,
  ],
  ['Stable Diffusion (SD.Next)', PARAMETERS, /^(?:(?!\bSteps: \d+, )[^])*\bSteps: \d+, [^]*\bApp: SD\.Next/],
  ['Stable Diffusion (web UI)', PARAMETERS, /\bSteps: \d+, Sampler: /],
  [
    'stable-diffusion.cpp',
    PARAMETERS,
    new RegExp(`^${SETTINGS_LIST}${setting('Version: stable-diffusion\\.cpp')}`),
  ],
  // Programs that write the same settings as the web UI in another order.
  ['Stable Diffusion', PARAMETERS, new RegExp(`^${SETTINGS_LIST}`)],
  [
    'Draw Things',
    ['exif:UserComment', 'xmp:exif:UserComment'],
    /^\{(?=[^]*"c"\s*:)(?=[^]*"uc"\s*:)[^]*"sampler"\s*:/,
  ],
  ['mflux', [...PARAMETERS, ...CAPTIONS, 'png:Comment', 'png:metadata'], /"mflux_version"\s*:/],
  // Metadata of NovelAI's PNG files, converted to one JSON object.
  [
    'NovelAI',
    [...PARAMETERS, ...CAPTIONS],
    /^\s*\{[^]*"(?:Software|Source|Title)"\s*:\s*"(?:NovelAI|AI generated image)/,
  ],
  ['ComfyUI', ['png:prompt', 'exif:UserComment'], /"class_type"\s*:/],
  ['ComfyUI', ['png:workflow'], /^\s*\{[^]*"nodes"\s*:\s*\[/],
  ['ComfyUI', ['exif:Make', 'exif:Model', 'exif:ImageDescription'], /^(?:prompt|workflow):\s*\{/i],
  ['InvokeAI', ['png:invokeai_metadata', 'png:invokeai_graph', 'png:invokeai_workflow'], ANY],
  ['InvokeAI', ['png:sd-metadata', 'png:Dream'], ANY],
  ['NovelAI', ['png:Title'], /^(?:NovelAI|AI) generated image/],
  ['NovelAI', ['png:Source'], /^NovelAI\b/],
  ['NovelAI', ['png:Comment', 'exif:UserComment'], /^\{(?=[^]*"uc"\s*:)[^]*"sampler"\s*:/],
  ['Stable Diffusion (Easy Diffusion)', ['png:use_stable_diffusion_model'], ANY],
]);

const UUID = String.raw`[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}`;

const JOB_IDS = [
  ...rows('job_id', 'generated', [['Midjourney', CAPTIONS, new RegExp(`\\bJob ID: ${UUID}\\b`, 'i')]]),
  // Hugging Face and Higgsfield are both said to write this field for image jobs, without naming the model.
  ...rows('job_id', 'possibly_generated', [
    [null, ['png:hf-job-id'], new RegExp(`^\\s*(?:${UUID}|[\\da-f]{24})\\s*$`, 'i')],
  ]),
];

const NAMED_SOFTWARE = rows('software', 'generated', [
  ['$1', SOFTWARE, GENERATOR_NAMES],
  ['DiffusionBee', [...SOFTWARE, ...CAPTIONS], /\bDiffusionBee\b/i],
  ['Mochi Diffusion', SOFTWARE, /^Mochi Diffusion\b/],
  ['mflux', SOFTWARE, /^mflux\b/i],
  ['FLUX', SOFTWARE, /^AI generated;[^]*\bflux/i],
  [null, SOFTWARE, /^AI generated\b/i],
  ['Ideogram', ['exif:Make'], /^Ideogram AI\b/i],
]);

/**
 * Fields for the kind of origin. Values are terms of https://cv.iptc.org/newscodes/digitalsourcetype/, with
 * or without its address or `digsrctype:`.
 */
const SOURCE_TYPES = [
  'xmp:Iptc4xmpExt:DigitalSourceType',
  'xmp:Iptc4xmpExt:DigitalSourcefileType',
  'xmp:Iptc4xmpExt:DigitalSourceFileType',
];
const DIGITAL_SOURCE_TYPES = [
  ...rows('digital_source_type', 'generated', [
    [null, SOURCE_TYPES, /(?:^|[/:])trainedAlgorithmicMedia\/*$/i],
  ]),
  ...rows('digital_source_type', 'edited', [
    [null, SOURCE_TYPES, /(?:^|[/:])(?:compositeWithTrainedAlgorithmicMedia|compositeSynthetic)\/*$/i],
  ]),
  ...rows('digital_source_type', 'camera', [
    [null, SOURCE_TYPES, /(?:^|[/:])(?:digitalCapture|computationalCapture)\/*$/i],
  ]),
];

const CREDIT_LINES = [
  ...rows('credit', 'generated', [
    ['Google AI', CREDITS, /^(?:Made|Created) with Google AI/i],
    ['Meta AI', CREDITS, /^Imagined with (?:Meta )?AI/i],
  ]),
  ...rows('credit', 'edited', [
    ['Google AI', CREDITS, /^Edited with Google AI/i],
    ['Apple Photos Clean Up', CREDITS, /^Apple Photos Clean Up/i],
  ]),
];

const EDIT_HISTORIES = rows('edit_history', 'edited', [
  [
    'Adobe Firefly',
    HISTORY,
    /\bgenerative[ _](?:fill|expand|remove|upscale|variations?)\b|\bAdobe Firefly\b/i,
  ],
  ['Samsung Galaxy AI', ['sef:PhotoEditor_Re_Edit_Data'], /"genAIType"\s*:\s*"?[1-9]/],
]);

/** Fields that name an AI system. Source: IPTC Photo Metadata Standard 2025.1, Extension schema. */
const AI_SYSTEMS = rows('ai_system', 'generated', [
  ['$1', ['xmp:Iptc4xmpExt:AISystemUsed'], /^([^]*\S[^]*)$/],
  [null, ['xmp:Iptc4xmpExt:AISystemVersionUsed', 'xmp:Iptc4xmpExt:AIPromptInformation'], ANY],
  [null, ['xmp:Iptc4xmpExt:AIPromptWriterName'], ANY],
]);

/** Returns a pattern for China's AI label with one of `values`; captures the service, if present. */
const labelled = (values: string): string =>
  String.raw`"Label"\s*:\s*"?[${values}]\b"?(?:[^]*"ContentProducer"\s*:\s*"([^"]+)")?`;

const aigcLabels = (says: Mark['says'], values: string): readonly Rule[] =>
  rows('aigc_label', says, [
    ['$1', ['xmp:TC260:AIGC', 'png:AIGC'], new RegExp(labelled(values))],
    [
      '$1',
      ['exif:UserComment', 'png:Comment'],
      new RegExp(String.raw`^\s*\{\s*"AIGC"\s*:[^]*?${labelled(values)}`),
    ],
  ]);

/** Rules for China's AI label. Source: GB 45438-2025: label 1 means made by AI, 2 possibly, 3 suspected. */
const AIGC_LABELS = [
  ...aigcLabels('generated', '1'),
  ...aigcLabels('possibly_generated', '23'),
  // ByteDance writes label 0 for every image, so another of its fields counts: the export type.
  ...rows('aigc_label', 'generated', [
    [
      '$1',
      ['exif:UserComment'],
      /^\s*\{\s*"aigc_info"\s*:(?=[^]*"exportType"\s*:\s*"generation")[^]*?"product"\s*:\s*"([^"]+)"/,
    ],
  ]),
];

/** Ordinary editing programs. Their names prove nothing about AI. */
const EDITORS = rows('editor', 'edited', [
  [
    null,
    SOFTWARE,
    /\b(?:Photoshop|Lightroom|GIMP|Snapseed|Picasa|Google Photos|Pixelmator|Affinity Photo|Capture One|darktable|Luminar|Paint\.NET|Canva|Meitu|FaceApp|Remini|PicsArt|VSCO|Facetune)\b/i,
  ],
  [null, ['sef:PhotoEditor_Re_Edit_Data'], ANY],
]);

/** All rules. If several match, the first one counts. */
const RULES: readonly Rule[] = [
  ...GENERATION_PARAMETERS,
  ...AIGC_LABELS,
  ...JOB_IDS,
  ...NAMED_SOFTWARE,
  ...DIGITAL_SOURCE_TYPES,
  ...CREDIT_LINES,
  ...EDIT_HISTORIES,
  ...AI_SYSTEMS,
  ...EDITORS,
];

const RULES_BY_PLACE = new Map<string, Rule[]>();
for (const rule of RULES) {
  for (const place of rule.at) RULES_BY_PLACE.set(place, [...(RULES_BY_PLACE.get(place) ?? []), rule]);
}

/** Returns the first rule for the field `where` that matches its text, with the match, or null. */
export function findRule(
  where: string,
  text: string,
): { readonly rule: Rule; readonly match: RegExpExecArray } | null {
  for (const rule of RULES_BY_PLACE.get(where) ?? []) {
    const match = rule.text.exec(text);
    if (match !== null) return { rule, match };
  }
  return null;
}
