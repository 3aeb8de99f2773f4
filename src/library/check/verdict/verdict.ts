// The verdict of a check: which signals flag the image, and the reason in one sentence.
import { applyBands } from '../thresholds/image-bands.js';
import type { CheckReport } from '../report.js';
import type { Attention, Credentials, KnownLabel, Signal } from '../types.js';
import { assess, HEADLINES, type Assessed } from './assessment.js';
import { wordsOfPosition } from './position.js';
import { quoteName } from './quoted-name.js';
import {
  reasonOfCredentials,
  reasonsOf,
  strongestFace,
  type Evidence,
  type Limit,
  type Reason,
} from './reasons.js';

interface Verdict {
  readonly isAi: boolean;
  readonly fired: readonly Signal[];
  /** Reasons in the order in which the sentence names them. */
  readonly reasons: readonly Reason[];
}

/** Parameters of the reason with code `C`. */
type Params<C extends Reason['code']> = Extract<Reason, { readonly code: C }>['params'];

/** Returns whether credentials alone make the verdict AI: they are verified and record AI. */
export function decidesAi(credentials: Credentials | null): credentials is Credentials {
  return credentials !== null && credentials.verified && credentials.aiCounts;
}

/** Decides the verdict from the evidence. Marks and unverified credentials are only mentioned. */
export function assembleVerdict(evidence: Evidence): Verdict {
  const { credentials, inspection, bands } = evidence;
  if (decidesAi(credentials)) {
    return { isAi: true, fired: ['content_credentials'], reasons: [reasonOfCredentials(credentials)] };
  }
  if (inspection === null)
    throw new Error('only verified credentials that record AI decide without an inspection');
  const face = strongestFace(inspection);
  const fired = applyBands({ fullImage: inspection.fullImageScore, face: face?.score ?? null }, bands);
  const isAi = fired.length > 0;
  return { isAi, fired, reasons: reasonsOf(inspection, evidence, isAi) };
}

/** Facts about a known image, one that the operator has listed. */
interface KnownFacts {
  readonly label: KnownLabel;
  /** The operator's note about the image; may be empty. */
  readonly note: string;
  readonly source: string | null;
}

const MAX_QUOTED = 200;

/**
 * Returns the report with the known image that matches. With `canDecide`, a fake makes the verdict AI. A
 * genuine image never changes an AI verdict, because a retouched copy matches, too.
 */
export function addKnownReason(report: CheckReport, knownImage: KnownFacts, canDecide: boolean): CheckReport {
  const { label, note, source } = knownImage;
  const decides = canDecide && label === 'fake' && !report.fired.includes('content_credentials');
  const reason: Reason = {
    code: 'known_image',
    params: {
      label,
      note: note === '' ? null : quoteName(note, MAX_QUOTED),
      source: source && quoteName(source, MAX_QUOTED),
      decides,
    },
  };
  const otherReasons = report.reasons.filter(({ code }) => code !== 'no_proof');
  const last = decides ? [] : report.reasons.filter(({ code }) => code === 'no_proof');
  const reasons = decides ? [reason, ...otherReasons] : [...otherReasons, reason, ...last];
  const isAi = report.isAi || decides;
  const attention = isAi ? null : label === 'fake' ? 'known' : report.attention;
  const changed = { ...report, isAi, reasons, attention };
  return { ...changed, reason: describeVerdict(changed) };
}

/** Reason about the evidence that deserves a closer look. */
const ATTENTION_REASONS: Readonly<Partial<Record<Attention, Reason['code']>>> = {
  known: 'known_image',
  visible: 'mark_noted',
  watermark: 'mark_noted',
  mark: 'mark_noted',
  credentials: 'credentials_noted',
  tampered: 'credentials_noted',
  part: 'suspicious_region',
};

/**
 * Returns the sentence that explains the headline, with which it begins. If the headline is 'Unclear', the
 * sentence says whether the profile flags the image. It never calls an image real.
 */
