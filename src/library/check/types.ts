// Types of a check: its input, its findings and its verdict.
import type { ErrorCode } from '../base/error-codes.js';
import type { MarkKind } from './marks/kinds.js';
import type { Box, SniffedImage } from '../engine/types.js';

/**
 * Reasons to look closer at an image that was not flagged, strongest first. `blank`: there is nothing to judge.
 * Others: a visible sign of a generator, an AI watermark, an unsigned mark, credentials that record AI but don't
 * count, a suspicious region, or one of several faces or a score that reaches the threshold of the profile sensitive.
 */
export const ATTENTIONS = [
  'visible',
  'watermark',
  'mark',
  'credentials',
  'blank',
  'part',
  'face',
  'score',
] as const;
/** Reason to look closer. */
export type Attention = (typeof ATTENTIONS)[number];

/** Operating points of the bands file: fewest false positives, the default, fewest misses. */
export const PROFILE_NAMES = ['strict', 'balanced', 'sensitive'] as const;
/** Name of an operating point. */
export type ProfileName = (typeof PROFILE_NAMES)[number];

/** Signals that can make a verdict AI. */
export const SIGNALS = ['full_image_specialist', 'face_specialist', 'content_credentials'] as const;
/** Signal that can make a verdict AI. */
export type Signal = (typeof SIGNALS)[number];

/** Threshold of one detector at one operating point, with its measured rates. */
export interface Band {
  /** Score from which the detector flags the image, 0..1. */
  readonly threshold: number;
  /** Measured share of flagged genuine images of sources outside the training data, 0..1. */
  readonly falseAlarmRate: number;
  /** Measured share of flagged AI images of left-out sources by degradation level, 0..1, or null if not measured. */
  readonly recall: {
    readonly clean: number | null;
    readonly web: number | null;
    readonly hard: number | null;
  };
}

/**
 * Image domains: photographs, and illustrations (a painting, drawing, anime, render or game), whose thresholds differ
 * widely.
 */
export const MEDIUM_NAMES = ['photographed', 'drawn'] as const;
/** Image domain. */
export type Medium = (typeof MEDIUM_NAMES)[number];

/** Thresholds of one operating point. */
export interface ProfileBands {
  readonly fullImage: Readonly<Record<Medium, Band>>;
  readonly face: Band;
}

/** Thresholds of one image; the whole image's lies between the thresholds of both domains. */
export interface ImageBands {
  readonly fullImage: Band;
  readonly face: Band;
}

/** Assessments, which unlike the verdict can be unclear. */
export const ASSESSMENTS = ['likely_ai', 'unclear', 'no_ai_detected'] as const;
/** Assessment of an image. */
export type Assessment = (typeof ASSESSMENTS)[number];

/** A share, 0..1, with its 95% interval over sources. */
export interface MeasuredShare {
  readonly rate: number;
  readonly low: number;
  readonly high: number;
}

/** Measured rates of the images with one assessment, on sources that neither trained a network nor set a threshold. */
export interface AssessmentRates {
  /** Number of test images with this assessment at any degradation level, and of their sources. */
  readonly images: number;
  readonly sources: number;
  /** Share of the AI images that have this assessment, 0..1, over all degradation levels. */
  readonly ofAi: number;
  /** Share of the genuine images that have this assessment, 0..1, over all degradation levels. */
  readonly ofGenuine: number;
  /** Share of AI among images with this assessment if one in ten, or one in two, is AI. */
  readonly at1In10: MeasuredShare;
  readonly at1In2: MeasuredShare;
}

/** Limits of `no_ai_detected`, and measured rates of each assessment, from `python -m measure.assessment`. */
export interface AssessmentBands {
  /** Scores from which an image is no longer `no_ai_detected`; never above the thresholds of `sensitive`. */
  readonly lowerEdges: { readonly fullImage: Readonly<Record<Medium, number>>; readonly face: number };
  readonly rates: Readonly<Record<Assessment, AssessmentRates>>;
}

/** Validated content of models/bands.json. */
export interface Bands {
  readonly version: string;
  /** Models of these thresholds: `telltale-<semver>`. */
  readonly model: string;
  readonly profiles: Readonly<Record<ProfileName, ProfileBands>>;
  /** Absent from an operator's own thresholds, for which nothing was measured. */
  readonly assessment?: AssessmentBands;
}

/**
 * State of a manifest. `untrusted`: intact, but the signer is unknown, expired or revoked. `tampered`: changed after
 * signing. `unreadable`: malformed, or not read within the reader's limits.
 */
export const CREDENTIAL_STATES = ['verified', 'untrusted', 'tampered', 'unreadable'] as const;
/** State of a manifest. */
export type CredentialState = (typeof CREDENTIAL_STATES)[number];

/**
 * Trust list that vouches for a signer: the official C2PA list, the operator's own anchors, or the frozen interim
 * list, which never makes a signer verified.
 */
export const TRUST_TIERS = ['official', 'operator', 'interim'] as const;
/** Trust list that vouches for a signer. */
export type TrustTier = (typeof TRUST_TIERS)[number];

