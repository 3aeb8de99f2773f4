// The schema of `details`, the optional part of a check result.
import { Type } from '@sinclair/typebox';
import { nullable, type ReadonlyStatic } from '../base/shape.js';
import { choice, CredentialDetails, text, textOrNull } from './credentials/details-schema.js';
import type { Box } from '../engine/types.js';
import { MakerAnswerSchema } from './makers.js';
import { ASSESSMENTS, KNOWN_LABELS, MARK_STATEMENTS, REASON_CODES, SIGNALS, WARNING_CODES } from './types.js';
import { MARK_KINDS } from './marks/kinds.js';

const share = (description: string) => Type.Number({ minimum: 0, maximum: 1, description });

/** A score or a rate. */
export const ScoreSchema = Type.Number({ minimum: 0, maximum: 1 });
/** A rectangle of the image: [x, y, width, height]. */
export const BoxSchema = Type.Unsafe<Box>(
  Type.Array(Type.Integer(), {
    minItems: 4,
    maxItems: 4,
    description: 'rectangle [x, y, width, height] in pixels of the original image',
  }),
);
export const SignalSchema = choice(
  'Signal',
  SIGNALS,
  'signal that can make the verdict AI: a detector or verified Content Credentials',
);
export const AssessmentSchema = choice(
  'Assessment',
  ASSESSMENTS,
  'answer to show to people as the headline AI detected, Unclear or No AI detected. Does not change is_ai',
);

/** Schema of an entry of `details.faces`. */
const ScoredFace = Type.Object({
  box: BoxSchema,
  score: ScoreSchema,
  manipulated: share('probability that the face was swapped or edited'),
  generated: share('probability that the face was generated'),
  confidence: ScoreSchema,
});

const Ms = Type.Number({ minimum: 0 });

const Patch = Type.Object({ box: BoxSchema, score: ScoreSchema });

const HeatMap = Type.Object({
  patches: Type.Array(Patch, {
    description: 'cells of a grid over the image, each with a score for being generated',
  }),
  panels: Type.Array(Patch, {
    description:
      'images embedded in this image, such as the parts of a collage or an image with a frame or a caption, each with its own score. The score furthest above its threshold becomes the score of the whole image',
  }),
  peak: Type.Union([Patch, Type.Null()], {
    description:
      'suspicious region: the region with the highest score for being generated; null if the image has none. On genuine images, its score reaches the threshold about as often as the score of the whole image',
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
        'number of crops of the image and of its embedded images that were scored; smaller after an early exit',
    }),
  },
  { description: 'duration of each stage in milliseconds, and in views the number of scored crops' },
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
        'probability that the image is an illustration (a painting, drawing, anime, render or game). It sets the threshold ' +
        'of the whole image to a value between the thresholds for photographs and for illustrations',
    }),
  ),
  full_image_specialist: BandSchema,
  face_specialist: BandSchema,
});

const Mark = Type.Object({
  kind: choice('MarkKind', MARK_KINDS, 'kind of mark'),
  generator: textOrNull('program or service that the mark names; null if it names none'),
  says: choice(
    'MarkStatement',
    MARK_STATEMENTS,
    "what the mark declares about the image; edited means edited by AI, except for the kind 'editor'",
  ),
  where: text('place of the mark: block and field of the file, or pixels'),
  value: Type.String({ maxLength: 300, description: 'text of the mark, as written, at most 300 characters' }),
  box: Type.Optional(BoxSchema),
});

const Warning = Type.Object({
  code: choice('WarningCode', WARNING_CODES, 'code of a circumstance that makes the verdict less reliable'),
  message: text('explanation in one line'),
});

const Reason = Type.Object({
  code: choice('ReasonCode', REASON_CODES, 'code of a reason; codes never change, and new ones may be added'),
  params: Type.Unsafe<object>({
    type: 'object',
    description: 'parameters of the reason; docs/http.md lists them by code',
  }),
});

const MeasuredShare = Type.Object({ rate: ScoreSchema, low: ScoreSchema, high: ScoreSchema });

