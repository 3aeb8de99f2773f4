// What a record's schema is put together from: plain members, each with what it says, and their combinations.
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

/** A schema's description. */
export const about = (description: string): { readonly description: string } => ({ description });
/** A text. Control characters and halves of characters are in none: each has several spellings in JSON. */
export const text = (description: string): TString =>
  Type.String({ ...about(description), maxLength: 20_000 });
/** So many hexadecimal digits. */
export const digits = (count: number, description: string): TString =>
  Type.String({ ...about(description), pattern: `^[0-9a-f]{${count}}$` });
/** A whole number. */
export const count = (description: string, minimum = 0): TInteger =>
  Type.Integer({ ...about(description), minimum });
/** A number from 0 to 1. */
export const share = (description: string): TNumber =>
  Type.Number({ ...about(description), minimum: 0, maximum: 1 });
/** True or false. */
export const flag = (description: string): TBoolean => Type.Boolean(about(description));
/** A day. */
export const day: TString = Type.String({
  ...about('day of the list, YYYY-MM-DD'),
  pattern: '^\\d{4}-\\d{2}-\\d{2}$',
});
/** A moment. */
export const moment = (description: string): TString =>
  Type.String({
    ...about(`${description}, RFC 3339 in UTC`),
    pattern: '^\\d{4}-\\d{2}-\\d{2}T[\\d:.]+Z$',
  });
/** Of an object: it has no other members. */
export const closed = { additionalProperties: false };
/** So many of the same. */
export const list = <T extends TSchema>(items: T, description: string, maxItems = 20_000): TArray<T> =>
  Type.Array(items, { ...about(description), maxItems });
/** It, or null. */
export const orNull = <T extends TSchema>(schema: T, description?: string): TUnion<[T, TNull]> =>
  Type.Union([schema, Type.Null()], about(description ?? schema.description ?? ''));
/** A rectangle. */
export const box = (description: string): TArray<TInteger> =>
  Type.Array(Type.Integer(), { ...about(`[x, y, width, height] ${description}`), minItems: 4, maxItems: 4 });
