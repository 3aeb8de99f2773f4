// The schema of `details`, the optional part of a check result.
import { Type } from '@sinclair/typebox';
import { named, nullable, oneOf, type ReadonlyStatic } from '../base/shape.js';
import type { Box } from '../engine/types.js';
import { MakerAnswerSchema } from './makers.js';
import {
  AI_CLAIMS,
  ASSESSMENTS,
  CREDENTIAL_STATES,
  KNOWN_LABELS,
  MARK_STATEMENTS,
  REASON_CODES,
  SIGNALS,
  TRUST_TIERS,
  WARNING_CODES,
} from './types.js';
import { MARK_KINDS } from './marks/kinds.js';

/** A score or a rate. */
export const ScoreSchema = Type.Number({ minimum: 0, maximum: 1 });
/** A rectangle of the image: [x, y, width, height]. */
export const BoxSchema = Type.Unsafe<Box>(
  Type.Array(Type.Integer(), {
    minItems: 4,
    maxItems: 4,
    description: '[x, y, w, h] in original pixels',
  }),
);
export const SignalSchema = named('Signal', oneOf(SIGNALS, 'what decided'));
const AssessmentSchema = named(
  'Assessment',
  oneOf(ASSESSMENTS, 'for people: unclear where the detectors are not sure; is_ai stays as it is'),
);

/** Schema of an entry of `details.faces`. */
const ScoredFace = Type.Object({
  box: BoxSchema,
  score: ScoreSchema,
  manipulated: Type.Number({ minimum: 0, maximum: 1, description: 'probability of a swap or an edit' }),
  generated: Type.Number({ minimum: 0, maximum: 1, description: 'probability that the face was generated' }),
  confidence: ScoreSchema,
});

const Ms = Type.Number({ minimum: 0 });

const Patch = Type.Object({ box: BoxSchema, score: ScoreSchema });

const HeatMap = Type.Object({
  patches: Type.Array(Patch, { description: 'cells of a grid, each with the score that it was generated' }),
  panels: Type.Array(Patch, {
    description:
      'embedded images: those that stand beside or above each other in this one, or what a frame or a caption surrounds, each with its own score; the one furthest above its threshold gives the score of the image',
  }),
  peak: Type.Union([Patch, Type.Null()], {
    description:
      'the suspicious region, which looks most generated; it reaches the threshold of the whole image on genuine images about as often as their own score does',
  }),
});

const Timings = Type.Object(
  {
    fetch: Ms,
    queue: Ms,
    decode: Ms,
    credentials: Ms,
    faces: Ms,
    inference: Ms,
    views: Type.Integer({
      minimum: 0,
      description:
        'how many crops of the image, and of embedded images, were scored: fewer after an early exit',
    }),
  },
  { description: 'milliseconds by stage, but for views' },
);

/** A threshold with its measured rates. */
const BandSchema = Type.Object({
  threshold: ScoreSchema,
  false_alarm_rate: ScoreSchema,
  recall: Type.Object({
    clean: nullable(ScoreSchema),
    web: nullable(ScoreSchema),
    hard: nullable(ScoreSchema),
  }),
});

const Thresholds = Type.Object({
  drawn: nullable(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        'probability that the image is an illustration (a painting, drawing, anime, render or game): it sets the threshold ' +
        'of the whole image between those of photographs and of illustrations',
    }),
  ),
  full_image_specialist: BandSchema,
  face_specialist: BandSchema,
});

const Mark = Type.Object({
  kind: named('MarkKind', oneOf(MARK_KINDS, 'by what it is recognised')),
  generator: nullable(Type.String({ description: 'program or service that it names' })),
  says: named('MarkStatement', oneOf(MARK_STATEMENTS, "edited means by AI, except for kind 'editor'")),
  where: Type.String({ description: 'block and field of the file' }),
  value: Type.String({ maxLength: 300 }),
  box: Type.Optional(BoxSchema),
});

const CredentialDetails = Type.Object({
  state: named('CredentialState', oneOf(CREDENTIAL_STATES, 'verified alone counts')),
  trust_tier: nullable(named('TrustTier', oneOf(TRUST_TIERS, 'which trust list the signer is on'))),
  signed_at: nullable(Type.String({ description: 'ISO 8601' })),
  ai_claim: nullable(named('AiClaim', oneOf(AI_CLAIMS, 'what the manifests record of AI'))),
  tool: nullable(Type.String({ description: 'software behind the claim' })),
  claim_generator: nullable(Type.String({ description: 'program that signed' })),
  manifests: Type.Array(Type.String(), { description: 'labels, the active one first' }),
  validation_status: Type.Array(Type.String(), { description: 'codes of C2PA, failures first' }),
  digital_source_types: Type.Array(Type.String()),
  soft_bindings: Type.Array(Type.String(), {
    description: 'algorithms of watermarks or fingerprints that manifests name',
  }),
});

