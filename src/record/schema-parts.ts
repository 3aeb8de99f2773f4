// The plain members of a record's schema, each with what it says.
import { Type, type TBoolean, type TInteger, type TNumber, type TString } from '@sinclair/typebox';

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
