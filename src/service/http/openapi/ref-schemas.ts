// `ref`, the caller's own reference of a picture, as JSON Schema.
import { Type } from '@sinclair/typebox';

const Ref = Type.String({
  description:
    'a reference of your own, at most 128 printable characters: kept with the check, given back, found by GET /v1/checks',
});

/** The member of a single check, and of an item of a batch. */
export const REF = Type.Optional(Ref);
/** The field of a batch's form or query, in which nothing says which picture one belongs to. */
export const REFS = Type.Optional(
  Type.Array(Ref, { description: 'repeated, one for each image, in their order; an empty one is none' }),
);
