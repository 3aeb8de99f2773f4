// Every shape that crosses the border, as JSON Schema: requests are checked by these, and /openapi.json publishes these.
import { Type, type Static, type TArray, type TLiteral, type TString, type TUnion } from '@sinclair/typebox';
import { CheckResultSchema, ProfileSchema } from '../../../check/result-schema.js';
import { DETAIL_NAMES, type DetailName } from '../../../check/types.js';
import { ERROR_CODE_NAMES } from '../../../base/error-codes.js';
import { MAX_BATCH_IMAGES, MAX_IMAGE_MB } from '../../../base/limits.js';
import { oneOf } from '../../../base/shape.js';
import { REF, REFS } from './ref-schemas.js';

const Store = Type.Union(
  ([true, false, 'true', 'false', '1', '0', 1, 0] as const).map((value) => Type.Literal(value)),
  { description: 'true keeps the original file; default: it is not kept' },
);
/** Names in one list: they may be repeated. */
const MAX_NAMES = 100;

/** `include` with these names, as a list or separated by commas. */
export function includeOf<T extends DetailName>(
  names: readonly T[],
): TUnion<[TArray<TUnion<TLiteral<T>[]>>, TString]> {
  return listOf(names, 'a member of details', `members of details to add: ${names.join(', ')}`);
}

/** Some of these names, as a list or separated by commas. */
export function listOf<T extends string>(
  names: readonly T[],
  item: string,
  description: string,
): TUnion<[TArray<TUnion<TLiteral<T>[]>>, TString]> {
  const name = names.join('|');
  return Type.Union(
    [
      Type.Array(oneOf(names, item), { maxItems: MAX_NAMES }),
      Type.String({ pattern: `^(${name})(,(${name}))*$`, description: 'the same, separated by commas' }),
    ],
    { description },
  );
}
const Include = includeOf(DETAIL_NAMES);

/** Options of a check: query parameters, form fields or JSON members, under the same names. */
export const OPTIONS = {
  store: Type.Optional(Store),
  profile: Type.Optional(ProfileSchema),
  include: Type.Optional(Include),
};
/** The options alone, as a query string holds them. */
export const Options = Type.Object(OPTIONS, { additionalProperties: false });

const ImageUrl = Type.String({
  description: 'absolute http or https address on a public host; the service fetches it',
});
const ImageB64 = Type.String({
  description: 'standard base64 (RFC 4648 section 4, padded) of the original file',
});

/** POST /v1/check as application/json; exactly one of the two ways of sending is checked apart. */
export const CheckJson = Type.Object(
  { image_url: Type.Optional(ImageUrl), image_b64: Type.Optional(ImageB64), ...OPTIONS, ref: REF },
  { additionalProperties: false },
);
/** POST /v1/check/batch as application/json. */
export const BatchJson = Type.Object(
  {
    images: Type.Array(
      Type.Object(
        { image_url: Type.Optional(ImageUrl), image_b64: Type.Optional(ImageB64), ref: REF },
        { additionalProperties: false },
      ),
      { description: `1 to ${MAX_BATCH_IMAGES} items, each with exactly one of image_url and image_b64` },
    ),
    ...OPTIONS,
  },
  { additionalProperties: false },
);
const File = Type.String({
  format: 'binary',
  description: `the image: JPEG, PNG, WebP, AVIF, GIF, BMP or TIFF, at most ${MAX_IMAGE_MB} MB`,
});
/** POST /v1/check as multipart/form-data. */
export const CheckForm = Type.Object({ file: File, ...OPTIONS, ref: REF }, { additionalProperties: false });
/** POST /v1/check/batch as multipart/form-data. */
export const BatchForm = Type.Object(
  { files: Type.Array(File, { minItems: 1, maxItems: MAX_BATCH_IMAGES }), ...OPTIONS, ref: REFS },
  { additionalProperties: false },
);
/** The error object, section 7. */
export const ErrorBody = Type.Object(
  {
    error: Type.Object(
      {
        code: oneOf(ERROR_CODE_NAMES, 'stable; clients branch on it'),
        message: Type.String(),
        param: Type.Optional(
          Type.String({ description: 'the member, field, parameter or header it is about' }),
        ),
        request_id: Type.Optional(
          Type.String({ description: 'as X-Request-Id; none in an entry of a scan' }),
        ),
      },
      { additionalProperties: false },
    ),
    record: Type.Optional(
      Type.Unknown({ description: 'of a refused picture, where include names it: /schemas/record.json' }),
    ),
  },
  { $id: 'Error', additionalProperties: false },
);
/** The batch result, section 2.2. */
export const BatchResult = Type.Object(
  {
    results: Type.Array(Type.Union([CheckResultSchema, ErrorBody]), { description: 'in submission order' }),
    model: Type.String(),
    bands_version: Type.String(),
    latency_ms: Type.Number({ minimum: 0 }),
  },
  { $id: 'BatchResult' },
);
/** POST /v1/check as JSON, after checking. */
export type CheckJsonBody = Static<typeof CheckJson>;
/** POST /v1/check/batch as JSON, after checking. */
export type BatchJsonBody = Static<typeof BatchJson>;
/** Options as they were received. */
export type ReceivedOptions = Static<typeof Options>;