/** The manifest's claim about AI. */
export const AI_CLAIMS = ['generated', 'edited', 'contains'] as const;
/** The manifest's claim about AI. */
export type AiClaim = (typeof AI_CLAIMS)[number];

/** Content of an embedded C2PA manifest store. */
export interface Credentials {
  readonly found: true;
  readonly state: CredentialState;
  /** Organisation, else common name, in the signing certificate's subject; null if unreadable. */
  readonly signer: string | null;
  /** True only for the state `verified`. */
  readonly verified: boolean;
  /** Trust list that the signer's certificates lead to, or null. */
  readonly trustTier: TrustTier | null;
  /** Time of signing by a trusted time stamp, RFC 3339, or null. */
  readonly signedAt: string | null;
  /** True if the manifest records that AI made or edited the image, verified or not. */
  readonly ai: boolean;
  /** Strongest claim behind `ai`, preferably of those that count; null if `ai` is false. */
  readonly aiClaim: AiClaim | null;
  /** True if every manifest up to the one that records AI is verified; the credentials then decide the verdict. */
  readonly aiCounts: boolean;
  /** Software that the AI action or the claim names, or null. */
  readonly tool: string | null;
  readonly claimGenerator: string | null;
  /** Labels of the active manifest and its ingredients. */
  readonly manifests: readonly string[];
  /** C2PA validation status codes, failures first; `telltale.*` if the reader itself failed. */
  readonly validationCodes: readonly string[];
  /** Every digital source type of the manifests that count, as written. */
  readonly digitalSourceTypes: readonly string[];
  /** Algorithms of the soft bindings in the manifests: watermarks or fingerprints, which were not searched for. */
  readonly softBindings: readonly string[];
  /** Generator that a manifest names as the image's creator without a source type; a mark, not a record of AI. */
  readonly generator: string | null;
}

/** Options of reading credentials. */
export interface ReadOptions {
  /** Signal that leaves a waiting file unread, which is a finding. */
  readonly signal?: AbortSignal;
  /** Account of the file, for fair sharing of the reading processes. */
  readonly accountId?: string | undefined;
  /** Manifest store of a file that only points to it; default: the file's own. */
  readonly manifest?: Uint8Array | null;
}

/** Reads the credentials of a file with a manifest. */
export interface CredentialReader {
  /**
   * Never rejects: errors are findings. Null if the promised manifest is missing. `bytes` must not change until the
   * promise settles.
   */
  read(
    bytes: Uint8Array,
    image: Pick<SniffedImage, 'format'>,
    options?: ReadOptions,
  ): Promise<Credentials | null>;
}

/** Statements of a mark. `edited` by the kind `editor` means without AI, by other kinds with AI. */
export const MARK_STATEMENTS = ['generated', 'edited', 'possibly_generated', 'camera'] as const;

/**
 * A declaration or visible sign in the file, a watermark, or a result of a maker's service. Anybody can write or copy
 * most of them, and none is Telltale's own finding, so marks never decide.
 */
export interface Mark {
  readonly kind: MarkKind;
  /** Program or service that the mark names as the maker, at most 64 characters, or null. */
  readonly generator: string | null;
  readonly says: (typeof MARK_STATEMENTS)[number];
  /**
   * Block and field, such as `png:parameters` or `xmp:photoshop:Credit`; `pixels` for a visible sign and a watermark.
   */
  readonly where: string;
  /** Text on one line, at most 300 characters. */
  readonly value: string;
  /** Box of a visible sign; absent for other kinds. */
  readonly box?: Box;
}

/** Fields of `details` that a caller may request. */
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

/** An image to check. */
export interface CheckInput {
  /** Original file; must not change until the check settles. */
  readonly bytes: Uint8Array;
  /** Profile; default `balanced`. */
  readonly profile?: ProfileName | undefined;
  readonly signal?: AbortSignal | undefined;
  /** True to search the pixels for visible signs and open watermarks, which decodes twice; default false. */
  readonly searchPixels?: boolean | undefined;
  /**
   * Function that asks others for marks of an image that was not refused; shown, never weighed. Must not reject and
   * must settle in time; default: none.
   */
  readonly findMarks?: ((image: SniffedImage) => Promise<readonly Mark[]>) | undefined;
  /** True to make the heat map, which scores all crops; the image's score stays the same. Default false. */
  readonly heatMap?: boolean | undefined;
  /** Account of the image, for fair sharing of reading processes and engine. Default: none. */
  readonly accountId?: string | undefined;
  /** True for work that nobody waits for: every step of other work has priority in the engine. Default false. */
  readonly background?: boolean | undefined;
  /** Longer side in pixels of a preview; default: none is made. */
  readonly previewPx?: number | undefined;
  /** True to hash the scene; default false. */
  readonly hashScene?: boolean | undefined;
  /** Milliseconds from now after which the check ends with `deadline_exceeded`, at most 2^31 - 1; default: none. */
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

/** Labels of a known image. */
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

/** A circumstance that makes the verdict less reliable than its scores, or that the scores don't show. */
export interface Warning {
  readonly code: (typeof WARNING_CODES)[number];
  readonly message: string;
}

/** An image that was refused or failed. */
export interface CheckFailure {
  readonly code: ErrorCode;
  readonly message: string;
}
