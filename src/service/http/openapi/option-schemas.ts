// Schemas for the options of a check, which are query parameters, form fields or JSON fields.
import { Type, type TArray, type TLiteral, type TSchema, type TString, type TUnion } from '@sinclair/typebox';
import { ERROR_CODE_NAMES } from 'telltale-engine/internal/base/error-codes.js';
import { exactly, named, oneOf } from 'telltale-engine/internal/base/shape.js';
import { ProfileSchema } from 'telltale-engine/internal/check/result-schema.js';
import { DETAIL_NAMES } from 'telltale-engine/internal/check/types.js';

/** Returns a schema that validates like `schema`. /openapi.json shows `published` instead. */
export const publishedAs = <T extends TSchema>(schema: T, published: TSchema): T => ({
  ...schema,
  published,
});

const Ref = Type.String({
  description:
    'your own reference, at most 128 printable characters. It is stored with the check, returned, and found by GET /v1/checks',
});

/** Caller's own reference for one image. */
export const REF = Type.Optional(Ref);
/** References in the form or query of a batch. Their order says which image each belongs to. */
export const REFS = Type.Optional(
  Type.Array(Ref, {
    description: 'one reference per image, in the order of the images; an empty text means no reference',
  }),
);

const Store = publishedAs(
  Type.Union(([true, false, 'true', 'false', '1', '0', 1, 0] as const).map((value) => Type.Literal(value))),
  Type.Boolean({ description: 'true stores the original file; default: false' }),
);
const MAX_NAMES = 100;

type NameList<T extends string> = TUnion<[TArray<TUnion<TLiteral<T>[]>>, TString]>;

/** Returns the schema of several names that `item` allows, as a list or as text separated by commas. */
export function listOf<T extends string>(item: TUnion<TLiteral<T>[]>, description: string): NameList<T> {
  const name = item.anyOf.map((choice) => choice.const).join('|');
  const list = Type.Array(item, { maxItems: MAX_NAMES });
  const text = Type.String({ pattern: `^(${name})(,(${name}))*$` });
  return publishedAs(Type.Union([list, text], { description }), {
    ...list,
    description: `${description}. A text with names separated by commas is accepted, too`,
  });
}
const Include = listOf(
  named('DetailName', oneOf(DETAIL_NAMES, 'name of a field of details')),
  'fields of details to add to the result',
);
const Provenance = named(
  'Provenance',
  Type.Literal('ask', {
    description: "ask sends the image to image makers' services and adds their results: docs/evidence.md",
  }),
);

/** Results that a sandbox key can request. Errors can be requested by their codes, also without `image_`. */
export const SANDBOX_RESULTS = ['genuine', 'ai', 'face', 'credentials', 'unclear'] as const;
const IMAGE_ERRORS = ERROR_CODE_NAMES.filter((code) => code.startsWith('image_'));
/** All names of results and errors that a sandbox key can request. */
export const SANDBOX_NAMES: readonly string[] = [
  ...SANDBOX_RESULTS,
  ...ERROR_CODE_NAMES,
  ...IMAGE_ERRORS.map((code) => code.slice('image_'.length)),
];
const Sandbox = listOf(
  named('SandboxAnswer', oneOf(SANDBOX_NAMES, 'result or error that a sandbox key can request')),
  'only for sandbox keys (tt_test_...): result or error to return, one for all images or one per image. Default: by file name, otherwise genuine',
);

/** Options of a check. Query parameters, form fields and JSON fields have the same names. */
export const OPTIONS = {
  store: Type.Optional(Store),
  profile: Type.Optional(ProfileSchema),
  include: Type.Optional(Include),
  provenance: Type.Optional(Provenance),
  sandbox: Type.Optional(Sandbox),
};

/** Options in a query, and the reference of one image. */
export const CheckQuery = exactly({ ...OPTIONS, ref: REF });
