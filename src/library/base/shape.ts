// Validating options, settings, files and request bodies by a schema, with messages in plain words.
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

/** An invalid field, and the message about it. */
interface ShapeFault {
  /** Path of the field, such as `images.2.image_url`; empty for the whole value. */
  readonly name: string;
  /** Message, such as `Expected a string for 'ref' but received 3`. */
  readonly text: string;
}

/**
 * Returns the schema of an object with exactly these fields. Refuses unknown fields, because they are
 * mistyped or belong to another version.
 */
export function exactly<T extends TProperties>(members: T): TObject<T> {
  return Type.Object(members, { additionalProperties: false });
}

/** Deeply read-only type of a schema. */
export type ReadonlyStatic<T extends TSchema> = Frozen<Static<T>>;
type Frozen<T> = T extends object ? { readonly [K in keyof T]: Frozen<T[K]> } : T;

/** Returns the schema of one of several strings. */
export function oneOf<T extends string>(values: readonly T[], description?: string): TUnion<TLiteral<T>[]> {
  return Type.Union(
    values.map((value) => Type.Literal(value)),
    description === undefined ? {} : { description },
  );
}

/** Returns the schema with a name, under which /openapi.json publishes it as a component. */
export function named<T extends TSchema>($id: string, schema: T): T {
  return { ...schema, $id };
}

/** Returns the schema of a value or null. */
export function nullable<T extends TSchema>(schema: T): TUnion<[T, TNull]> {
  return Type.Union([schema, Type.Null()]);
}

/** Returns the schema of a text that is not empty. Messages describe it with `expected`. */
export function nonEmpty(expected: string): TSchema {
  return Type.String({ minLength: 1, expected });
}

const PREDICATE = 'Predicate';
TypeRegistry.Set<{ readonly accepts: (value: unknown) => boolean }>(PREDICATE, ({ accepts }, value) =>
  accepts(value),
);

/**
 * Returns the schema of a value outside JSON, such as a class instance. Messages describe it with `expected`.
 */
export function valueThat<T = unknown>(accepts: (value: unknown) => boolean, expected: string): TUnsafe<T> {
  return Type.Unsafe<T>({ [Kind]: PREDICATE, accepts, expected });
}

/** Returns `value` with its type, or throws the error of `fail`. Messages call the whole value `whole`. */
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

/** Throws TypeError if the options that a program passed are unknown or invalid. */
export function requireOptions(schema: TSchema, value: unknown, whole = 'options'): void {
  requireShape(schema, value, ({ text }) => new TypeError(text), whole);
}

/** Maximum number of errors to inspect, because a value may have any number. */
const MAX_FAULTS = 16;

/**
 * Returns the error to report, or null. An unknown field comes before a missing one, because it is probably
 * the missing field with a typing error.
 */
function findFault(schema: TSchema, value: unknown, whole?: string): ShapeFault | null {
  // `Check` is much faster than listing the errors, and most values are valid.
  if (Value.Check(schema, value)) return null;
  const faults: ValueError[] = [];
  for (const fault of Value.Errors(schema, value)) {
    if (isUnknownField(fault)) return present(fault, whole);
    if (faults.push(fault) === MAX_FAULTS) break;
  }
  return faults[0] === undefined ? null : present(faults[0], whole);
}

/** Returns the errors of `value`, one per field, at most sixteen. */
export function listFaults(schema: TSchema, value: unknown): readonly ShapeFault[] {
  const faults = new Map<string, ShapeFault>();
  for (const fault of Value.Errors(schema, value)) {
    if (!faults.has(fault.path)) faults.set(fault.path, present(fault));
    if (faults.size === MAX_FAULTS) break;
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

function describeFault(fault: ValueError, whole?: string): string {
  const name = nameOf(fault);
  const known = namesOf(fault.schema);
  if (isUnknownField(fault))
    return known.length > 0 ? describeUnknown(show(name), known) : `'${show(name)}' is not known here`;
  const subject = name === '' ? whole : `'${show(name)}'`;
  const place = subject === undefined ? '' : ` for ${subject}`;
  const choices = listedChoices(fault.schema);
  const stranger = findStranger(choices, fault.value);
  if (stranger !== undefined)
    return `Expected one or more of ${choices.join(', ')}${place} but received '${show(stranger)}'`;
  return `Expected ${expectation(fault.schema)}${place} but received ${describeValue(fault.value)}`;
}

function namesOf(schema: TSchema): readonly string[] {
  return Object.keys((schema.properties as object | undefined) ?? {});
}

/** Returns the possible values of a schema that lists constants, or an empty list for other schemas. */
function choicesOf(schema: TSchema): readonly unknown[] {
  const choices = (schema.anyOf as TSchema[] | undefined)?.map((choice) => choice.const as unknown) ?? [];
  return choices.every((choice) => choice !== undefined) ? choices : [];
}

/** Returns the names that a schema accepts in an array or a comma-separated list, or an empty list. */
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

/** Describes the expected value in words: by the schema's field `expected` if present. */
function expectation(schema: TSchema): string {
  if (typeof schema['expected'] === 'string') return schema['expected'];
  if (schema.const !== undefined) return JSON.stringify(schema.const);
  const choices = choicesOf(schema);
  if (choices.length > 0) return `one of ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`;
  if (schema.type === 'array')
    return schema.maxItems === undefined ? 'an array' : `an array of at most ${schema.maxItems}`;
  if (schema.type === 'object')
    return schema.properties ? `an object with ${namesOf(schema).join(', ')}` : 'an object';
  if (schema.type === 'string') return expectedString(schema);
  if (schema.type === 'boolean') return 'true or false';
  return expectedNumber(schema) ?? schema.description ?? 'another value';
}

/** Describes an expected string: by its pattern's description, up to a semicolon, or by its length. */
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

/** Returns a message such as `Expected a number for 'NAME' but received true`. */
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

/** Maximum characters of a name or value in a message. The longest field of the bands file fits. */
const MAX_SHOWN_CHARACTERS = 64;

/** Shortens a name or value of the caller and replaces its control characters. */
export function show(text: string): string {
  const visible = text.replace(/\p{C}/gu, '?');
  return visible.length > MAX_SHOWN_CHARACTERS ? `${visible.slice(0, MAX_SHOWN_CHARACTERS)}...` : visible;
}
