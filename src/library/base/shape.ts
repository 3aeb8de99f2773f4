// The one validator: holds a value against a schema and says its faults in plain words. For options of programs, settings,
// files and bodies of requests.
import {
  Kind,
  Type,
  TypeRegistry,
  type Static,
  type TLiteral,
  type TNull,
  type TObject,
  type TProperties,
  type TSchema,
  type TUnion,
  type TUnsafe,
} from '@sinclair/typebox';
import { Value, ValueErrorType, type ValueError } from '@sinclair/typebox/value';
import { describeUnknown } from './unknown-field.js';

/** What is wrong with a value. */
interface ShapeFault {
  /** Of the member, such as `images.2.image_url`; empty for the whole. */
  readonly name: string;
  /** Such as `Expected a string for 'ref' but received 3`. */
  readonly text: string;
}

/** An object of exactly these members: one that nobody knows was mistyped, or says what this version would not do. */
export function exactly<T extends TProperties>(members: T): TObject<T> {
  return Type.Object(members, { additionalProperties: false });
}

/** What a schema describes, as those see it who do not write to it. */
export type ReadonlyStatic<T extends TSchema> = Frozen<Static<T>>;
type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;

/** One of some strings. */
export function oneOf<T extends string>(values: readonly T[], description?: string): TUnion<TLiteral<T>[]> {
  return Type.Union(
    values.map((value) => Type.Literal(value)),
    description === undefined ? {} : { description },
  );
}

/** A value or null. */
export function nullable<T extends TSchema>(schema: T): TUnion<[T, TNull]> {
  return Type.Union([schema, Type.Null()]);
}

/** A text that is not empty; `expected` says what it is. */
export function nonEmpty(expected: string): TSchema {
  return Type.String({ minLength: 1, expected });
}

const PREDICATE = 'Predicate';
TypeRegistry.Set<{ readonly accepts: (value: unknown) => boolean }>(PREDICATE, ({ accepts }, value) =>
  accepts(value),
);

/** What no JSON can hold, such as an instance of a class; `expected` says what it is. */
export function valueThat<T = unknown>(accepts: (value: unknown) => boolean, expected: string): TUnsafe<T> {
  return Type.Unsafe<T>({ [Kind]: PREDICATE, accepts, expected });
}

/** `value`, now typed. Throws what `fail` makes of its fault; `whole` is what the message calls the value itself. */
export function requireShape<T extends TSchema>(
  schema: T,
  value: unknown,
  fail: (fault: ShapeFault) => Error,
  whole?: string,
): Static<T> {
  const fault = findFault(schema, value, whole);
  if (fault !== null) throw fail(fault);
  return value;
}

/** Throws TypeError unless a program may hand `value` over: an unknown option, or one that can't be used. */
export function requireOptions(schema: TSchema, value: unknown, whole = 'options'): void {
  requireShape(schema, value, ({ text }) => new TypeError(text), whole);
}

/** Faults that are looked at. A value may have any number of them. */
const MOST_FAULTS = 16;

/** The fault to tell: an unknown member rather than a missing one, because the one was sent for the other. Null: `value` is sound. */
function findFault(schema: TSchema, value: unknown, whole?: string): ShapeFault | null {
  // Without the faults it is several times faster, and most values have none.
  if (Value.Check(schema, value)) return null;
  const faults: ValueError[] = [];
  for (const fault of Value.Errors(schema, value)) {
    if (isUnknownField(fault)) return present(fault, whole);
    if (faults.push(fault) === MOST_FAULTS) break;
  }
  return faults[0] === undefined ? null : present(faults[0], whole);
}

/** The faults of `value`, one for each member; the first sixteen. */
export function listFaults(schema: TSchema, value: unknown): readonly ShapeFault[] {
  const faults = new Map<string, ShapeFault>();
  for (const fault of Value.Errors(schema, value)) {
    if (!faults.has(fault.path)) faults.set(fault.path, present(fault));
    if (faults.size === MOST_FAULTS) break;
  }
  return [...faults.values()];
}

function present(fault: ValueError, whole?: string): ShapeFault {
  return { name: show(nameOf(fault)), text: describeFault(fault, whole) };
}

function nameOf({ path }: ValueError): string {
  return path.slice(1).replaceAll('/', '.');
}