/** Schema of `details.assessment_rates`. */
const MeasuredAssessment = Type.Object({
  images: Type.Integer({ minimum: 0, description: 'number of test images with this assessment' }),
  sources: Type.Integer({ minimum: 0, description: 'number of sources of these test images' }),
  of_ai: share('share of AI images that get this assessment'),
  of_genuine: share('share of genuine images that get this assessment'),
  at_1_in_10: Type.Object(MeasuredShare.properties, {
    description:
      'share of AI images among images with this assessment if 1 of 10 checked images is AI, with its 95% interval over sources',
  }),
  at_1_in_2: Type.Object(MeasuredShare.properties, {
    description: 'share of AI images among images with this assessment if 1 of 2 checked images is AI',
  }),
});

const difference = share('share of the bits in which both hashes differ; 0 for the same file');

/** Schema of `details.seen`: earlier checks of the same image, and known images. */
export const SeenSchema = Type.Object(
  {
    comparable: Type.Boolean({
      description: 'false if the image has too little detail to be recognised; nothing is compared then',
    }),
    checks: Type.Array(
      Type.Object({
        id: Type.String(),
        created_at: Type.String({ format: 'date-time' }),
        is_ai: Type.Boolean(),
        assessment: AssessmentSchema,
        fired: Type.Array(SignalSchema),
        model: Type.String(),
        bands_version: Type.String(),
        reported_is_ai: nullable(
          Type.Boolean({
            description: 'correct verdict according to a report of a wrong verdict; null without a report',
          }),
        ),
        overturned: Type.Boolean({ description: 'true if an appeal overturned the verdict' }),
        ref: Type.Optional(Type.String()),
        name: textOrNull(
          'file name or address under which the history lists the check; null if it stores none',
        ),
        image_stored: Type.Boolean({ description: 'true if the original file of the check is stored' }),
        difference,
      }),
      { description: 'earlier checks by the account, at most 10, most similar first' },
    ),
    known: nullable(
      Type.Object(
        {
          id: Type.String(),
          label: choice('KnownLabel', KNOWN_LABELS, 'label that the operator gave the known image'),
          note: Type.String(),
          source: textOrNull('address of a page about the known image; null if none is given'),
          difference,
        },
        {
          description:
            "most similar matching image in the operator's list of known images; null without a match",
        },
      ),
    ),
  },
  { description: 'earlier checks of the same or nearly the same image, and matching known images' },
);

/** Schema of `details`: the fields that a request's `include` names. Clients ignore unknown fields. */
export const DetailsSchema = Type.Object(
  {
    heatmap: Type.Optional(HeatMap),
    faces: Type.Optional(Type.Array(ScoredFace, { description: 'scored faces, largest first' })),
    credentials: Type.Optional(
      Type.Union([CredentialDetails, Type.Null()], {
        description: 'Content Credentials of the image; null if the file contains none',
      }),
    ),
    remote_manifest: Type.Optional(
      textOrNull(
        'with include=credentials: address of the Content Credentials that a file without embedded ones refers to; never fetched',
      ),
    ),
    reasons: Type.Optional(
      Type.Array(Reason, {
        description: 'reasons of the verdict: scores first, then facts that do not decide',
      }),
    ),
    assessment: Type.Optional(AssessmentSchema),
    assessment_rates: Type.Optional(
      Type.Union([MeasuredAssessment, Type.Null()], {
        description:
          'with include=assessment: rates measured on test images with the same assessment; null if no score decides, and with your own thresholds',
      }),
    ),
    timings: Type.Optional(Timings),
    thresholds: Type.Optional(Thresholds),
    warnings: Type.Optional(
      Type.Array(Warning, { description: 'circumstances that make the verdict less reliable' }),
    ),
    marks: Type.Optional(
      Type.Array(Mark, {
        description:
          'unsigned statements in the file, visible signs and watermarks; they never decide a verdict',
      }),
    ),
    seen: Type.Optional(SeenSchema),
    provenance: Type.Optional(
      Type.Array(MakerAnswerSchema, {
        description: "with provenance=ask: results of image makers' services; they never decide a verdict",
      }),
    ),
    record: Type.Optional(
      Type.Unsafe<object>({ description: 'signed record of the check, by the schema /schemas/record.json' }),
    ),
  },
  { description: 'details that include requests; absent without include' },
);

/** A threshold with its measured rates. A recall is null if it was not measured for its degradation level. */
export type PresentedBand = ReadonlyStatic<typeof BandSchema>;
/** Optional part of a check result: the fields that a caller requested with `include`. */
export type Details = ReadonlyStatic<typeof DetailsSchema>;