export function describeVerdict(check: Assessed & Pick<CheckReport, 'profile'>): string {
  const { isAi, reasons, profile, attention } = check;
  const assessment = assess(check);
  const clauses = reasons.flatMap((reason, at) => {
    const text = describeReason(reason, reasons[at + 1]);
    return text === null ? [] : [{ code: reason.code, text }];
  });
  // Evidence that makes the headline unclear comes first, before scores that are low.
  const first = attention === null ? undefined : ATTENTION_REASONS[attention];
  const isFirst = ({ code }: { code: Reason['code'] }): boolean => code === first;
  const limits = clauses.filter(({ code }) => code === 'no_proof');
  const middle = clauses.filter((clause) => !isFirst(clause) && clause.code !== 'no_proof');
  const flag = `the profile ${profile} ${isAi ? 'flags' : 'does not flag'} the image`;
  const texts = [
    ...[...clauses.filter(isFirst), ...middle].map(({ text }) => text),
    ...(assessment === 'unclear' ? [flag] : []),
    ...limits.map(({ text }) => text),
  ];
  return `${HEADLINES[assessment]}: ${texts.join('; ')}`;
}

/**
 * Returns a reason as a part of the sentence. Returns null for a face, because the part about the image
 * mentions it.
 */
function describeReason(reason: Reason, next: Reason | undefined): string | null {
  switch (reason.code) {
    case 'credentials_record_ai':
      return describeCredentials(reason.params);
    case 'full_image_fired':
    case 'full_image_below':
      return describeScores(reason, next);
    case 'face_fired':
    case 'face_below':
    case 'no_face':
      return null;
    case 'suspicious_region':
      return `a region ${wordsOfPosition(reason.params.position)} looks generated, which does not decide the verdict`;
    case 'credentials_noted':
      return mentionCredentials(reason.params);
    case 'mark_noted':
      return mentionMark(reason.params);
    case 'known_image':
      return mentionKnown(reason.params);
    case 'no_proof':
      return describeLimits(reason.params);
  }
}

function describeCredentials({ claim, signer, tool }: Params<'credentials_record_ai'>): string {
  const claims = {
    generated: 'AI generated this image',
    edited: 'AI edited this image',
    contains: 'this image contains parts that AI made',
  };
  const by = signer === null ? '' : ` signed by ${signer}`;
  const using = tool === null ? '' : ` (tool: ${tool})`;
  return `verified Content Credentials${by} record that ${claims[claim]}${using}; the detectors were not run`;
}

/** Returns the part of the sentence about the image's score and, if it follows, the face's score. */
function describeScores(
  { code, params: whole }: Extract<Reason, { readonly code: 'full_image_fired' | 'full_image_below' }>,
  face: Reason | undefined,
): string {
  const wholeFired = code === 'full_image_fired';
  const image = nameImage(whole, wholeFired);
  if (face?.code !== 'face_fired' && face?.code !== 'face_below') {
    const px = face?.code === 'no_face' ? face.params.min_px : 0;
    return `${image} scores ${describeDistance(whole)} its threshold; no photographed face of ${px} px or more was found`;
  }
  const faceName = nameFace(face.params);
  const faceFired = face.code === 'face_fired';
  const trace = face.params.trace === 'generated' ? 'a generated face' : 'a face that was swapped or edited';
  if (faceFired && !wholeFired)
    return `${faceName} scores ${describeDistance(face.params)} its threshold as ${trace}; ${image} stays ${describeDistance(whole)} its own`;
  const join = wholeFired === faceFired ? ' and' : ';';
  const verb = wholeFired && !faceFired ? 'stays' : 'scores';
  return `${image} scores ${describeDistance(whole)} its threshold${join} ${faceName} ${verb} ${describeDistance(face.params)} its own${faceFired ? ` as ${trace}` : ''}`;
}

/** Returns a distance in words, such as 'far above'. */
function describeDistance({ strength }: Params<'full_image_fired' | 'face_fired'>): string {
  return strength.replace('_', ' ');
}

/**
 * Names the image in the sentence, with its domain if it is not a photograph. Names an embedded image only if
 * it was flagged, because blocks of text count as embedded images, too.
 */
