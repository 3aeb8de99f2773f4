// The words of a verdict: what a check takes, finds and returns, before any JSON shape.
import type { ErrorCode } from '../base/error-codes.js';
import type { MarkKind } from './marks/kinds.js';
import type { Box, SniffedImage } from '../engine/types.js';

/**
 * Why a person should see an image that nothing fired on, strongest first. `blank`: there is nothing to judge. All others
 * ask to look closer: a generator's sign on the image, an AI watermark in the pixels, an unsigned mark of the file. Or
 * credentials that record AI and do not count, or a part that looks generated. Or one of several faces, or a score, that
 * reaches the threshold of the profile sensitive.
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
/** One of them. */
export type Attention = (typeof ATTENTIONS)[number];

/** Operating points of the bands file: fewest false positives, the default, fewest misses. */
export const PROFILE_NAMES = ['strict', 'balanced', 'sensitive'] as const;
/** One operating point. */
export type ProfileName = (typeof PROFILE_NAMES)[number];

/** Signals that can make a verdict AI. */
export const SIGNALS = ['full_image_specialist', 'face_specialist', 'content_credentials'] as const;
/** One of them. */
export type Signal = (typeof SIGNALS)[number];

/** What the bands file says of one detector at one operating point. */
export interface Band {
  /** A score at or above this fires, 0..1. */
  readonly threshold: number;
  /** Share of genuine images of sources not trained on that fire, 0..1; measured. */
  readonly falseAlarmRate: number;
  /** Share of AI images of left-out sources that fire, by delivery tier, 0..1; measured, null if it was not. */
  readonly recall: {
    readonly clean: number | null;
    readonly web: number | null;
    readonly hard: number | null;
  };
}

/**
 * What an image looks like, whether AI made it or not: a photograph, or something drawn (a painting, drawing, anime,
 * render or game). The two want thresholds far apart.
 */
export const MEDIUM_NAMES = ['photographed', 'drawn'] as const;
/** One of them. */
export type Medium = (typeof MEDIUM_NAMES)[number];

/** The thresholds of one operating point. */
export interface ProfileBands {
  readonly fullImage: Readonly<Record<Medium, Band>>;
  readonly face: Band;
}

/** The thresholds that one image is judged by; that of the whole image lies between those of the two looks. */
export interface ImageBands {
  readonly fullImage: Band;
  readonly face: Band;
}

/** What people are told beside the verdict, which never says that it is not sure. */
export const ASSESSMENTS = ['likely_ai', 'unclear', 'no_ai_detected'] as const;
/** One of them. */
export type Assessment = (typeof ASSESSMENTS)[number];

/** A share 0..1 with its 95% interval over sources. */
export interface MeasuredShare {
  readonly rate: number;
  readonly low: number;
  readonly high: number;
}

/** What was measured of the images of one assessment, on sources that neither trained a network nor set a threshold. */
export interface AssessmentRates {
  /** Images of the test that got it at any degradation level, and their sources. */
  readonly images: number;
  readonly sources: number;
  /** Share of AI images that get it, and of genuine ones, 0..1; all degradation levels alike. */
  readonly ofAi: number;
  readonly ofGenuine: number;
  /** How many of the images that get it are AI if one of ten sent is, and if one of two is. */
  readonly at1In10: MeasuredShare;
  readonly at1In2: MeasuredShare;
}

/** Where `no_ai_detected` ends, and what was measured of each assessment: `python -m measure.assessment`. */
export interface AssessmentBands {
  /** From these scores on an image is no longer `no_ai_detected`; never above the thresholds of `sensitive`. */
  readonly lowerEdges: { readonly fullImage: Readonly<Record<Medium, number>>; readonly face: number };
  readonly rates: Readonly<Record<Assessment, AssessmentRates>>;
}

/** models/bands.json after validation. */
export interface Bands {
  readonly version: string;
  /** `telltale-<semver>`: the pair of detectors these thresholds belong to. */
  readonly model: string;
  readonly profiles: Readonly<Record<ProfileName, ProfileBands>>;
  /** Absent from thresholds of an operator's own: nothing was measured of them. */
  readonly assessment?: AssessmentBands;
}

/**
 * How a found manifest was judged. `untrusted`: intact, but its signer is unknown, expired or revoked. `tampered`: what
 * was signed changed afterwards. `unreadable`: malformed, or not read within the reader's limits.
 */
export const CREDENTIAL_STATES = ['verified', 'untrusted', 'tampered', 'unreadable'] as const;
/** One of them. */
export type CredentialState = (typeof CREDENTIAL_STATES)[number];

/**
 * Which list vouches for a signer: the official C2PA list, anchors of the operator's own, or the frozen interim list.
 * The first two can make it verified, the interim list never does.
 */
export const TRUST_TIERS = ['official', 'operator', 'interim'] as const;
/** One of them. */
export type TrustTier = (typeof TRUST_TIERS)[number];

/** What the manifest says AI did. */
export const AI_CLAIMS = ['generated', 'edited', 'contains'] as const;
/** One of them. */
export type AiClaim = (typeof AI_CLAIMS)[number];

