// Reads query parameters and form fields by name.
import type { Static, TSchema } from '@sinclair/typebox';
import { show } from 'telltale-engine/internal/base/shape.js';
import type { Context } from '../state.js';
import { requireValid } from './read-json.js';
import { type CheckError, invalidRequest } from 'telltale-engine/internal/base/errors.js';

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
