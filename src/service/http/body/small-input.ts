// Reads and validates queries, form fields and small JSON bodies. Creates the error messages for invalid values.
import type { Static, TSchema } from '@sinclair/typebox';
import { CheckError, invalidRequest } from 'telltale-engine/internal/base/errors.js';
import type { Context } from '../state.js';
import { receiveBody } from './receive-body.js';
import { JsonFault, parseBounded } from 'telltale-engine/internal/base/bounded-json.js';
import { requireShape, show } from 'telltale-engine/internal/base/shape.js';

const MAX_BYTES = 16_384;
/** Maximum number of objects, lists, fields and items. Every valid body has fewer than fifty. */
const MAX_PARTS = 200;

/** Reads the JSON body and validates it. Throws CheckError unsupported_media_type, invalid_request. */
export async function readJson<T extends TSchema>(ctx: Context, schema: T): Promise<Static<T>> {
  if (!ctx.is('application/json'))
    throw new CheckError('unsupported_media_type', 'Expected the content type application/json');
  const chunks: Buffer[] = [];
  const refuse = (): CheckError => invalidRequest(`the JSON body has more than ${MAX_BYTES} bytes`);
  await receiveBody(ctx, { maxBytes: MAX_BYTES, refuse }, (chunk) => chunks.push(chunk));
  return requireValid(schema, parseJson(Buffer.concat(chunks), MAX_PARTS), 'the JSON body');
}

/** Parses JSON of at most `maxParts` objects, lists, fields and items. Throws CheckError invalid_request. */
export function parseJson(bytes: Buffer, maxParts: number): unknown {
  try {
    return parseBounded(bytes, maxParts);
  } catch (error) {
    throw refusalOfJson(error, bytes);
  }
}

/** Converts JsonFault to CheckError invalid_request. Returns other errors unchanged. */
export function refusalOfJson(error: unknown, bytes: Buffer): unknown {
  if (!(error instanceof JsonFault)) return error;
  const isLong = error.kind === 'too_many_parts';
  const message = isLong ? `the JSON body: ${error.message}` : describeNoJson(bytes);
  return invalidRequest(message);
}

/** Returns the error message for a body that can't be parsed. */
function describeNoJson(bytes: Buffer): string {
  if (bytes[0] === 0x1f && bytes[1] === 0x8b) return 'the body is compressed (gzip); send it uncompressed';
  if (looksLikeUtf16(bytes)) return 'the body is JSON in UTF-16; send it in UTF-8';
  return 'the body is not valid JSON in UTF-8';
}

/** Returns whether a text looks like UTF-16: a byte order mark, or an ASCII character next to a zero byte. */
function looksLikeUtf16([first = 0x20, second = 0x20]: Buffer): boolean {
  const byteOrderMark = (first << 8) | second;
  return byteOrderMark === 0xfffe || byteOrderMark === 0xfeff || (first === 0) !== (second === 0);
}

/**
 * Returns `value` after validation. Throws CheckError invalid_request with the first error. `where` says
 * where the value is, such as 'the JSON body'.
 */
export function requireValid<T extends TSchema>(schema: T, value: unknown, where: string): Static<T> {
  return requireShape(schema, value, ({ name, text }) =>
    invalidRequest(`${where}: ${text}`, { param: name || null }),
  );
}

/** Reads and validates the query. Throws CheckError invalid_request. */
export function readQuery<T extends TSchema>(ctx: Pick<Context, 'querystring'>, schema: T): Static<T> {
  return requireValid(schema, collectFields([...new URLSearchParams(ctx.querystring)]), 'the query');
}

/** Names of fields that accept several values, repeated or separated by commas. */
const LISTS: readonly string[] = ['include', 'mark', 'sandbox'];

/**
 * Merges fields of the same name: names in LISTS to a list, others to their common value. Throws CheckError
 * invalid_request if the values differ.
 */
export function collectFields(fields: readonly (readonly [string, string])[]): Record<string, unknown> {
  const collected = new Map<string, string[]>();
  for (const [name, value] of fields) collected.set(name, [...(collected.get(name) ?? []), value]);
  const entries = [...collected].map(([name, values]): [string, unknown] => {
    if (LISTS.includes(name)) return [name, values.flatMap((value) => value.split(','))];
    if (new Set(values).size > 1) throw differs(name);
    return [name, values[0]];
  });
  // The object has no prototype, so that __proto__ is an unknown field like any other.
  return Object.assign(Object.create(null) as Record<string, unknown>, Object.fromEntries(entries));
}

/** Returns the error for a field that has several different values. */
export function differs(name: string): CheckError {
  const message = `'${show(name)}' is given more than once, with different values`;
  return invalidRequest(message, { param: show(name) });
}
