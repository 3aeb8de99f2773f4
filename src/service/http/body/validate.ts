// Holds a value against a schema and says in plain words what is wrong with it.
import type { Static, TSchema } from '@sinclair/typebox';
import { Value, ValueErrorType, type ValueError } from '@sinclair/typebox/value';
import { CheckError } from '../../../base/errors.js';

/** `value`, now typed. Throws CheckError invalid_request that names the first fault; `where` is 'the JSON body' or the like. */
export function requireValid<T extends TSchema>(schema: T, value: unknown, where: string): Static<T> {
  const fault = Value.Errors(schema, value).First();
  if (!fault) return value;
  const param = show(nameOf(fault));
  throw new CheckError('invalid_request', `${where}: ${describeFault(fault)}`, { param: param || null });
}

/** Such as `images.2.image_url`; empty for the whole. */
function nameOf({ path }: ValueError): string {
  return path.slice(1).replaceAll('/', '.');
}

function describeFault(fault: ValueError): string {
  const name = nameOf(fault);
  if (fault.type === ValueErrorType.ObjectAdditionalProperties) return `'${show(name)}' is not known here`;
  const subject = name === '' ? 'the whole' : `'${show(name)}'`;
  return `Expected ${expectation(fault.schema)} for ${subject} but received ${describeValue(fault.value)}`;
}

function expectation(schema: TSchema): string {
  const choices = (schema.anyOf as TSchema[] | undefined)?.map((choice) => choice.const as unknown) ?? [];
  if (choices.length > 0 && choices.every((choice) => choice !== undefined)) {
    return `one of ${choices.map((choice) => JSON.stringify(choice)).join(', ')}`;
  }
  if (schema.type === 'array') return 'an array';
  if (schema.type === 'object') return 'an object';
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
