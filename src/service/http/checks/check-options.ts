// store, profile and include, gathered from the query, the form and the JSON body.
import { DETAIL_NAMES, type DetailName, type ProfileName } from '../../../check/types.js';
import { CheckError } from '../../../base/errors.js';
import { Options, type ReceivedOptions } from '../openapi/schemas.js';
import { show } from '../../../base/shape.js';
import { requireValid } from '../body/require-valid.js';

/** What a caller may choose about a check. */
export interface CheckOptions {
  readonly store: boolean;
  /** Null: the service's default. */
  readonly profile: ProfileName | null;
  readonly include: readonly DetailName[];
}

/**
 * The options of all places together. `places` maps the name of a place, for messages, to what stood there. Throws
 * CheckError invalid_request: unknown name or value, or the same option with different values.
 */
export function readCheckOptions(places: Readonly<Record<string, unknown>>): CheckOptions {
  const received = Object.entries(places).map(([place, value]) => requireValid(Options, value, place));
  const store = agree('store', received.map(readStore));
  const profile = agree(
    'profile',
    received.map((options) => options.profile),
  );
  const include = agree('include', received.map(readInclude));
  return {
    store: store ?? false,
    profile: profile ?? null,
    include: include === undefined ? [] : splitNames(include),
  };
}

/** Fields that take several names, repeated or separated by commas. */
const LISTS: readonly string[] = ['include', 'mark'];

/** Repeated names of a query or a form: one value where all are the same, a list for those that take one. */
export function collectFields(fields: readonly (readonly [string, string])[]): Record<string, unknown> {
  const collected = new Map<string, string[]>();
  for (const [name, value] of fields) collected.set(name, [...(collected.get(name) ?? []), value]);
  const entries = [...collected].map(([name, values]): [string, unknown] => {
    if (LISTS.includes(name)) return [name, values.flatMap((value) => value.split(','))];
    if (new Set(values).size > 1) throw differs(name);
    return [name, values[0]];
  });
  // Without a prototype: a field named __proto__ is an unknown name like any other.
  return Object.assign(Object.create(null) as Record<string, unknown>, Object.fromEntries(entries));
}

function readStore({ store }: ReceivedOptions): boolean | undefined {
  return store === undefined ? undefined : store === true || store === 1 || store === 'true' || store === '1';
}

/** In one spelling, so that two places can be compared. */
function readInclude({ include }: ReceivedOptions): string | undefined {
  if (include === undefined) return undefined;
  const names: readonly string[] = typeof include === 'string' ? splitNames(include) : include;
  return DETAIL_NAMES.filter((name) => names.includes(name)).join(',');
}

function splitNames(text: string): DetailName[] {
  return DETAIL_NAMES.filter((name) => text.split(',').includes(name));
}

function agree<T>(name: string, values: readonly (T | undefined)[]): T | undefined {
  const distinct = new Set(values.filter((value) => value !== undefined));
  if (distinct.size > 1) throw differs(name);
  return [...distinct][0];
}

function differs(name: string): CheckError {
  const message = `'${show(name)}' is given more than once, with different values`;
  return new CheckError('invalid_request', message, { param: show(name) });
}
