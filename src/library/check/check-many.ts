// Any number of images, a few at a time: as many as the engine takes up, so that its queue never refuses one.
import { Type } from '@sinclair/typebox';
import { pMapIterable } from 'p-map';
import { CheckError } from '../base/errors.js';
import { exactly, requireOptions, valueThat } from '../base/shape.js';
import type { CheckInput } from './types.js';
import type { CheckReport } from './report.js';

/** An image's bytes, or an object that has them and whatever the caller wants back with the outcome. */
export type ManyInput = Uint8Array | { readonly bytes: Uint8Array };

/** How many images are checked; the rest holds for each of them. */
export interface ManyOptions extends Omit<CheckInput, 'bytes'> {
  /** Images that are in work at a time; default: one for each decode thread, and one that waits. */
  readonly concurrency?: number | undefined;
}

/** One outcome: the input as it was given, and its report or why there is none. */
export type Checked<T extends ManyInput> =
  | { readonly input: T; readonly report: CheckReport; readonly error?: never }
  | { readonly input: T; readonly error: CheckError; readonly report?: never };

/** Bytes are iterable too, but one image is not many. */
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
 * Gives the outcomes of `inputs` in their order. An input is taken when there is room for it, so a generator that reads
 * files reads no more than are in work. A fault of one image is its outcome; a mistake of the program (TypeError) and
 * the signal's reason end the run.
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
