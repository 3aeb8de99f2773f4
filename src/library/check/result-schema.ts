// The schema of a check result, from which the types, the API's document, earlier checks and scan results are
// derived. Source: interface specification, section 2.1.
import { Type } from '@sinclair/typebox';
import { exactly, named, nullable, oneOf, type ReadonlyStatic } from '../base/shape.js';
import { BoxSchema, DetailsSchema, ScoreSchema, SignalSchema } from './details-schema.js';
import { PROFILE_NAMES } from './types.js';

/** Name of an operating point: a set of thresholds. */
export const ProfileSchema = named(
  'Profile',
  oneOf(
    PROFILE_NAMES,
    'operating point behind the verdict: strict (fewest false positives), balanced, sensitive (fewest misses)',
  ),
);
/** Summary of an image's Content Credentials. Without credentials, it has only the field `found`. */
export interface CredentialsSummary {
  readonly found: true;
  readonly signer: string | null;
  readonly verified: boolean;
  readonly ai: boolean;
}
/** One object with optional fields, because few client generators distinguish shapes by a boolean. */
const CredentialsSchema = named(
  'ContentCredentials',
  Type.Unsafe<{ readonly found: false } | CredentialsSummary>(
    exactly({
      found: Type.Boolean({
        description: 'whether a manifest is embedded; the other fields are there if so',
      }),
      signer: Type.Optional(nullable(Type.String())),
      verified: Type.Optional(Type.Boolean()),
      ai: Type.Optional(Type.Boolean()),
    }),
  ),
);

/** Field that only results for sandbox keys have. */
export const SANDBOX_MARK = Type.Optional(
  Type.Unsafe<true>(
    Type.Boolean({ description: 'true if a sandbox key asked: the answer is made up; else absent' }),
  ),
);

/** Schema of a check result. Source: interface specification, section 2.1. */
export const CheckResultSchema = Type.Object(
  {
    id: Type.String({ pattern: '^chk_[0-9A-HJKMNP-TV-Z]{26}$' }),
    is_ai: Type.Boolean({ description: "false means only 'No AI detected'" }),
    fired: Type.Array(SignalSchema),
    reason: Type.String({ description: 'one line for people' }),
    face_found: Type.Boolean(),
    content_credentials: CredentialsSchema,
    image: Type.Object({ width: Type.Integer({ minimum: 1 }), height: Type.Integer({ minimum: 1 }) }),
    model: Type.String({ pattern: '^telltale-\\d+\\.\\d+\\.\\d+' }),
    bands_version: Type.String(),
    latency_ms: Type.Number({ minimum: 0 }),
    scores: Type.Object({
      full_image_specialist: nullable(ScoreSchema),
      face_specialist: nullable(ScoreSchema),
    }),
    face_box: nullable(BoxSchema),
    profile: ProfileSchema,
    image_stored: Type.Boolean(),
    ref: Type.Optional(Type.String({ description: 'the reference that was sent, if one was' })),
    details: Type.Optional(DetailsSchema),
    sandbox: SANDBOX_MARK,
  },
  { $id: 'CheckResult' },
);

/** A check result. Clients ignore unknown fields. */
export type CheckResult = ReadonlyStatic<typeof CheckResultSchema>;
