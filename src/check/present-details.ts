// The `details` that a caller may ask for with `include`.
import type { Box } from '../engine/types.js';
import { roundMs, roundScore } from './rounding.js';
import type {
  AiClaim,
  Band,
  CheckReport,
  CredentialState,
  DetailName,
  Mark,
  TrustTier,
  Warning,
} from './types.js';

/** A threshold and what was measured at it. */
export interface PresentedBand {
  readonly threshold: number;
  readonly false_alarm_rate: number;
  /** Null if a tier was not measured. */
  readonly recall: Band['recall'];
}

/** Members stand here only where they were asked for. */
export interface Details {
  /**
   * Several hundred parts of the picture, a grid, with the score of each, 0..1, that it was generated; boxes in original
   * pixels. Parts that the encoder does not see are left out. `peak`: the part that looks most generated, of several
   * cells, with a score that can be held against the threshold of the whole picture. Null if the plan judges none.
   * `panels`: the pictures within this one, largest first, each with its score as a picture of its own.
   */
  readonly heatmap?: {
    readonly patches: readonly { readonly box: Box; readonly score: number }[];
    readonly peak: { readonly box: Box; readonly score: number } | null;
    readonly panels: readonly { readonly box: Box; readonly score: number }[];
  };
  /** Every face that was scored, largest first. */
  readonly faces?: readonly {
    readonly box: Box;
    readonly score: number;
    /** Probability that the face was swapped or edited; with `generated` it makes the score. */
    readonly manipulated: number;
    /** Probability that the face was generated. */
    readonly generated: number;
    readonly confidence: number;
  }[];
  /** Null if no manifest is embedded. */
  readonly credentials?: {
    readonly state: CredentialState;
    readonly trust_tier: TrustTier | null;
    readonly signed_at: string | null;
    readonly ai_claim: AiClaim | null;
    readonly tool: string | null;
    readonly claim_generator: string | null;
    readonly manifests: readonly string[];
    readonly validation_status: readonly string[];
    readonly digital_source_types: readonly string[];
    /** Algorithms of watermarks or fingerprints that the manifests name; none was looked for. */
    readonly soft_bindings: readonly string[];
  } | null;
  /**
   * With `credentials`: the address at which a file without an embedded manifest says that its credentials are; null if it
   * does not. It is told and not fetched.
   */
  readonly remote_manifest?: string | null;
  /** Milliseconds by stage, one decimal; `queue` is the wait for a decode thread, `views` how many views were seen. */
  readonly timings?: {
    readonly fetch: number;
    readonly queue: number;
    readonly decode: number;
    readonly credentials: number;
    readonly faces: number;
    readonly inference: number;
    readonly views: number;
  };
  /**
   * What the scores are compared with. `drawn`: the probability that the picture is drawn, which sets the threshold of
   * the whole picture between those of photographed and of drawn ones. Null if no detector ran.
   */
  readonly thresholds?: {
    readonly drawn: number | null;
    readonly full_image_specialist: PresentedBand;
    readonly face_specialist: PresentedBand;
  };
  /** Circumstances near a limit. */
  readonly warnings?: readonly Warning[];
  /** What the file itself declares and the picture shows, strongest first: unsigned claims, which decide nothing. */
  readonly marks?: readonly Mark[];
  /** The signed record of the check, as /schemas/record.json has it; the presenter adds it. */
  readonly record?: object;
}

/** The members of `details` named in `include`, in the order of the documentation. */
export function presentDetails(
  report: CheckReport,
  include: readonly DetailName[],
  fetchMs: number,
): Details {
  const asked = new Set(include);
  return {
    ...(asked.has('heatmap') && { heatmap: presentHeatmap(report) }),
    ...(asked.has('faces') && { faces: presentFaces(report) }),
    ...(asked.has('credentials') && {
      credentials: presentCredentials(report),
      remote_manifest: report.remoteManifest,
    }),
    ...(asked.has('timings') && { timings: presentTimings(report, fetchMs) }),
    ...(asked.has('thresholds') && {
      thresholds: {
        drawn: report.drawn,
        full_image_specialist: presentBand(report.bands.fullImage),
        face_specialist: presentBand(report.bands.face),
      },
    }),
    ...(asked.has('warnings') && { warnings: report.warnings }),
    ...(asked.has('marks') && { marks: report.marks }),
  };
}

function presentHeatmap({ patches, part, panels, bands }: CheckReport): NonNullable<Details['heatmap']> {
  return {
    // A patch has no threshold of its own; 0 leaves the rounding plain.
    patches: patches.map(({ box, score }) => ({ box, score: roundScore(score, 0) })),
    panels: panels.map(({ box, score }) => ({ box, score: roundScore(score, bands.fullImage.threshold) })),
    peak: part && { box: part.box, score: roundScore(part.score, bands.fullImage.threshold) },
  };
}

function presentFaces({ faces, bands }: CheckReport): NonNullable<Details['faces']> {
  return faces.map(({ box, score, manipulated, generated, confidence }) => ({
    box,
    score: roundScore(score, bands.face.threshold),
    manipulated: roundScore(manipulated, 0),
    generated: roundScore(generated, 0),
    confidence: roundScore(confidence, 0),
  }));
}

function presentCredentials({ credentials }: CheckReport): NonNullable<Details['credentials']> | null {
  if (!credentials.found) return null;
  return {
    state: credentials.state,
    trust_tier: credentials.trustTier,
    signed_at: credentials.signedAt,
    ai_claim: credentials.aiClaim,
    tool: credentials.tool,
    claim_generator: credentials.claimGenerator,
    manifests: credentials.manifests,
    validation_status: credentials.validationCodes,
    digital_source_types: credentials.digitalSourceTypes,
    soft_bindings: credentials.softBindings,
  };
}

function presentTimings({ timings, views }: CheckReport, fetchMs: number): NonNullable<Details['timings']> {
  return {
    fetch: roundMs(fetchMs),
    queue: roundMs(timings.queue),
    decode: roundMs(timings.decode),
    credentials: roundMs(timings.credentials),
    faces: roundMs(timings.faces),
    inference: roundMs(timings.inference),
    views,
  };
}

/** What was measured at a threshold. */
export function presentBand({ threshold, falseAlarmRate, recall }: Band): PresentedBand {
  return { threshold, false_alarm_rate: falseAlarmRate, recall };
}
