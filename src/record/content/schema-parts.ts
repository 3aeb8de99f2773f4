// Functions that return schemas of common values in a record, each with a description.
import {
  Type,
  type TArray,
  type TBoolean,
  type TInteger,
  type TNull,
  type TNumber,
  type TSchema,
  type TString,
  type TUnion,
} from '@sinclair/typebox';

export const about = (description: string): { readonly description: string } => ({ description });
/** Schema of a text without control characters and unpaired surrogates, which JSON spells in several ways. */
export const text = (description: string): TString =>
  Type.String({ ...about(description), maxLength: 20_000 });
/** Schema of a text of `count` hex digits. */
export const digits = (count: number, description: string): TString =>
  Type.String({ ...about(description), pattern: `^[0-9a-f]{${count}}$` });
export const count = (description: string, minimum = 0): TInteger =>
  Type.Integer({ ...about(description), minimum });
/** Schema of a number from 0 to 1. */
export const share = (description: string): TNumber =>
  Type.Number({ ...about(description), minimum: 0, maximum: 1 });
export const flag = (description: string): TBoolean => Type.Boolean(about(description));
/** Schema of the date of a trust list. */
export const day: TString = Type.String({
  ...about('date of the list, YYYY-MM-DD'),
  pattern: '^\\d{4}-\\d{2}-\\d{2}$',
});
/** Schema of a time in UTC. */
export const moment = (description: string): TString =>
  Type.String({
    ...about(`${description}, RFC 3339 in UTC`),
    pattern: '^\\d{4}-\\d{2}-\\d{2}T[\\d:.]+Z$',
  });
/** Option of an object's schema that forbids unknown fields. */
export const closed = { additionalProperties: false };
export const list = <T extends TSchema>(items: T, description: string, maxItems = 20_000): TArray<T> =>
  Type.Array(items, { ...about(description), maxItems });
/** Returns a schema that accepts null in addition. */
export const orNull = <T extends TSchema>(schema: T, description?: string): TUnion<[T, TNull]> =>
  Type.Union([schema, Type.Null()], about(description ?? schema.description ?? ''));
/** Schema of a rectangle in pixels. */
export const box = (description: string): TArray<TInteger> =>
  Type.Array(Type.Integer(), { ...about(`[x, y, width, height] ${description}`), minItems: 4, maxItems: 4 });
