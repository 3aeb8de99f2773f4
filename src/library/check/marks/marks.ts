// The marks of an image: what it declares and shows of its own making. Claims that anybody can write, so they never decide.
import type { MetadataText, PixelMarks, VisibleMark, Watermark } from '../../engine/types.js';
import { isAiMark } from '../verdict/attention.js';
import { quoteName } from '../verdict/quoted-name.js';
import type { Credentials, Mark } from '../types.js';
import { findRule, GENERATOR_NAMES, type Rule } from './rules.js';
import { newXmpRoom, readXmp, type Declaration } from './xmp.js';

/** Where a manifest names the software of an action. */
const AGENT = 'c2pa:softwareAgent';
/** Characters of a mark's value; the rest of a prompt is the file's own business. */
const MAX_VALUE_CHARACTERS = 300;

/**
 * Strongest first: what a maker's service says; a sign that everybody can see; the file says that AI made it, that AI edited it, that AI may have
 * made it. Then a watermark; a camera took it; a program edited it.
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

/** All marks of an image: what its texts and its manifests say, what its pixels show, and `others`; strongest first. Never throws. */
export function collectMarks(
  declared: readonly MetadataText[],
  found: PixelMarks,
  credentials: Pick<Credentials, 'generator'> | null,
  others: readonly Mark[] = [],
): readonly Mark[] {
  const marks = [
    ...others,
    ...found.visible.map(describeVisibleMark),
    ...found.watermarks.map(describeWatermark),
    ...readMarks(declared),
    ...describeCreator(credentials?.generator ?? null),
  ];
  return rankMarks(marks);
}

/** The marks in `texts`, strongest first, one for each kind, generator and statement. Never throws. */
export function readMarks(texts: readonly MetadataText[]): readonly Mark[] {
  const room = newXmpRoom();
  const declarations = texts.flatMap(({ where, name, text }): readonly Declaration[] =>
    where === 'xmp' ? readXmp(text, room) : [{ where: `${where}:${name}`, text }],
  );
  const marks = declarations.flatMap((declaration) => {
    const found = findRule(declaration.where, declaration.text);
    return found === null ? [] : [toMark(found.rule, found.match, declaration)];
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

/** What a manifest names as the image's creator, if no source type makes it a record of AI. */
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

/** The strongest mark that speaks of AI; null if none does. */
export function strongestAiMark(marks: readonly Mark[]): Mark | null {
  return marks.find(isAiMark) ?? null;
}

function rankMarks(marks: readonly Mark[]): readonly Mark[] {
  return [...marks].sort((a, b) => rankOf(a) - rankOf(b));
}

function rankOf(mark: Mark): number {
  const at = STRENGTH.findIndex((fits) => fits(mark));
  return at < 0 ? STRENGTH.length : at;
}

function toMark({ kind, says, generator }: Rule, match: RegExpExecArray, { where, text }: Declaration): Mark {
  const named = generator === '$1' ? (match[1] ?? null) : generator;
  return {
    kind,
    generator: named === null ? null : quoteName(named),
    says,
    where: where.replace(/:$/, ''),
    value: quoteName(text, MAX_VALUE_CHARACTERS),
  };
}

const EXPOSURE = ['exif:ExposureTime', 'exif:FNumber', 'exif:ISO', 'exif:FocalLength'];

/** A maker, a model and at least this many settings of the exposure. Chosen: phones and cameras write all four. */
const MIN_EXPOSURE_TAGS = 2;

/** The opposite sign, which anybody can copy into any file: a camera's name if the EXIF block reads like one that a camera wrote; null otherwise. */
function findCamera(declarations: readonly Declaration[]): Mark | null {
  const textOf = (where: string): string =>
    declarations.find((one) => one.where === where)?.text.trim() ?? '';
  const [make, model] = [textOf('exif:Make'), textOf('exif:Model')];
  const settings = EXPOSURE.filter((where) => declarations.some((one) => one.where === where));
  // Some generators keep their prompt in these two fields.
  const isName = [make, model].every((name) => name !== '' && name.length <= 64 && !name.includes('{'));
  if (!isName || settings.length < MIN_EXPOSURE_TAGS) return null;
  const value = model.toLowerCase().startsWith(make.toLowerCase()) ? model : `${make} ${model}`;
  return { kind: 'camera', generator: null, says: 'camera', where: 'exif:Model', value };
}

const SIGNATURE = /^Signature: ?[A-Za-z0-9+/_-]{40,}={0,2}$/;
const UUID = /^[\da-f]{8}-[\da-f]{4}-[\da-f]{4}-[\da-f]{4}-[\da-f]{12}$/i;

/** What xAI's Grok writes into EXIF, a signature and an identifier, as a mark; null unless both are there. The value is the signature as it is written. */
function findXaiSignature(declarations: readonly Declaration[]): Mark | null {
  const fits = (places: readonly string[], pattern: RegExp): Declaration | undefined =>
    declarations.find(({ where, text }) => places.includes(where) && pattern.test(text.trim()));
  const signature = fits(['exif:ImageDescription', 'exif:UserComment'], SIGNATURE);
  if (!signature || !fits(['exif:Artist'], UUID)) return null;
  return {
    kind: 'job_id',
    generator: 'Grok',
    says: 'generated',
    where: signature.where,
    value: signature.text.trim(),
  };
}