const Warning = Type.Object({
  code: named('WarningCode', oneOf(WARNING_CODES, 'circumstance that weakens a verdict')),
  message: Type.String(),
});

const Reason = Type.Object({
  code: named('ReasonCode', oneOf(REASON_CODES, 'stable; more may come')),
  params: Type.Unsafe<object>({ type: 'object', description: 'by code: docs/http.md' }),
});

const MeasuredShare = Type.Object({ rate: ScoreSchema, low: ScoreSchema, high: ScoreSchema });

/** Schema of `details.assessment_rates`. */
const MeasuredAssessment = Type.Object({
  images: Type.Integer({ minimum: 0, description: 'of the test, that got this assessment' }),
  sources: Type.Integer({ minimum: 0, description: 'that they are from' }),
  of_ai: Type.Number({ minimum: 0, maximum: 1, description: 'share of AI images that get it' }),
  of_genuine: Type.Number({ minimum: 0, maximum: 1, description: 'share of genuine images that get it' }),
  at_1_in_10: Type.Object(MeasuredShare.properties, {
    description:
      'share of AI among images that get it if 1 of 10 sent is AI, with its 95% interval over sources',
  }),
  at_1_in_2: Type.Object(MeasuredShare.properties, { description: 'the same if 1 of 2 is' }),
});

const difference = Type.Number({
  minimum: 0,
  maximum: 1,
  description: 'share of bits of the hashes that differ: 0 for the same file',
});

/** Schema of `details.seen`: earlier checks of the same image, and known images. */
const Seen = Type.Object(
  {
    comparable: Type.Boolean({ description: 'false if the image shows too little to be told from others' }),
    checks: Type.Array(
      Type.Object({
        id: Type.String(),
        created_at: Type.String({ format: 'date-time' }),
        is_ai: Type.Boolean(),
        fired: Type.Array(SignalSchema),
        model: Type.String(),
        bands_version: Type.String(),
        reported_is_ai: nullable(
          Type.Boolean({ description: 'the right verdict by a report that it was wrong; null without one' }),
        ),
        ref: Type.Optional(Type.String()),
        difference,
      }),
      { description: 'earlier checks of the account, the nearest first, 10 at most' },
    ),
    known: nullable(
      Type.Object(
        {
          id: Type.String(),
          label: named('KnownLabel', oneOf(KNOWN_LABELS, 'what the operator says of it')),
          note: Type.String(),
          source: nullable(Type.String({ description: 'address of a page about it' })),
          difference,
        },
        { description: "the nearest image of the operator's list that looks the same" },
      ),
    ),
  },
  { description: 'earlier checks of the same image, or of nearly the same' },
);

/** Schema of `details`: the fields that a request's `include` names. Clients ignore unknown fields. */
export const DetailsSchema = Type.Object(
  {
    heatmap: Type.Optional(HeatMap),
    faces: Type.Optional(Type.Array(ScoredFace, { description: 'largest first' })),
    credentials: Type.Optional(
      Type.Union([CredentialDetails, Type.Null()], { description: 'null if no manifest is embedded' }),
    ),
    remote_manifest: Type.Optional(
      nullable(
        Type.String({
          description:
            'with credentials: where a file without a manifest says that it is; reported, never fetched',
        }),
      ),
    ),
    reasons: Type.Optional(Type.Array(Reason, { description: 'what `reason` is made from, in its order' })),
    assessment: Type.Optional(AssessmentSchema),
    assessment_rates: Type.Optional(
      Type.Union([MeasuredAssessment, Type.Null()], {
        description:
          'with assessment: what was measured of images that get it; null where no score decides, and with thresholds of your own',
      }),
    ),
    timings: Type.Optional(Timings),
    thresholds: Type.Optional(Thresholds),
    warnings: Type.Optional(Type.Array(Warning, { description: 'circumstances near a limit' })),
    marks: Type.Optional(
      Type.Array(Mark, {
        description: 'unsigned claims of the file and signs drawn on the image; they decide nothing',
      }),
    ),
    seen: Type.Optional(Seen),
    provenance: Type.Optional(
      Type.Array(MakerAnswerSchema, {
        description: 'with provenance=ask: what the services of makers said; it decides nothing',
      }),
    ),
    record: Type.Optional(
      Type.Unsafe<object>({ description: 'a signed record of the check: /schemas/record.json' }),
    ),
  },
  { description: 'only if include asks for it' },
);

/** A threshold with its measured rates. A recall is null if it was not measured for its degradation level. */
export type PresentedBand = ReadonlyStatic<typeof BandSchema>;
/** Optional part of a check result: the fields that a caller requested with `include`. */
export type Details = ReadonlyStatic<typeof DetailsSchema>;
