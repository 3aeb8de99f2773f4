// Collecting the marks of an image: declarations in the file, and signs in the pixels. Anybody can write or
// copy them, so they never decide a verdict.
import type { MetadataText, PixelMarks, VisibleMark, Watermark } from '../../engine/types.js';
import { isAiMark } from '../verdict/attention.js';
import { quoteName } from '../verdict/quoted-name.js';
import type { Credentials, Mark } from '../types.js';
import { findRule, GENERATOR_NAMES, type Rule } from './rules.js';
import { newXmpBudget, readXmp, type Declaration } from './xmp.js';

/** Name of the manifest field from which a mark's text comes. */
const AGENT = 'c2pa:softwareAgent';
/** Maximum characters of a mark's text. */
const MAX_VALUE_CHARACTERS = 300;

/**
 * Conditions in order of strength, strongest first: a generator company's service, a visible sign,
 * declarations that AI made, edited or may have made the image, a watermark, a camera. Editing programs come
 * last.
 */
const STRENGTH = [
  ({ kind }: Mark) => kind === 'maker',
  ({ kind }: Mark) => kind === 'visible',
  ({ says, kind }: Mark) => says === 'generated' && kind !== 'watermark',
  ({ says, kind }: Mark) => says === 'edited' && kind !== 'editor',
  ({ says }: Mark) => says === 'possibly_generated',
  ({ kind }: Mark) => kind === 'watermark',
  ({ says }: Mark) => says === 'camera',
];

/**
 * Returns all marks of an image, strongest first: from its metadata, manifests and pixels, and `makerMarks`.
 * Never throws.
 */
export function collectMarks(
  declared: readonly MetadataText[],
  pixelMarks: PixelMarks,
  credentials: Pick<Credentials, 'generator'> | null,
  makerMarks: readonly Mark[] = [],
): readonly Mark[] {
  const marks = [
    ...makerMarks,
    ...pixelMarks.visible.map(describeVisibleMark),
    ...pixelMarks.watermarks.map(describeWatermark),
    ...readMarks(declared),
    ...describeCreator(credentials?.generator ?? null),
  ];
  return rankMarks(marks);
}

/** Returns the marks in `texts`, strongest first, without repetitions. Never throws. */
export function readMarks(texts: readonly MetadataText[]): readonly Mark[] {
  const budget = newXmpBudget();
  const declarations = texts.flatMap(({ where, name, text }): readonly Declaration[] =>
    where === 'xmp' ? readXmp(text, budget) : [{ where: `${where}:${name}`, text }],
  );
  const marks = declarations.flatMap((declaration) => {
    const ruleMatch = findRule(declaration.where, declaration.text);
    return ruleMatch === null ? [] : [toMark(ruleMatch.rule, ruleMatch.match, declaration)];
  });
  const signed = findXaiSignature(declarations);
  if (signed !== null) marks.push({ ...signed, value: quoteName(signed.value, MAX_VALUE_CHARACTERS) });
  const camera = findCamera(declarations);
  if (camera !== null) marks.push({ ...camera, value: quoteName(camera.value, MAX_VALUE_CHARACTERS) });
  const distinct = new Map<string, Mark>();
  for (const mark of marks) {
    const key = JSON.stringify([mark.kind, mark.generator, mark.says]);
    if (!distinct.has(key)) distinct.set(key, mark);
  }
  return rankMarks([...distinct.values()]);
}

function describeVisibleMark({ generator, sign, box }: VisibleMark): Mark {
  const value = `${sign}, ${box[2]} x ${box[3]} px`;
  return { kind: 'visible', generator, says: 'generated', where: 'pixels', value, box };
}

/** Returns a mark for the generator that a manifest names as creator without stating a kind of origin. */
function describeCreator(agent: string | null): readonly Mark[] {
  if (agent === null) return [];
  const generator = GENERATOR_NAMES.exec(agent)?.[1] ?? agent;
  const value = quoteName(agent, MAX_VALUE_CHARACTERS);
  return [{ kind: 'software', generator: quoteName(generator), says: 'generated', where: AGENT, value }];
}

function describeWatermark({ generator, matchingBits, bits }: Watermark): Mark {
  const value = `${matchingBits} of ${bits} bits of its known message`;
  return { kind: 'watermark', generator, says: 'generated', where: 'pixels', value };
}

/** Returns the strongest mark that states AI, or null. */
export function strongestAiMark(marks: readonly Mark[]): Mark | null {
  return marks.find(isAiMark) ?? null;
}

function rankMarks(marks: readonly Mark[]): readonly Mark[] {
  return [...marks].sort((a, b) => rankOf(a) - rankOf(b));
}

function rankOf(mark: Mark): number {
  const at = STRENGTH.findIndex((findDeclaration) => findDeclaration(mark));
  return at < 0 ? STRENGTH.length : at;
}

function toMark({ kind, says, generator }: Rule, match: RegExpExecArray, { where, text }: Declaration): Mark {
  const generatorName = generator === '$1' ? (match[1] ?? null) : generator;
  return {
    kind,
    generator: generatorName === null ? null : quoteName(generatorName),
    says,
    where: where.replace(/:$/, ''),
    value: quoteName(text, MAX_VALUE_CHARACTERS),
  };
}

const EXPOSURE = ['exif:ExposureTime', 'exif:FNumber', 'exif:ISO', 'exif:FocalLength'];

/**
 * Minimum number of exposure settings in a camera's file, in addition to the camera's manufacturer and model.
 * Phones and cameras write four settings.
 */
const MIN_EXPOSURE_TAGS = 2;

/**
 * Returns a mark of a camera if the EXIF fields look like a camera's, or null. Anybody can copy them into a
 * file.
 */
function findCamera(declarations: readonly Declaration[]): Mark | null {
  const textOf = (where: string): string =>
    declarations.find((one) => one.where === where)?.text.trim() ?? '';
  const [make, model] = [textOf('exif:Make'), textOf('exif:Model')];
  const settings = EXPOSURE.filter((where) => declarations.some((one) => one.where === where));
  // Excludes prompts, which some generators store in these two fields.
  const isName = [make, model].every((name) => name !== '' && name.length <= 64 && !name.includes('{'));
  if (!isName || settings.length < MIN_EXPOSURE_TAGS) return null;
  const value = model.toLowerCase().startsWith(make.toLowerCase()) ? model : `${make} ${model}`;
  return { kind: 'camera', generator: null, says: 'camera', where: 'exif:Model', value };
}

const SIGNATURE = /^Signature: ?[A-Za-z0-9+/_-]{40,}={0,2}$/;
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/**
 * Returns a mark of xAI's Grok if EXIF has both its signature and its identifier, or null. The mark's text is
 * the signature.
 */
function findXaiSignature(declarations: readonly Declaration[]): Mark | null {
  const findDeclaration = (fieldNames: readonly string[], pattern: RegExp): Declaration | undefined =>
    declarations.find(({ where, text }) => fieldNames.includes(where) && pattern.test(text.trim()));
  const signature = findDeclaration(['exif:ImageDescription', 'exif:UserComment'], SIGNATURE);
  if (!signature || !findDeclaration(['exif:Artist'], UUID)) return null;
  return {
    kind: 'job_id',
    generator: 'Grok',
    says: 'generated',
    where: signature.where,
    value: signature.text.trim(),
  };
}
