// Holds what a request sent against its schema.
import type { Static, TSchema } from '@sinclair/typebox';
import { CheckError } from '../../../base/errors.js';
import { findFault } from '../../../base/shape.js';

/** `value`, now typed. Throws CheckError invalid_request that names the first fault; `where` is 'the JSON body' or the like. */
export function requireValid<T extends TSchema>(schema: T, value: unknown, where: string): Static<T> {
  const fault = findFault(schema, value);
  if (fault === null) return value;
  throw new CheckError('invalid_request', `${where}: ${fault.text}`, { param: fault.name || null });
}
