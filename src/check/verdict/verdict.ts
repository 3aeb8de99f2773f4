// The verdict: what fired, and the reason in one line that a person understands.
import type { Box, InspectedFace, Inspection, SniffedImage } from '../../engine/types.js';
import { applyBands } from '../thresholds/bands.js';
import { strongestAiMark } from '../marks/marks.js';
import { mediumOf } from '../thresholds/image-bands.js';
import { describePosition, fillsImage } from './position.js';
import { quoteName } from './quoted-name.js';
import { describeStrength } from './strength.js';
import type { Credentials, Mark, ImageBands, Signal, Warning } from '../types.js';

/** Everything known of an image when the verdict is due. */
export interface Evidence {
  readonly image: SniffedImage;
  /** Null if the file carries no manifest. */
  readonly credentials: Credentials | null;
  /** What the file declares; mentioned, never weighed. */
  readonly marks: readonly Mark[];
  /** Null if verified credentials record AI: no detector ran. */
  readonly inspection: Inspection | null;
  readonly bands: ImageBands;
  readonly warnings: readonly Warning[];
}

/** What a check decides. */
interface Verdict {
  readonly isAi: boolean;
  readonly fired: readonly Signal[];
  /** One line; starts with 'AI detected' or 'No AI detected', never calls an image real. */
  readonly reason: string;
}

/** Whether these credentials alone make the verdict AI: verified ones that record AI do, no others. */
export function decidesAi(credentials: Credentials | null): credentials is Credentials {
  return credentials !== null && credentials.verified && credentials.aiCounts;
}

/** The face that a result reports: the one with the highest score; null if none was scored. */
export function strongestFace(inspection: Inspection | null): InspectedFace | null {
  const faces = inspection?.faces ?? [];
  return faces.reduce<InspectedFace | null>(
    (best, face) => (best && best.score >= face.score ? best : face),
    null,
  );
}

/** The part that reaches the threshold of a whole image that does not; null if none does. */
export function partThatStandsOut(
  { part, fullImageScore }: Inspection,
  { fullImage }: ImageBands,
): Box | null {
  return part !== null && part.score >= fullImage.threshold && fullImageScore < fullImage.threshold
    ? part.box
    : null;
}

/** Weighs the evidence. Marks, and credentials that are not verified, are mentioned and never decide. */
export function assembleVerdict(evidence: Evidence): Verdict {
  const { credentials, inspection, bands } = evidence;
  if (decidesAi(credentials)) {
    return { isAi: true, fired: ['content_credentials'], reason: explainCredentials(credentials) };
  }
  if (inspection === null)
    throw new Error('only verified credentials that record AI decide without an inspection');
  const face = strongestFace(inspection);
  const fired = applyBands({ fullImage: inspection.fullImageScore, face: face?.score ?? null }, bands);
  const isAi = fired.length > 0;
  const clauses = [
    explainScores(inspection, evidence),
    mentionPart(partThatStandsOut(inspection, bands), evidence.image),
    mentionCredentials(credentials),
    mentionMark(strongestAiMark(evidence.marks)),
  ];
  if (!isAi) clauses.push(explainLimits(evidence.warnings));
  const opening = isAi ? 'AI detected' : 'No AI detected';
  return { isAi, fired, reason: `${opening}: ${clauses.filter((clause) => clause !== '').join('; ')}` };
}

function explainCredentials({ signer, tool, aiClaim }: Credentials): string {
  const claims = {
    generated: 'AI generated this image',
    edited: 'AI edited this image',
    contains: 'this image contains parts that AI made',
  };
  const by = signer === null ? '' : ` signed by ${quoteName(signer)}`;
  const using = tool === null ? '' : ` (tool: ${quoteName(tool)})`;
  const claim = claims[aiClaim ?? 'contains'];
  return `AI detected: verified Content Credentials${by} record that ${claim}${using}; the detectors were not run`;
}

function explainScores(inspection: Inspection, { bands, image }: Evidence): string {
  const whole = describeStrength(inspection.fullImageScore, bands.fullImage.threshold);
  const wholeFired = inspection.fullImageScore >= bands.fullImage.threshold;
  const picture = nameImage(inspection, image, wholeFired);
  const face = strongestFace(inspection);
  if (face === null) {
    return `${picture} scores ${whole} its threshold; there is no photographed face of 64 px or more to check`;
  }
  const firedFaces = inspection.faces.filter(({ score }) => score >= bands.face.threshold).length;
  const who = nameFace(describePosition(face.box, image), inspection.faces.length, firedFaces);
  const faceStrength = describeStrength(face.score, bands.face.threshold);
  if (firedFaces > 0 && !wholeFired) {
    return `${who} scores ${faceStrength} its threshold as ${describeTrace(face)}; ${picture} stays ${whole} its own`;
  }
  const join = wholeFired === firedFaces > 0 ? ' and' : ';';
  const verb = wholeFired && firedFaces === 0 ? 'stays' : 'scores';
  const trace = firedFaces > 0 ? ` as ${describeTrace(face)}` : '';
  return `${picture} scores ${whole} its threshold${join} ${who} ${verb} ${faceStrength} its own${trace}`;
}

