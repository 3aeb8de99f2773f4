// Checking any number of images with the engine's concurrency, so that its queue refuses none.
import { Type } from '@sinclair/typebox';
import { pMapIterable } from 'p-map';
import { CheckError } from '../base/errors.js';
import { exactly, requireOptions, valueThat } from '../base/shape.js';
import type { CheckInput } from './types.js';
import type { CheckReport } from './report.js';

/** Bytes of an image, or an object with them and data that the caller wants back. */
export type ManyInput = Uint8Array | { readonly bytes: Uint8Array };

/** Options of `checkMany`; all except `concurrency` apply to each image. */
export interface ManyOptions extends Omit<CheckInput, 'bytes'> {
  /** Number of concurrent images; default: one per decode thread and a waiting one. */
  readonly concurrency?: number | undefined;
}

/** An outcome: the input, and its report or error. */
export type Checked<T extends ManyInput> =
  | { readonly input: T; readonly report: CheckReport; readonly error?: never }
  | { readonly input: T; readonly error: CheckError; readonly report?: never };

/** Bytes are iterable, too, but one image is not a list. */
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
 * Yields the outcomes of `inputs` in order. Takes an input only when there is room, so a generator that reads files
 * reads no more than are in work. An error of one image is its outcome; TypeError and the signal's reason end the run.
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
