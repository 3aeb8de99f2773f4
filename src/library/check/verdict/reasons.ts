// The reasons of a verdict as codes with parameters, from which sentences can be made in any language.
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

/** Everything that is known about an image before its verdict. */
export interface Evidence {
  readonly image: SniffedImage;
  /** Content Credentials, or null if the image has no manifest. */
  readonly credentials: Credentials | null;
  /** Marks, which are mentioned but never influence the verdict. */
  readonly marks: readonly Mark[];
  /** Scores and faces, or null if verified credentials record AI, so that no detector ran. */
  readonly inspection: Inspection | null;
  readonly bands: ImageBands;
  readonly warnings: readonly Warning[];
}

/** Distance of a score from its threshold in words, such as `just_above` or `far_below`. */
type Strength = `${'just' | 'clearly' | 'far'}_${'above' | 'below'}`;

/** Parameters of the reason about the whole image's score. */
interface WholeParams {
  readonly strength: Strength;
  readonly judged_as: 'photograph' | 'illustration';
  /** The highest-scoring of `count` embedded images, or null if the score is the whole image's. */
  readonly embedded: { readonly count: number; readonly position: Position } | null;
}

/** Parameters of the reason about faces; `fired` of the `faces` faces reach the threshold. */
interface FaceParams {
  readonly strength: Strength;
  readonly position: Position;
  readonly faces: number;
  readonly fired: number;
  /** More probable explanation of a flagged face. */
  readonly trace: 'generated' | 'manipulated';
}

/** A warning that is mentioned as a limit of the verdict. `part_generated` has its own reason. */
export type Limit = Exclude<Warning['code'], 'part_generated'>;

/** Parameters of each reason code. Codes never change; clients ignore unknown ones. */
interface ReasonParams {
  /** Verified credentials record AI, which decides the verdict. */
  readonly credentials_record_ai: {
    readonly claim: AiClaim;
    readonly signer: string | null;
    readonly tool: string | null;
  };
  readonly full_image_fired: WholeParams;
  readonly full_image_below: WholeParams;
  readonly face_fired: FaceParams;
  readonly face_below: FaceParams;
  /** No photographed face was detected whose sides have at least `min_px` pixels. */
  readonly no_face: { readonly min_px: number };
  /** A region looks like AI although the whole image does not. It does not count. */
  readonly suspicious_region: { readonly position: Position };
  /** The image has credentials, but they do not decide. */
  readonly credentials_noted: {
    readonly state: CredentialState;
    readonly ai: boolean;
    readonly signer: string | null;
  };
  /** The file declares or shows AI without a signature. It never counts. */
  readonly mark_noted: Pick<Mark, 'kind' | 'says' | 'generator' | 'value'>;
  /** The image matches a known image, one that the operator has listed. */
  readonly known_image: {
    readonly label: KnownLabel;
    readonly note: string | null;
    readonly source: string | null;
    /** True if the match makes the verdict AI. */
    readonly decides: boolean;
  };
  /** Nothing was flagged, which proves nothing. `limits` make this image harder to judge. */
  readonly no_proof: { readonly limits: readonly Limit[] };
}

/** One reason of a verdict, or a fact that is mentioned with it but does not count. */
export type Reason = {
  [C in ReasonCode]: { readonly code: C; readonly params: ReasonParams[C] };
}[ReasonCode];

function strengthOf(score: number, threshold: number): Strength {
  return describeStrength(score, threshold).replace(' ', '_') as Strength;
}

/** Returns the face with the highest score, or null without faces. */
export function strongestFace(inspection: Inspection | null): InspectedFace | null {
  const faces = inspection?.faces ?? [];
  return faces.reduce<InspectedFace | null>(
    (best, face) => (best && best.score >= face.score ? best : face),
    null,
  );
}

/** Returns the suspicious region if it reaches the threshold and the whole image does not, else null. */
export function findSuspiciousRegion(
  { part, fullImageScore }: Inspection,
  { fullImage }: ImageBands,
): Box | null {
  return part !== null && part.score >= fullImage.threshold && fullImageScore < fullImage.threshold
    ? part.box
    : null;
}

/** Returns the reason for credentials that decide the verdict. */
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

/** Returns the reasons in the order of the sentence: scores, then mentions that do not count. */
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
    ...(credentials ? [reasonOfNotedCredentials(credentials)] : []),
    ...(mark ? [reasonOfMark(mark)] : []),
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

function reasonOfNotedCredentials({ state, ai, signer }: Credentials): Reason {
  return { code: 'credentials_noted', params: { state, ai, signer: signer && quoteName(signer) } };
}

function reasonOfMark({ kind, says, generator, value }: Mark): Reason {
  return { code: 'mark_noted', params: { kind, says, generator, value } };
}

/** Returns the warnings that are mentioned as limits. `part_generated` has its own reason. */
function limitsOf(warnings: readonly Warning[]): Limit[] {
  return warnings.map(({ code }) => code).filter((code) => code !== 'part_generated');
}