/**
 * The image, or the one within it that fires; if it was not judged as a photograph, what it was judged as. One that
 * does not fire goes unmentioned: blocks of text pass for images, too.
 */
function nameImage({ drawn, panel, panels }: Inspection, image: SniffedImage, fires: boolean): string {
  const judged = mediumOf(drawn) === 'drawn' ? ', judged as a drawing or painting,' : '';
  if (panel === null) return `the image as a whole${judged}`;
  return `${fires ? namePanel(panel, panels.length, image) : 'the image'}${judged}`;
}

/** An image within the image, of `count`. */
function namePanel(panel: Box, count: number, image: SniffedImage): string {
  if (count === 1) return 'the image within this one';
  if (fillsImage(panel, image)) return `the largest of ${count} images in this one`;
  return `the image ${describePosition(panel, image)} (one of ${count} in this one)`;
}

/** What a face that fires was taken for: the more probable of the two. */
function describeTrace({ manipulated, generated }: InspectedFace): string {
  return generated > manipulated ? 'a generated face' : 'a face that was swapped or edited';
}

/** The reported face among all that were scored; `fired` of them reach the threshold. */
function nameFace(place: string, count: number, fired: number): string {
  if (count === 1) return `the face ${place}`;
  if (fired === 1) return `one of ${count} faces, ${place},`;
  return `the strongest of ${count} faces, ${place},`;
}

function mentionPart(box: Box | null, image: SniffedImage): string {
  return box === null
    ? ''
    : `a part of it ${describePosition(box, image)} looks generated, which alone does not count`;
}

function mentionCredentials(credentials: Credentials | null): string {
  if (credentials === null) return '';
  const signer = credentials.signer === null ? 'an unnamed signer' : quoteName(credentials.signer);
  const records = credentials.ai ? 'record AI' : 'record no AI';
  switch (credentials.state) {
    case 'verified':
      // AI that does not decide stands in an ingredient's credentials.
      return credentials.ai
        ? `verified Content Credentials signed by ${signer} include an ingredient whose credentials record AI; its signer could not be verified, so it does not count`
        : `verified Content Credentials signed by ${signer} ${records}`;
    case 'untrusted':
      return `its Content Credentials ${records}; their signer (${signer}) could not be verified, so they do not count`;
    case 'tampered':
      return `its Content Credentials ${records}; the file was changed after it was signed, so they do not count`;
    case 'unreadable':
      return 'its Content Credentials could not be read, so they do not count';
  }
}

function mentionMark(mark: Mark | null): string {
  if (mark === null) return '';
  if (mark.kind === 'visible')
    return `it shows the sign of ${mark.generator ?? 'a generator'} (${mark.value}); anybody can draw it, so it does not count`;
  if (mark.kind === 'watermark')
    return `its pixels carry the open watermark of ${mark.generator ?? 'a generator'}; it can be copied, so it does not count`;
  return `the file itself says that ${tellOrigin(mark)}; unsigned, so it does not count`;
}

function tellOrigin({ says, generator }: Mark): string {
  switch (says) {
    case 'generated':
      return `${generator ?? 'AI'} made it`;
    case 'possibly_generated':
      return `AI may have made it${generator === null ? '' : ` (${generator})`}`;
    default:
      return generator === null ? 'AI edited it' : `it was edited with ${generator}`;
  }
}

/** Ends the reason of every verdict that is not AI; the limits of this image may follow. */
export const NO_PROOF = 'this is no proof, because the detectors miss some AI images';

function explainLimits(warnings: readonly Warning[]): string {
  const limits = {
    image_small: 'the image is small',
    image_blank: 'the image is blank',
    image_transparent: 'the image is fully transparent',
    jpeg_quality_low: 'its JPEG quality is low',
    face_small: 'the face is small',
    faces_many: 'one fake among several faces is seldom found',
    // A clause of its own tells it.
    part_generated: null,
  };
  const found = warnings.map(({ code }) => limits[code]).filter((limit) => limit !== null);
  const because = found.length === 0 ? '' : ` (${found.join(', ')})`;
  return `${NO_PROOF}${because}`;
}
