// Holds a value against a schema and says its faults in plain words.
import type { Static, TSchema } from '@sinclair/typebox';
import { Value, ValueErrorType, type ValueError } from '@sinclair/typebox/value';
import { CheckError } from '../../../base/errors.js';

/** `value`, now typed. Throws CheckError invalid_request that names the first fault; `where` is 'the JSON body' or the like. */
export function requireValid<T extends TSchema>(schema: T, value: unknown, where: string): Static<T> {
  const fault = findFault(schema, value);
  if (!fault) return value;
  const param = show(nameOf(fault));
  throw new CheckError('invalid_request', `${where}: ${describeFault(fault)}`, { param: param || null });
}

/** Such as `images.2.image_url`; empty for the whole. */
function nameOf({ path }: ValueError): string {
  return path.slice(1).replaceAll('/', '.');
}

/** Faults that are looked at. A body may have any number of them. */
const MOST_FAULTS = 16;

/** The fault to tell: an unknown member rather than a missing one, because the one was sent for the other. */
function findFault(schema: TSchema, value: unknown): ValueError | undefined {
  const faults: ValueError[] = [];
  for (const fault of Value.Errors(schema, value)) {
    if (fault.type === ValueErrorType.ObjectAdditionalProperties) return fault;
    if (faults.push(fault) === MOST_FAULTS) break;
  }
  return faults[0];
}

function describeFault(fault: ValueError): string {
  const name = nameOf(fault);
  if (fault.type === ValueErrorType.ObjectAdditionalProperties)
    return `'${show(name)}' is not known here; known are ${namesOf(fault.schema)}`;
  const subject = name === '' ? 'the whole' : `'${show(name)}'`;
  const choices = listedChoices(fault.schema);
  const stranger = findStranger(choices, fault.value);
  if (stranger !== undefined)
    return `Expected one or more of ${choices.join(', ')} for ${subject} but received '${show(stranger)}'`;
  return `Expected ${expectation(fault.schema)} for ${subject} but received ${describeValue(fault.value)}`;
}

function namesOf(schema: TSchema): string {
  return Object.keys((schema.properties as object | undefined) ?? {}).join(', ');
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

function expectation(schema: TSchema): string {
  const choices = choicesOf(schema);
  if (choices.length > 0) return `one of ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`;
  if (schema.type === 'array')
    return schema.maxItems === undefined ? 'an array' : `an array of at most ${schema.maxItems}`;
  if (schema.type === 'object') return schema.properties ? `an object of ${namesOf(schema)}` : 'an object';
  if (schema.type === 'string') return 'a string';
  return schema.description ?? 'another value';
}

function describeValue(value: unknown): string {
  if (value === undefined) return 'nothing';
  if (value === null) return 'null';
  if (typeof value === 'string') return `'${show(value)}'`;
  if (typeof value === 'object') return Array.isArray(value) ? 'an array' : 'an object';
  return typeof value === 'number' || typeof value === 'boolean' ? String(value) : typeof value;
}

/** Names and values go back to the caller shortened and without control characters. */
export function show(text: string): string {
  const visible = text.replace(/\p{C}/gu, '?');
  return visible.length > 60 ? `${visible.slice(0, 60)}...` : visible;
}
