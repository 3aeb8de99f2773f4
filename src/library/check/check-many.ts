// Checking any number of images with limited concurrency, so that the engine's queue refuses none.
import { Type } from '@sinclair/typebox';
import { pMapIterable } from 'p-map';
import { CheckError } from '../base/errors.js';
import { exactly, requireOptions, valueThat } from '../base/shape.js';
import type { CheckInput } from './types.js';
import type { CheckReport } from './report.js';

/** Bytes of an image, or an object that contains them and is returned with the result. */
export type ManyInput = Uint8Array | { readonly bytes: Uint8Array };

/** Options of `checkMany`. All except `concurrency` are options of every single check. */
export interface ManyOptions extends Omit<CheckInput, 'bytes'> {
  /** Number of concurrent images; default: one per decode thread, and one for the next free thread. */
  readonly concurrency?: number | undefined;
}

/** Result for one image: the input with its report or its error. */
export type Checked<T extends ManyInput> =
  | { readonly input: T; readonly report: CheckReport; readonly error?: never }
  | { readonly input: T; readonly error: CheckError; readonly report?: never };

/** Excludes Uint8Array, which is iterable, too, because one image is not a list of images. */
const isIterable = (value: unknown): boolean =>
  typeof value === 'object' &&
  value !== null &&
  !(value instanceof Uint8Array) &&
  (Symbol.iterator in value || Symbol.asyncIterator in value);
const Many = exactly({
  inputs: valueThat(isIterable, 'an iterable of images'),
  concurrency: Type.Integer({ minimum: 1, maximum: 100_000 }),
});

/**
 * Yields the results of `inputs` in order. Takes the next input only when a check can start, so that a
 * generator that reads files has only a few in memory. A CheckError belongs to one image; TypeError and an
 * abort end the run.
 */
export function checkMany<T extends ManyInput>(
  inputs: Iterable<T> | AsyncIterable<T>,
  check: (bytes: Uint8Array) => Promise<CheckReport>,
  concurrency: number,
): AsyncIterable<Checked<T>> {
  requireOptions(Many, { inputs, concurrency });
  const checkOne = async (input: T): Promise<Checked<T>> => {
    try {
      return { input, report: await check(bytesOf(input)) };
    } catch (error) {
      if (error instanceof CheckError) return { input, error };
      throw error;
    }
  };
  return pMapIterable(inputs, checkOne, { concurrency });
}

function bytesOf(input: ManyInput): Uint8Array {
  return input instanceof Uint8Array ? input : input.bytes;
}