function isUnknownField({ type }: ValueError): boolean {
  return type === ValueErrorType.ObjectAdditionalProperties;
}

function describeFault(fault: ValueError, whole = 'the whole'): string {
  const name = nameOf(fault);
  const known = namesOf(fault.schema);
  if (isUnknownField(fault))
    return known.length > 0
      ? describeUnknown(show(name), known)
      : `'${show(name)}' is no name that can stand here`;
  const subject = name === '' ? whole : `'${show(name)}'`;
  const choices = listedChoices(fault.schema);
  const stranger = findStranger(choices, fault.value);
  if (stranger !== undefined)
    return `Expected one or more of ${choices.join(', ')} for ${subject} but received '${show(stranger)}'`;
  return `Expected ${expectation(fault.schema)} for ${subject} but received ${describeValue(fault.value)}`;
}

function namesOf(schema: TSchema): readonly string[] {
  return Object.keys((schema.properties as object | undefined) ?? {});
}

/** What a union of constants allows; empty for any other schema. */
function choicesOf(schema: TSchema): readonly unknown[] {
  const choices = (schema.anyOf as TSchema[] | undefined)?.map((choice) => choice.const as unknown) ?? [];
  return choices.every((choice) => choice !== undefined) ? choices : [];
}

/** The names that a schema takes a list of, as an array or separated by commas; none if it is another. */
function listedChoices(schema: TSchema): readonly unknown[] {
  const [list] = (schema.anyOf as TSchema[] | undefined) ?? [];
  return list?.type === 'array' ? choicesOf(list.items as TSchema) : [];
}

function findStranger(choices: readonly unknown[], value: unknown): string | undefined {
  if (choices.length === 0) return undefined;
  const names: readonly unknown[] =
    typeof value === 'string' ? value.split(',') : Array.isArray(value) ? value : [];
  return names.find((name): name is string => typeof name === 'string' && !choices.includes(name));
}

/** In the words of the schema's own member `expected`, if it has one. */
function expectation(schema: TSchema): string {
  if (typeof schema['expected'] === 'string') return schema['expected'];
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const choices = choicesOf(schema);
  if (choices.length > 0) return `one of ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`;
  if (schema.type === 'array')
    return schema.maxItems === undefined ? 'an array' : `an array of at most ${schema.maxItems}`;
  if (schema.type === 'object')
    return schema.properties ? `an object of ${namesOf(schema).join(', ')}` : 'an object';
  if (schema.type === 'string') return expectedString(schema);
  if (schema.type === 'boolean') return schema.description ?? 'true or false';
  return schema.description ?? expectedNumber(schema) ?? 'another value';
}

/** A pattern is put into words by the first part of its description, up to a semicolon. */
function expectedString({ pattern, maxLength, description }: TSchema): string {
  if (pattern !== undefined) return description?.split(';')[0] ?? 'a string';
  return maxLength === undefined ? 'a string' : `a string of at most ${maxLength} characters`;
}

function expectedNumber({ type, minimum, maximum, exclusiveMinimum }: TSchema): string | null {
  if (type !== 'integer' && type !== 'number') return null;
  const number = type === 'integer' ? 'a whole number' : 'a number';
  if (exclusiveMinimum !== undefined) return `${number} over ${exclusiveMinimum}`;
  if (minimum === undefined) return number;
  return maximum === undefined ? `${number} from ${minimum}` : `${number} from ${minimum} to ${maximum}`;
}

/** The one form of a message about the field `name`. */
export function describeInvalid(expected: string, name: string, value: unknown): string {
  return `Expected ${expected} for '${show(name)}' but received ${describeValue(value)}`;
}

function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (typeof value === 'string') return `'${show(value)}'`;
  if (typeof value === 'object') return Array.isArray(value) ? 'an array' : 'an object';
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : typeof value;
}

/** Chosen: the longest name of a member in the bands file fits. */
const MOST_SHOWN = 64;

/** Names and values go back to the caller shortened and without control characters. */
export function show(text: string): string {
  const visible = text.replace(/\p{C}/gu, '?');
  return visible.length > MOST_SHOWN ? `${visible.slice(0, MOST_SHOWN)}...` : visible;
}
