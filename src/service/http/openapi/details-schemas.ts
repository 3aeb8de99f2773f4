// The shapes of `details`, which a caller gets by `include`.
import { Type } from '@sinclair/typebox';
import {
  AI_CLAIMS,
  CREDENTIAL_STATES,
  MARK_KINDS,
  MARK_STATEMENTS,
  TRUST_TIERS,
  WARNING_CODES,
} from '../../../check/types.js';
import { Box, Nullable, oneOf, Score } from './parts.js';

/** A member of `details.faces`. */
const ScoredFace = Type.Object({
  box: Box,
  score: Score,
  manipulated: Type.Number({ minimum: 0, maximum: 1, description: 'probability of a swap or an edit' }),
  generated: Type.Number({ minimum: 0, maximum: 1, description: 'probability that the face was generated' }),
  confidence: Score,
});

const Ms = Type.Number({ minimum: 0 });

const Patch = Type.Object({ box: Box, score: Score });

/** `details.heatmap`. */
const HeatMap = Type.Object({
  patches: Type.Array(Patch, { description: 'parts of a grid, each with the score that it was generated' }),
  panels: Type.Array(Patch, {
    description:
      'pictures that stand beside or above each other in this one, or what a frame or a caption surrounds, each with its score as a picture of its own; the highest speaks for the picture',
  }),
  peak: Type.Union([Patch, Type.Null()], {
    description:
      'the part that looks most generated; genuine pictures reach the threshold of the whole picture by it about as often as by their score',
  }),
});

/** `details.timings`. */
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
        'how many views of the picture, and of pictures within it, were seen: few of one that leaves no doubt',
    }),
  },
  { description: 'milliseconds by stage, but for views' },
);

const Band = Type.Object({
  threshold: Score,
  false_alarm_rate: Score,
  recall: Type.Object({ clean: Nullable(Score), web: Nullable(Score), hard: Nullable(Score) }),
});

/** `details.thresholds`. */
const Thresholds = Type.Object({
  drawn: Nullable(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description:
        'probability that the picture is drawn (a painting, drawing, anime, render or game): it sets the threshold of ' +
        'the whole picture between those of photographed and of drawn ones',
    }),
  ),
  full_image_specialist: Band,
  face_specialist: Band,
});

const Mark = Type.Object({
  kind: oneOf(MARK_KINDS, 'by what it is recognised'),
  generator: Nullable(Type.String({ description: 'program or service that it names' })),
  says: oneOf(MARK_STATEMENTS, "edited means by AI, but for kind 'editor'"),
  where: Type.String({ description: 'block and field of the file' }),
  value: Type.String({ maxLength: 300 }),
  box: Type.Optional(Box),
});

/** `details.credentials`. */
const CredentialDetails = Type.Object({
  state: oneOf(CREDENTIAL_STATES, 'verified alone counts'),
  trust_tier: Nullable(oneOf(TRUST_TIERS, 'which trust list the signer is on')),
  signed_at: Nullable(Type.String({ description: 'ISO 8601' })),
  ai_claim: Nullable(oneOf(AI_CLAIMS, 'what the manifests record of AI')),
  tool: Nullable(Type.String({ description: 'software behind the claim' })),
  claim_generator: Nullable(Type.String({ description: 'program that signed' })),
  manifests: Type.Array(Type.String(), { description: 'labels, the active one first' }),
  validation_status: Type.Array(Type.String(), { description: 'codes of C2PA, failures first' }),
  digital_source_types: Type.Array(Type.String()),
  soft_bindings: Type.Array(Type.String(), {
    description: 'algorithms of watermarks or fingerprints that manifests name',
  }),
});

const Warning = Type.Object({
  code: oneOf(WARNING_CODES, 'what a verdict does not tell'),
  message: Type.String(),
});

/** `details` of a check result; a member is there if `include` names it. Clients ignore those that they do not know. */
export const Details = Type.Object(
  {
    heatmap: Type.Optional(HeatMap),
    faces: Type.Optional(Type.Array(ScoredFace, { description: 'largest first' })),
    credentials: Type.Optional(
      Type.Union([CredentialDetails, Type.Null()], { description: 'null if no manifest is embedded' }),
    ),
    remote_manifest: Type.Optional(
      Nullable(
        Type.String({
          description:
            'with credentials: where a file without a manifest says that it is; told, never fetched',
        }),
      ),
    ),
    timings: Type.Optional(Timings),
    thresholds: Type.Optional(Thresholds),
    warnings: Type.Optional(Type.Array(Warning, { description: 'circumstances near a limit' })),
    marks: Type.Optional(
      Type.Array(Mark, {
        description: 'unsigned claims of the file and signs drawn on the picture; they decide nothing',
      }),
    ),
    record: Type.Optional(
      Type.Unknown({ description: 'a signed record of the check: /schemas/record.json' }),
    ),
  },
  { description: 'only if include asks for it' },
);
