// The schema of `details.credentials`, and the schemas of texts that all details use.
import { Type, type TLiteral, type TNull, type TString, type TUnion } from '@sinclair/typebox';
import { named, nullable, oneOf } from '../../base/shape.js';
import { AI_CLAIMS, CREDENTIAL_STATES, TRUST_TIERS } from '../types.js';

/** Returns the schema of a text. */
export const text = (description: string): TString => Type.String({ description });
/** Returns the schema of a text or null. */
export const textOrNull = (description: string): TUnion<[TString, TNull]> => nullable(text(description));
/** Returns the schema of one of several strings, under a name. */
export const choice = <T extends string>(
  $id: string,
  values: readonly T[],
  description: string,
): TUnion<TLiteral<T>[]> => named($id, oneOf(values, description));

/** Schema of an entry of `details.credentials.chain`. */
const ManifestStepSchema = Type.Object({
  label: text('label of the manifest'),
  signer: textOrNull('name of the signer; null if the manifest names none'),
  claim_generator: textOrNull('software that wrote the manifest; null if not named'),
  actions: Type.Array(
    Type.Object({
      action: text('action, such as c2pa.created or c2pa.edited'),
      when: textOrNull('time of the action, as the signer wrote it; null if not given'),
      software: textOrNull('software that performed the action; null if not named'),
      digital_source_type: textOrNull('digital source type of the action; null if not given'),
    }),
    { description: 'actions in the order of the manifest, at most 16' },
  ),
  ingredients: Type.Array(
    Type.Object({
      title: textOrNull('title or file name of the ingredient; null if not given'),
      relationship: textOrNull('parentOf, componentOf or inputTo; null if not given'),
      manifest: textOrNull("label of the ingredient's own manifest; null without one"),
    }),
    { description: 'images that this image was made from, at most 16' },
  ),
});

/** Schema of `details.credentials`, except null. */
export const CredentialDetails = Type.Object({
  state: choice(
    'CredentialState',
    CREDENTIAL_STATES,
    'result of validating the Content Credentials; only verified credentials can decide a verdict',
  ),
  trust_tier: nullable(
    choice(
      'TrustTier',
      TRUST_TIERS,
      'kind of trust list by which the signer is trusted; null if the signer is not trusted',
    ),
  ),
  signed_at: textOrNull('time of signing by a trusted time stamp, ISO 8601; null without one'),
  ai_claim: nullable(
    choice(
      'AiClaim',
      AI_CLAIMS,
      'strongest statement about AI in the credentials: the image was generated, edited, or contains parts made by AI',
    ),
  ),
  tool: textOrNull('software that made or edited the image, as named by the credentials; null if not named'),
  claim_generator: textOrNull('software that wrote the credentials; null if not named'),
  manifests: Type.Array(Type.String(), { description: 'labels of the manifests, the active manifest first' }),
  validation_status: Type.Array(Type.String(), { description: 'C2PA validation codes, failures first' }),
  digital_source_types: Type.Array(Type.String(), {
    description: 'digital source types (how the image was made), as written in the credentials',
  }),
  soft_bindings: Type.Array(Type.String(), {
    description: 'algorithms of the watermarks or fingerprints that the manifests declare',
  }),
  chain: Type.Array(ManifestStepSchema, {
    description:
      'what each manifest records, the active manifest first, then its ingredients. Statements of the signers; those of unverified credentials can be invented',
  }),
});
