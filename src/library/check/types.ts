// Types of a check: its input, its findings and its verdict.
import type { ManifestStep } from './credentials/steps.js';
import type { ErrorCode } from '../base/error-codes.js';
import type { MarkKind } from './marks/kinds.js';
import type { Box, SniffedImage } from '../engine/types.js';

/**
 * Reasons to look closer at an image that was not flagged, strongest first: an image that the operator lists
 * as fake, a visible sign of a generator, an AI watermark, a declaration of AI, credentials that record AI
 * but don't count, a change after signing, a blank image (nothing to judge), a suspicious region, one of
 * several faces, or a score that only the most sensitive thresholds flag.
 */
export const ATTENTIONS = [
  'known',
  'visible',
  'watermark',
  'mark',
  'credentials',
  'tampered',
  'blank',
  'part',
  'face',
  'score',
] as const;
/** Reason to look closer at an image that was not flagged. */
export type Attention = (typeof ATTENTIONS)[number];

/** Names of the profiles (sets of thresholds): fewest false positives, the default, fewest misses. */
export const PROFILE_NAMES = ['strict', 'balanced', 'sensitive'] as const;
/** Name of a profile. */
export type ProfileName = (typeof PROFILE_NAMES)[number];

/** Detectors and credentials, each of which can make a verdict AI. */
export const SIGNALS = ['full_image_specialist', 'face_specialist', 'content_credentials'] as const;
/** Detector, or credentials, that can make a verdict AI. */
export type Signal = (typeof SIGNALS)[number];

/** Threshold of one detector in one profile, with the rates measured at it. */
export interface Band {
  /** Score from which the detector flags the image, 0..1. */
  readonly threshold: number;
  /** Measured share of genuine images that are flagged, 0..1. Their sources were not in the training data. */
  readonly falseAlarmRate: number;
  /** Measured share of AI images that are flagged, 0..1, by degradation level; null if not measured. */
  readonly recall: {
    readonly clean: number | null;
    readonly web: number | null;
    readonly hard: number | null;
  };
}

/**
 * Image domains: photographs, and illustrations (paintings, drawings, anime, renders, games). Their
 * thresholds differ widely.
 */
export const MEDIUM_NAMES = ['photographed', 'drawn'] as const;
/** Image domain. */
export type Medium = (typeof MEDIUM_NAMES)[number];

/** Thresholds of one profile. */
export interface ProfileBands {
  readonly fullImage: Readonly<Record<Medium, Band>>;
  readonly face: Band;
}

/** Thresholds of one image. For the whole image, the threshold lies between both domains' thresholds. */
export interface ImageBands {
  readonly fullImage: Band;
  readonly face: Band;
}

/** Assessments, shown to people as headlines. Unlike a verdict, an assessment can be unclear. */
export const ASSESSMENTS = ['likely_ai', 'unclear', 'no_ai_detected'] as const;
/** Assessment of a check, shown to people as a headline. */
export type Assessment = (typeof ASSESSMENTS)[number];

/** A measured share, 0..1, with its 95% confidence interval. */
export interface MeasuredShare {
  readonly rate: number;
  readonly low: number;
  readonly high: number;
}

/** Measured rates of images with the same assessment, from sources outside training and calibration. */
export interface AssessmentRates {
  /** Number of test images with this assessment, at all degradation levels, and number of their sources. */
  readonly images: number;
  readonly sources: number;
  /** Share of the AI images that have this assessment, 0..1, over all degradation levels. */
  readonly ofAi: number;
  /** Share of the genuine images that have this assessment, 0..1, over all degradation levels. */
  readonly ofGenuine: number;
  /** Share of AI among images with this assessment, if one in ten (`at1In2`: one in two) is AI. */
  readonly at1In10: MeasuredShare;
  readonly at1In2: MeasuredShare;
}

/** Limits of `no_ai_detected`, and measured rates of each assessment, from `python -m measure.assessment`. */
export interface AssessmentBands {
  /** Scores from which an image is not `no_ai_detected` any more; at most the thresholds of `sensitive`. */
  readonly lowerEdges: { readonly fullImage: Readonly<Record<Medium, number>>; readonly face: number };
  readonly rates: Readonly<Record<Assessment, AssessmentRates>>;
}