function nameImage({ judged_as: judgedAs, embedded }: Params<'full_image_fired'>, fires: boolean): string {
  const judged = judgedAs === 'illustration' ? ', judged as a drawing or painting,' : '';
  if (embedded === null) return `the image as a whole${judged}`;
  return `${fires ? nameEmbedded(embedded) : 'the image'}${judged}`;
}

function nameEmbedded({ count, position }: NonNullable<Params<'full_image_fired'>['embedded']>): string {
  if (count === 1) return 'the embedded image';
  if (position === 'fills') return `the largest of ${count} embedded images`;
  return `the embedded image ${wordsOfPosition(position)} (one of ${count})`;
}

/** Names the face in the sentence, with its position and the number of faces. */
function nameFace({ position, faces, fired }: Params<'face_fired'>): string {
  if (faces === 1) return `the face ${wordsOfPosition(position)}`;
  const place = position === 'fills' ? 'which fills the image' : wordsOfPosition(position);
  return `${fired === 1 ? 'one' : 'the highest-scoring'} of ${faces} faces, ${place},`;
}

function mentionCredentials({ state, ai, signer: name }: Params<'credentials_noted'>): string {
  const signer = name ?? 'an unnamed signer';
  const records = ai ? 'record AI' : 'do not record AI';
  switch (state) {
    case 'verified':
      // Verified credentials that record AI decide, unless no verified signer vouches for the statement.
      return ai
        ? `verified Content Credentials signed by ${signer} record AI only in metadata that its signer does not vouch for, or in an ingredient whose signer could not be verified, so they do not decide the verdict`
        : `verified Content Credentials signed by ${signer} ${records}`;
    case 'untrusted':
      return `the Content Credentials of the image ${records}; their signer (${signer}) could not be verified, so they do not decide the verdict`;
    case 'tampered':
      return `the Content Credentials of the image ${records}; the file was changed after it was signed, so they do not decide the verdict`;
    case 'unreadable':
      return 'the Content Credentials of the image could not be read, so they do not decide the verdict';
  }
}

function mentionMark(mark: Params<'mark_noted'>): string {
  if (mark.kind === 'maker')
    return `${mark.generator ?? 'a maker'} reports that its own tools made the image (${mark.value}), which does not decide the verdict`;
  if (mark.kind === 'visible')
    return `the image shows the visible sign of ${mark.generator ?? 'a generator'} (${mark.value}); anybody can draw this sign, so it does not decide the verdict`;
  if (mark.kind === 'watermark')
    return `the pixels contain the open watermark of ${mark.generator ?? 'a generator'}; anybody can copy this watermark, so it does not decide the verdict`;
  return `the file declares that ${describeOrigin(mark)}; this declaration is unsigned, so it does not decide the verdict`;
}

function describeOrigin({ says, generator }: Params<'mark_noted'>): string {
  switch (says) {
    case 'generated':
      return `${generator ?? 'AI'} made the image`;
    case 'possibly_generated':
      return `AI may have made the image${generator === null ? '' : ` (${generator})`}`;
    default:
      return generator === null ? 'AI edited the image' : `the image was edited with ${generator}`;
  }
}

function mentionKnown({ label, note, source, decides }: Params<'known_image'>): string {
  const description = [note, source].filter((text) => text !== null).join('; ');
  const facts = description === '' ? '' : ` (${description})`;
  const effect = decides ? 'which decides the verdict' : 'which does not decide the verdict';
  return `the image matches an image that the operator of this service lists as ${label}${facts}, ${effect}`;
}

/** End of the sentence of every verdict that is not AI. Limits of the image may follow. */
export const NO_PROOF = 'this is no proof, because the detectors miss some AI images';

const LIMITS: Readonly<Record<Limit, string>> = {
  image_small: 'the image is small',
  image_blank: 'the image is blank',
  image_transparent: 'the image is fully transparent',
  jpeg_quality_low: 'its JPEG quality is low',
  face_small: 'the face is small',
  faces_many: 'one fake among several faces is rarely detected',
};

function describeLimits({ limits }: Params<'no_proof'>): string {
  const because = limits.map((code) => LIMITS[code]).join(', ');
  return `${NO_PROOF}${because === '' ? '' : ` (${because})`}`;
}
