// The small shapes that the others are made of.
import { Type, type TLiteral, type TNull, type TSchema, type TUnion } from '@sinclair/typebox';

/** One of some strings. */
export function oneOf<T extends string>(values: readonly T[], description: string): TUnion<TLiteral<T>[]> {
  return Type.Union(
    values.map((value) => Type.Literal(value)),
    { description },
  );
}

/** A value or null. */
export const Nullable = <T extends TSchema>(schema: T): TUnion<[T, TNull]> =>
  Type.Union([schema, Type.Null()]);
/** A score or a rate. */
export const Score = Type.Number({ minimum: 0, maximum: 1 });
/** A part of the picture. */
export const Box = Type.Array(Type.Integer(), {
  minItems: 4,
  maxItems: 4,
  description: '[x, y, w, h] in original pixels',
});