/** Content of models/bands.json, validated. */
export interface Bands {
  readonly version: string;
  /** Name of the models that the thresholds belong to: `telltale-<semver>`. */
  readonly model: string;
  readonly profiles: Readonly<Record<ProfileName, ProfileBands>>;
  /** Absent in an operator's own thresholds, for which these rates were not measured. */
  readonly assessment?: AssessmentBands;
}

/**
 * States of a manifest. `untrusted`: intact, but the signer is unknown, expired or revoked. `tampered`:
 * changed after signing. `unreadable`: malformed, or beyond the limits of the reader.
 */
export const CREDENTIAL_STATES = ['verified', 'untrusted', 'tampered', 'unreadable'] as const;
/** State of a manifest. */
export type CredentialState = (typeof CREDENTIAL_STATES)[number];

/** Trust lists: C2PA's official list, the operator's own, or C2PA's frozen interim list, which never verifies. */
export const TRUST_TIERS = ['official', 'operator', 'interim'] as const;
/** Trust list on which a signer is. */
export type TrustTier = (typeof TRUST_TIERS)[number];

/** Claims of a manifest about AI: it generated the image, edited it, or made a part of it. */
export const AI_CLAIMS = ['generated', 'edited', 'contains'] as const;
/** Claim of a manifest about AI. */
export type AiClaim = (typeof AI_CLAIMS)[number];

/** Content of an image's manifests (its Content Credentials), and the result of validating them. */
export interface Credentials {
  readonly found: true;
  readonly state: CredentialState;
  /** Organisation or else common name in the signing certificate; null if unreadable. */
  readonly signer: string | null;
  /** True only for the state `verified`. */
  readonly verified: boolean;
  /** Trust list to which the signer's certificates lead, or null. */
  readonly trustTier: TrustTier | null;
  /** Time of signing by a trusted time stamp, in RFC 3339, or null. */
  readonly signedAt: string | null;
  /** True if the manifest records that AI made or edited the image, verified or not. */
  readonly ai: boolean;
  /** Strongest claim about AI, preferring claims that count; null if `ai` is false. */
  readonly aiClaim: AiClaim | null;
  /** True if verified signers vouch for the record of AI and for all manifests above it. It then decides the verdict. */
  readonly aiCounts: boolean;
  /** Software that the action with AI, or else the claim, names; or null. */
  readonly tool: string | null;
  readonly claimGenerator: string | null;
  /** Labels of the active manifest and its ingredients. */
  readonly manifests: readonly string[];
  /** C2PA's validation status codes, failures first; `telltale.*` if the reader itself failed. */
  readonly validationCodes: readonly string[];
  /** All digital source types (kinds of origin) in the active manifest and its unchanged ingredients, as written. */
  readonly digitalSourceTypes: readonly string[];
  /** Algorithms of watermarks or fingerprints that the manifests name. They were not searched for. */
  readonly softBindings: readonly string[];
  /** Content of each manifest, the active manifest first. Claims of the signers, also of unverified ones. */
  readonly chain: readonly ManifestStep[];
  /** Generator that a manifest names as creator without a source type. This is a mark, not a record of AI. */
  readonly generator: string | null;
}

/** Options of reading credentials. */
export interface ReadOptions {
  /** Signal to stop waiting. The file then counts as unreadable. */
  readonly signal?: AbortSignal;
  /** Account of the file, so that accounts share the reading processes fairly. */
  readonly accountId?: string | undefined;
  /** Manifest store that was fetched for the file; default: the one in the file. */
  readonly manifest?: Uint8Array | null;
}

/** Reader of the Content Credentials of files that have a manifest. */
export interface CredentialReader {
  /**
   * Reads a file's credentials. Never rejects, because errors are findings. Returns null if the manifest that
   * the header announces is missing. `bytes` must not change until the promise settles.
   */
  read(
    bytes: Uint8Array,
    image: Pick<SniffedImage, 'format'>,
    options?: ReadOptions,
  ): Promise<Credentials | null>;
}

