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
    'set of thresholds for the verdict: strict (fewest false positives), balanced (default) or sensitive (fewest missed AI images)',
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
        description:
          'true if Content Credentials are embedded in the file; the other fields are present only then',
      }),
      signer: Type.Optional(
        nullable(Type.String({ description: 'name of the signer; null if the credentials name none' })),
      ),
      verified: Type.Optional(
        Type.Boolean({
          description: 'true if the signer is trusted and the image is unchanged since it was signed',
        }),
      ),
      ai: Type.Optional(
        Type.Boolean({ description: 'true if the credentials record that AI made or edited the image' }),
      ),
    }),
  ),
);

/** Field that only results for sandbox keys have. */
export const SANDBOX_MARK = Type.Optional(
  Type.Unsafe<true>(
    Type.Boolean({
      description: 'true if the request used a sandbox key, so that the result is invented; otherwise absent',
    }),
  ),
);

/** Schema of a check result. Source: interface specification, section 2.1. */
export const CheckResultSchema = Type.Object(
  {
    id: Type.String({ pattern: '^chk_[0-9A-HJKMNP-TV-Z]{26}$', description: 'identifier of the check' }),
    is_ai: Type.Boolean({
      description: "verdict: true if the image was judged as AI; false means only 'No AI detected'",
    }),
    fired: Type.Array(SignalSchema, { description: 'signals that flag the image as AI' }),
    reason: Type.String({ description: 'explanation of the verdict in one line' }),
    face_found: Type.Boolean({ description: 'true if a face was scored' }),
    content_credentials: CredentialsSchema,
    image: Type.Object({ width: Type.Integer({ minimum: 1 }), height: Type.Integer({ minimum: 1 }) }),
    model: Type.String({ pattern: '^telltale-\\d+\\.\\d+\\.\\d+', description: 'version of the networks' }),
    bands_version: Type.String({ description: 'version of the thresholds' }),
    latency_ms: Type.Number({ minimum: 0, description: 'duration of the check in milliseconds' }),
    scores: Type.Object({
      full_image_specialist: nullable(ScoreSchema),
      face_specialist: nullable(ScoreSchema),
    }),
    face_box: nullable(BoxSchema),
    profile: ProfileSchema,
    image_stored: Type.Boolean({ description: 'true if the original file is stored' }),
    ref: Type.Optional(
      Type.String({ description: 'reference that the caller sent with the image; absent without one' }),
    ),
    details: Type.Optional(DetailsSchema),
    sandbox: SANDBOX_MARK,
  },
  { $id: 'CheckResult' },
);

/** A check result. Clients ignore unknown fields. */
export type CheckResult = ReadonlyStatic<typeof CheckResultSchema>;
