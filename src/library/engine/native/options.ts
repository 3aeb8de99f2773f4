// Schemas and default values of the options of the engine and its methods.
import { availableParallelism, totalmem } from 'node:os';
import { Type, type TSchema } from '@sinclair/typebox';
import { StartError } from '../../base/errors.js';
import { MAX_SIDE_PX } from '../../base/limits.js';
import { PACKAGE_MODELS_DIR } from '../../base/package-paths.js';
import { exactly, nonEmpty, oneOf, requireOptions, requireShape, valueThat } from '../../base/shape.js';
import {
  DEVICE_NAMES,
  MAX_CROPS,
  type AnnotateOptions,
  type EngineOptions,
  type InspectOptions,
} from '../types.js';

/** Minimum and maximum of the option `memoryMb`. */
export const MIN_MEMORY_MB = 64;
export const MAX_MEMORY_MB = 10_000_000;

/**
 * Default number of processes that read Content Credentials: at least two, because a slow file blocks one.
 * Measured on two cores, next to a file that takes 5 s: other files took 4.6 s with one and 0.25 s with two.
 */
export const READER_COUNT = Math.min(4, Math.max(2, Math.floor(availableParallelism() / 2)));
/** Maximum MB of a process that reads Content Credentials. Measured: a file of 20 MB needs 190 MB. */
export const READER_MEMORY_MB = 300;

const BYTES_PER_MB = 1e6;

/** Share of memory for decoding. Networks, JavaScript and request bodies need the rest. */
const SHARE = 0.75;

/**
 * Returns the memory in MB for decoding, shared by all `processes`: three quarters of what the readers of
 * Content Credentials leave of the machine's memory, or of the limit of a container.
 */
export function defaultMemoryMb(processes = 1): number {
  const machine = totalmem();
  // 0, or more than the machine's memory, means that there is no limit.
  const limit = process.constrainedMemory();
  const mayUse = (limit > 0 && limit < machine ? limit : machine) / BYTES_PER_MB;
  const readers = processes * READER_COUNT * READER_MEMORY_MB;
  return Math.max(MIN_MEMORY_MB, Math.floor((mayUse - readers) * SHARE));
}

const whole = (minimum: number, maximum: number) => Type.Integer({ minimum, maximum });

export const ENGINE_OPTIONS = {
  modelsDir: Type.Optional(nonEmpty('the path of a folder')),
  views: Type.Optional(whole(1, MAX_CROPS)),
  device: Type.Optional(oneOf(DEVICE_NAMES)),
  threads: Type.Optional(whole(1, 1024)),
  memoryMb: Type.Optional(whole(MIN_MEMORY_MB, MAX_MEMORY_MB)),
  queueLimit: Type.Optional(whole(0, 100_000)),
  epLibrary: Type.Optional(nonEmpty('the path of a library')),
  cacheDir: Type.Optional(Type.String({ expected: 'the path of a folder' })),
  cudaGraphs: Type.Optional(Type.Boolean()),
} satisfies Record<keyof EngineOptions, TSchema>;
const EngineOptionsSchema = exactly(ENGINE_OPTIONS);

/** Schema of an image's longer side in pixels. */
const LongSide = whole(1, MAX_SIDE_PX);

/** Maximum deadline in milliseconds, 24.8 days, because setTimeout fires immediately for longer delays. */
const MAX_DEADLINE_MS = 2 ** 31 - 1;

export const INSPECT_OPTIONS = {
  signal: Type.Optional(valueThat((value) => value instanceof AbortSignal, 'an AbortSignal')),
  deadlineMs: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: MAX_DEADLINE_MS,
      expected: `a number of milliseconds from 0 to ${MAX_DEADLINE_MS}`,
    }),
  ),
  previewPx: Type.Optional(LongSide),
  hashScene: Type.Optional(Type.Boolean()),
  heatMap: Type.Optional(Type.Boolean()),
  accountId: Type.Optional(Type.String()),
  background: Type.Optional(Type.Boolean()),
} satisfies Record<keyof InspectOptions, TSchema>;
const InspectOptionsSchema = exactly(INSPECT_OPTIONS);

const Box = Type.Array(whole(-MAX_SIDE_PX, MAX_SIDE_PX), {
  minItems: 4,
  maxItems: 4,
  expected: 'four whole numbers',
});
const AnnotateOptionsSchema = exactly({
  faces: Type.Array(Type.Object({ box: Box, label: Type.String(), alarm: Type.Boolean() })),
  patches: Type.Array(Type.Object({ box: Box, score: Type.Number({ minimum: 0, maximum: 1 }) })),
  caption: Type.String(),
  longSidePx: LongSide,
} satisfies Record<keyof AnnotateOptions, TSchema>);

const RecompressOptionsSchema = exactly({ longSidePx: LongSide, quality: whole(1, 100) });

/**
 * Engine options with all defaults filled in. Empty `cacheDir` and `epLibrary` mean none; null `views` means
 * the models' default.
 */
type CompleteEngineOptions = Required<Omit<EngineOptions, 'views'>> & {
  readonly views: number | null;
};

/** Fills in defaults. Throws StartError `config_invalid` at the first invalid value. */
export function readEngineOptions(options: EngineOptions): CompleteEngineOptions {
  requireShape(EngineOptionsSchema, options, ({ text }) => new StartError('config_invalid', text), 'options');
  return {
    modelsDir: options.modelsDir ?? PACKAGE_MODELS_DIR,
    views: options.views ?? null,
    device: options.device ?? 'auto',
    threads: options.threads ?? availableParallelism(),
    memoryMb: options.memoryMb ?? defaultMemoryMb(),
    queueLimit: options.queueLimit ?? 64,
    epLibrary: options.epLibrary ?? '',
    cacheDir: options.cacheDir ?? '',
    cudaGraphs: options.cudaGraphs ?? false,
  };
}

const Bytes = valueThat((value) => value instanceof Uint8Array, 'a Uint8Array');

/**
 * Returns bytes that native threads can read while JavaScript continues: the array itself, or a copy if its
 * memory is shared or resizable. Throws TypeError for other types.
 */
export function readBytes(bytes: Uint8Array): Uint8Array {
  requireOptions(Bytes, bytes, 'bytes');
  const { buffer } = bytes;
  const isPlain = buffer instanceof ArrayBuffer && !(buffer as { resizable?: boolean }).resizable;
  return isPlain ? bytes : new Uint8Array(bytes);
}

/** Throws TypeError at the first invalid option. */
export function checkInspectOptions(options: InspectOptions): void {
  requireOptions(InspectOptionsSchema, options);
}

/** Throws TypeError at the first invalid option. */
export function checkAnnotateOptions(options: AnnotateOptions): void {
  requireOptions(AnnotateOptionsSchema, options);
}

/** Throws TypeError if an option is invalid. */
export function checkRecompressOptions(options: { longSidePx: number; quality: number }): void {
  requireOptions(RecompressOptionsSchema, options);
}

/** Throws TypeError if the value is not a valid longer side. */
export function checkLongSide(longSidePx: number): void {
  requireOptions(LongSide, longSidePx, "'longSidePx'");
}