/** Statements of a mark. `edited` means with AI, except for marks of the kind `editor`. */
export const MARK_STATEMENTS = ['generated', 'edited', 'possibly_generated', 'camera'] as const;

/**
 * A sign of how an image was made: a declaration in the file, a visible sign, a watermark, or a result of a
 * generator company's service. Most marks can be written or copied by anybody, and Telltale can't verify
 * them, so marks never decide a verdict.
 */
export interface Mark {
  readonly kind: MarkKind;
  /** Program or service that made the image according to the mark, at most 64 characters, or null. */
  readonly generator: string | null;
  readonly says: (typeof MARK_STATEMENTS)[number];
  /** Kind of metadata and field, such as `png:parameters`; `pixels` for a visible sign or a watermark. */
  readonly where: string;
  /** Text of the mark on one line, at most 300 characters. */
  readonly value: string;
  /** Box of a visible sign; absent for other marks. */
  readonly box?: Box;
}

/** Fields of `details` that a caller can request. */
export const DETAIL_NAMES = [
  'heatmap',
  'faces',
  'credentials',
  'reasons',
  'assessment',
  'timings',
  'thresholds',
  'warnings',
  'marks',
  'seen',
  'record',
] as const;
/** Field of `details`. */
export type DetailName = (typeof DETAIL_NAMES)[number];

/** An image to check, and options. */
export interface CheckInput {
  /** Bytes of the original file, which must not change until the check settles. */
  readonly bytes: Uint8Array;
  /** Profile (set of thresholds); default `balanced`. */
  readonly profile?: ProfileName | undefined;
  readonly signal?: AbortSignal | undefined;
  /** True to search the pixels for visible signs and watermarks, a second decoding; default false. */
  readonly searchPixels?: boolean | undefined;
  /**
   * Function that asks other services for marks of the image. It is called last and never influences the
   * verdict. It must settle in time and not reject. Default: none.
   */
  readonly findMarks?: ((image: SniffedImage) => Promise<readonly Mark[]>) | undefined;
  /** True to make the heat map, which scores all crops. The image's score stays the same. Default false. */
  readonly heatMap?: boolean | undefined;
  /** Account of the image, so that accounts share processes and threads fairly. Default: none. */
  readonly accountId?: string | undefined;
  /** True for work that nobody waits for, so that other work goes first in the engine. Default false. */
  readonly background?: boolean | undefined;
  /** Longer side in pixels of a preview; default: no preview is made. */
  readonly previewPx?: number | undefined;
  /** True to compute hashes for finding copies of the image; default false. */
  readonly hashScene?: boolean | undefined;
  /** Milliseconds after which the check ends with `deadline_exceeded`, at most 2^31 - 1; default: none. */
  readonly deadlineMs?: number | undefined;
}

/** Codes of the reasons of a verdict. */
export const REASON_CODES = [
  'credentials_record_ai',
  'full_image_fired',
  'full_image_below',
  'face_fired',
  'face_below',
  'no_face',
  'suspicious_region',
  'credentials_noted',
  'mark_noted',
  'known_image',
  'no_proof',
] as const;
/** Code of a reason. */
export type ReasonCode = (typeof REASON_CODES)[number];

/** Labels of a known image, one that the operator has listed. */
export const KNOWN_LABELS = ['fake', 'genuine'] as const;
/** Label of a known image. */
export type KnownLabel = (typeof KNOWN_LABELS)[number];

/** Codes of warnings. */
export const WARNING_CODES = [
  'image_small',
  'image_blank',
  'image_transparent',
  'jpeg_quality_low',
  'face_small',
  'faces_many',
  'part_generated',
] as const;

/** A circumstance that makes the verdict less reliable, or that the scores don't show. */
export interface Warning {
  readonly code: (typeof WARNING_CODES)[number];
  readonly message: string;
}

/** Error of an image that was refused or could not be checked. */
export interface CheckFailure {
  readonly code: ErrorCode;
  readonly message: string;
}