/** Everything read from an embedded C2PA manifest store. */
export interface Credentials {
  readonly found: true;
  readonly state: CredentialState;
  /** Organisation (else common name) in the signing certificate's subject; null when unreadable. */
  readonly signer: string | null;
  /** True only for state `verified`. */
  readonly verified: boolean;
  /** List that the signer's certificates lead to; null if they lead to none. */
  readonly trustTier: TrustTier | null;
  /** Time of signing by a trusted time stamp, RFC 3339; null if there is none. */
  readonly signedAt: string | null;
  /** Whether the manifest records that AI made or edited the image, verified or not. */
  readonly ai: boolean;
  /** Strongest claim behind `ai`, of those that count if any does; null if `ai` is false. */
  readonly aiClaim: AiClaim | null;
  /** Whether verified manifests alone, down to the one that says so, record AI: then they decide the verdict. */
  readonly aiCounts: boolean;
  /** Software that the AI action or the claim names; null when none. */
  readonly tool: string | null;
  readonly claimGenerator: string | null;
  /** Labels from the active manifest down through its ingredients. */
  readonly manifests: readonly string[];
  /** C2PA validation status codes, failures first; `telltale.*` if the reader itself gave up. */
  readonly validationCodes: readonly string[];
  /** Every digital source type of the manifests that count, as written. */
  readonly digitalSourceTypes: readonly string[];
  /** Algorithms of the soft bindings that the manifests name: watermarks or fingerprints, which nobody looked for. */
  readonly softBindings: readonly string[];
  /** A generator that a manifest names as what created the image, without a source type: a mark, no record of AI. */
  readonly generator: string | null;
}

/** For whom credentials are read. */
export interface ReadOptions {
  /** Where it aborts before the file's turn comes, the file stays unread, which is a finding. */
  readonly signal?: AbortSignal;
  /** Accounts take turns. */
  readonly accountId?: string | undefined;
  /** The manifest store of a file that only points to it; default: the file's own. */
  readonly manifest?: Uint8Array | null;
}

/** Reads the credentials of a file that has a manifest. */
export interface CredentialReader {
  /** Never rejects: faults are findings. Null if the promised manifest is not there. `bytes` stays as it is until it settles. */
  read(
    bytes: Uint8Array,
    image: Pick<SniffedImage, 'format'>,
    options?: ReadOptions,
  ): Promise<Credentials | null>;
}

/** What a mark can say; kind `editor` says `edited` without AI, every other kind means AI by it. */
export const MARK_STATEMENTS = ['generated', 'edited', 'possibly_generated', 'camera'] as const;

/**
 * Something that the file itself declares or shows, or a watermark, or what a maker's service says: anybody can write or
 * copy one, or none of it is Telltale's own finding, so it never decides.
 */
export interface Mark {
  readonly kind: MarkKind;
  /** The program or service that it names as its maker, at most 64 characters; null if it names none. */
  readonly generator: string | null;
  readonly says: (typeof MARK_STATEMENTS)[number];
  /** Block and field, such as `png:parameters` or `xmp:photoshop:Credit`; `pixels` for a visible sign and a watermark. */
  readonly where: string;
  /** The text on one line, at most 300 characters. */
  readonly value: string;
  /** Where a visible sign stands; other kinds have none. */
  readonly box?: Box;
}

/** Members of `details` a caller may ask for. */
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
/** One member of `details`. */
export type DetailName = (typeof DETAIL_NAMES)[number];

/** One image to check. */
export interface CheckInput {
  /** The original file; must not change until the check settles. */
  readonly bytes: Uint8Array;
  /** Default `balanced`. */
  readonly profile?: ProfileName | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Also look for visible signs and open watermarks in the pixels, at the cost of decoding twice; default false. */
  readonly searchPixels?: boolean | undefined;
  /** Asks others for marks of an image that is not refused: shown, never weighed. Must not reject, and must settle in time; default: none. */
  readonly findMarks?: ((image: SniffedImage) => Promise<readonly Mark[]>) | undefined;
  /** Also make the heat map, for which the encoder sees all views of the image, sure or not; scores stay as without. Default false. */
  readonly heatMap?: boolean | undefined;
  /** Whose image it is: accounts take turns at the reader of credentials and at the engine. Default: nobody's. */
  readonly accountId?: string | undefined;
  /** Nobody waits for it: at the engine, what somebody waits for goes before each of its steps. Default false. */
  readonly background?: boolean | undefined;
  /** Longer side of a preview to make of the image; default: none is made. */
  readonly previewPx?: number | undefined;
  /** Also hash what the image shows; default false. */
  readonly hashScene?: boolean | undefined;
  /** Milliseconds from now after which the check ends in `deadline_exceeded`, at most 2^31 - 1; default: none. */
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
/** One of them. */
export type ReasonCode = (typeof REASON_CODES)[number];

/** What an operator can say of an image that he knows. */
export const KNOWN_LABELS = ['fake', 'genuine'] as const;
/** One of them. */
export type KnownLabel = (typeof KNOWN_LABELS)[number];

/** What a warning can be about. */
export const WARNING_CODES = [
  'image_small',
  'image_blank',
  'image_transparent',
  'jpeg_quality_low',
  'face_small',
  'faces_many',
  'part_generated',
] as const;

/** A circumstance that makes the verdict weaker than its scores look, or that they do not tell. */
export interface Warning {
  readonly code: (typeof WARNING_CODES)[number];
  readonly message: string;
}

/** An image that was refused or failed. */
export interface CheckFailure {
  readonly code: ErrorCode;
  readonly message: string;
}
