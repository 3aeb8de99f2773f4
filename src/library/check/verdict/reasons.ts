// What a verdict rests on, as codes with parameters: the one-line reason is made from them, in whatever language.
import { MIN_FACE_PX } from '../../base/limits.js';
import type { Box, InspectedFace, Inspection, SniffedImage } from '../../engine/types.js';
import { strongestAiMark } from '../marks/marks.js';
import { mediumOf } from '../thresholds/image-bands.js';
import type {
  AiClaim,
  Credentials,
  CredentialState,
  ImageBands,
  KnownLabel,
  Mark,
  ReasonCode,
  Warning,
} from '../types.js';
import { positionOf, type Position } from './position.js';
import { quoteName } from './quoted-name.js';
import { describeStrength } from './strength.js';

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

/** `just_above`, `clearly_below`, `far_above` ...: which side of its threshold a score is on, and how far. */
type Strength = `${'just' | 'clearly' | 'far'}_${'above' | 'below'}`;

/** A score of the image as a whole, or of an image embedded in it, against its threshold. */
interface WholeParams {
  readonly strength: Strength;
  readonly judged_as: 'photograph' | 'illustration';
  /** The embedded image that scores highest, of `count`; null if the image as a whole does. */
  readonly embedded: { readonly count: number; readonly position: Position } | null;
}

/** The score of the strongest face of `faces` against its threshold, which `fired` of them reach. */
interface FaceParams {
  readonly strength: Strength;
  readonly position: Position;
  readonly faces: number;
  readonly fired: number;
  /** What a face that fires was taken for: the more probable of the two. */
  readonly trace: 'generated' | 'manipulated';
}

/** A warning without a reason of its own. */
export type Limit = Exclude<Warning['code'], 'part_generated'>;

/** Parameters by code. Codes are stable; clients ignore those that they don't know. */
interface ReasonParams {
  /** Verified credentials record AI: they decide alone. */
  readonly credentials_record_ai: {
    readonly claim: AiClaim;
    readonly signer: string | null;
    readonly tool: string | null;
  };
  readonly full_image_fired: WholeParams;
  readonly full_image_below: WholeParams;
  readonly face_fired: FaceParams;
  readonly face_below: FaceParams;
  /** No photographed face of that many pixels or more. */
  readonly no_face: { readonly min_px: number };
  /** A region reaches the threshold that the whole does not; it does not count. */
  readonly suspicious_region: { readonly position: Position };
  /** Credentials that do not decide. */
  readonly credentials_noted: {
    readonly state: CredentialState;
    readonly ai: boolean;
    readonly signer: string | null;
  };
  /** An unsigned mark of AI; it never counts. */
  readonly mark_noted: Pick<Mark, 'kind' | 'says' | 'generator' | 'value'>;
  /** The operator knows an image that looks the same. */
  readonly known_image: {
    readonly label: KnownLabel;
    readonly note: string | null;
    readonly source: string | null;
    /** Whether the verdict is AI by it alone. */
    readonly decides: boolean;
  };
  /** Nothing fired, which proves nothing; what makes this image harder. */
  readonly no_proof: { readonly limits: readonly Limit[] };
}

/** One thing that a verdict rests on, or mentions. */
export type Reason = {
  [C in ReasonCode]: { readonly code: C; readonly params: ReasonParams[C] };
}[ReasonCode];

function strengthOf(score: number, threshold: number): Strength {
  return describeStrength(score, threshold).replace(' ', '_') as Strength;
}

/** The face that a result reports: the one with the highest score; null if none was scored. */
export function strongestFace(inspection: Inspection | null): InspectedFace | null {
  const faces = inspection?.faces ?? [];
  return faces.reduce<InspectedFace | null>(
    (best, face) => (best && best.score >= face.score ? best : face),
    null,
  );
}

/** The suspicious region, if it reaches the threshold of a whole image that does not; else null. */
export function findSuspiciousRegion(
  { part, fullImageScore }: Inspection,
  { fullImage }: ImageBands,
): Box | null {
  return part !== null && part.score >= fullImage.threshold && fullImageScore < fullImage.threshold
    ? part.box
    : null;
}

/** Of credentials that decide. */
export function reasonOfCredentials({ signer, tool, aiClaim }: Credentials): Reason {
  return {
    code: 'credentials_record_ai',
    params: {
      claim: aiClaim ?? 'contains',
      signer: signer && quoteName(signer),
      tool: tool && quoteName(tool),
    },
  };
}

/** Of an inspection, in the order of the line: the scores, then what is mentioned and does not count. */
export function reasonsOf(inspection: Inspection, evidence: Evidence, isAi: boolean): Reason[] {
  const { image, bands, credentials, marks, warnings } = evidence;
  const region = findSuspiciousRegion(inspection, bands);
  const mark = strongestAiMark(marks);
  return [
    reasonOfWhole(inspection, evidence),
    reasonOfFaces(inspection, evidence),
    ...(region
      ? [{ code: 'suspicious_region', params: { position: positionOf(region, image) } } as const]
      : []),
    ...(credentials ? [noteCredentials(credentials)] : []),
    ...(mark ? [noteMark(mark)] : []),
    ...(isAi ? [] : [{ code: 'no_proof', params: { limits: limitsOf(warnings) } } as const]),
  ];
}

function reasonOfWhole({ fullImageScore, drawn, panel, panels }: Inspection, evidence: Evidence): Reason {
  const { threshold } = evidence.bands.fullImage;
  return {
    code: fullImageScore >= threshold ? 'full_image_fired' : 'full_image_below',
    params: {
      strength: strengthOf(fullImageScore, threshold),
      judged_as: mediumOf(drawn) === 'drawn' ? 'illustration' : 'photograph',
      embedded: panel && { count: panels.length, position: positionOf(panel, evidence.image) },
    },
  };
}

function reasonOfFaces(inspection: Inspection, { image, bands }: Evidence): Reason {
  const face = strongestFace(inspection);
  if (face === null) return { code: 'no_face', params: { min_px: MIN_FACE_PX } };
  const { threshold } = bands.face;
  const fired = inspection.faces.filter(({ score }) => score >= threshold).length;
  return {
    code: fired > 0 ? 'face_fired' : 'face_below',
    params: {
      strength: strengthOf(face.score, threshold),
      position: positionOf(face.box, image),
      faces: inspection.faces.length,
      fired,
      trace: face.generated > face.manipulated ? 'generated' : 'manipulated',
    },
  };
}

function noteCredentials({ state, ai, signer }: Credentials): Reason {
  return { code: 'credentials_noted', params: { state, ai, signer: signer && quoteName(signer) } };
}

function noteMark({ kind, says, generator, value }: Mark): Reason {
  return { code: 'mark_noted', params: { kind, says, generator, value } };
}

/** A suspicious region has a reason of its own. */
function limitsOf(warnings: readonly Warning[]): Limit[] {
  return warnings.map(({ code }) => code).filter((code) => code !== 'part_generated');
}
