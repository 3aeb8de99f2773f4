// Options of the engine and of its methods: defaults, then one check of every value.
import { MAX_SIDE_PX } from '../../base/limits.js';
import { availableParallelism } from 'node:os';
import { StartError } from '../../base/errors.js';
import { PACKAGE_MODELS_DIR } from '../../base/package-paths.js';
import { LEAST_MEMORY_MB, MOST_MEMORY_MB, defaultMemoryMb } from './memory.js';
import {
  complainOfUnknown,
  complaint,
  isInteger,
  isNumber,
  isRecord,
  isText,
} from '../../base/validation.js';
import {
  DEVICE_NAMES,
  MOST_VIEWS,
  type AnnotateOptions,
  type EngineOptions,
  type InspectOptions,
} from '../types.js';

const MOST_THREADS = 1024;
const MOST_QUEUED = 100_000;

/** Every option of an engine. */
export const ENGINE_OPTION_NAMES = Object.keys({
  modelsDir: true,
  views: true,
  device: true,
  threads: true,
  memoryMb: true,
  queueLimit: true,
  cacheDir: true,
} satisfies Record<keyof EngineOptions, true>);

const INSPECT_OPTION_NAMES = Object.keys({
  signal: true,
  deadlineMs: true,
  previewPx: true,
  heatMap: true,
  accountId: true,
  background: true,
} satisfies Record<keyof InspectOptions, true>);

const ANNOTATE_OPTION_NAMES = Object.keys({
  faces: true,
  patches: true,
  caption: true,
  longSidePx: true,
} satisfies Record<keyof AnnotateOptions, true>);

/**
 * Engine options with every default filled in; `cacheDir` is empty if none is kept, `views` null for the models' own.
 */
type CompleteEngineOptions = Required<Omit<EngineOptions, 'views'>> & {
  readonly views: number | null;
};

/** Fills in defaults; throws StartError `config_invalid` at the first value that can't be used. */
export function readEngineOptions(options: EngineOptions): CompleteEngineOptions {
  const expect = (isValid: boolean, expected: string, name: string, value: unknown) => {
    if (!isValid) throw new StartError('config_invalid', complaint(expected, name, value));
  };
  expect(isRecord(options), 'an object', 'options', options);
  const unknown = complainOfUnknown(options, ENGINE_OPTION_NAMES);
  if (unknown !== null) throw new StartError('config_invalid', unknown);
  const { modelsDir, views, device, threads, memoryMb, queueLimit, cacheDir } = options;
  const complete = {
    modelsDir: modelsDir ?? PACKAGE_MODELS_DIR,
    views: views ?? null,
    device: device ?? 'auto',
    threads: threads ?? availableParallelism(),
    memoryMb: memoryMb ?? defaultMemoryMb(),
    queueLimit: queueLimit ?? 64,
    cacheDir: cacheDir ?? '',
  };
  expect(isText(complete.modelsDir), 'the path of a folder', 'modelsDir', modelsDir);
  expect(
    complete.views === null || isInteger(complete.views, 1, MOST_VIEWS),
    `a whole number from 1 to ${MOST_VIEWS}`,
    'views',
    views,
  );
  expect(DEVICE_NAMES.includes(complete.device), `one of ${DEVICE_NAMES.join(', ')}`, 'device', device);
  expect(
    isInteger(complete.threads, 1, MOST_THREADS),
    `a whole number from 1 to ${MOST_THREADS}`,
    'threads',
    threads,
  );
  expect(
    isInteger(complete.memoryMb, LEAST_MEMORY_MB, MOST_MEMORY_MB),
    `a whole number from ${LEAST_MEMORY_MB} to ${MOST_MEMORY_MB}`,
    'memoryMb',
    memoryMb,
  );
  expect(
    isInteger(complete.queueLimit, 0, MOST_QUEUED),
    `a whole number from 0 to ${MOST_QUEUED}`,
    'queueLimit',
    queueLimit,
  );
  expect(typeof complete.cacheDir === 'string', 'the path of a folder', 'cacheDir', cacheDir);
  return complete;
}

/** Throws TypeError unless every value can be used as it is. */
function assert(isValid: boolean, expected: string, name: string, value: unknown): void {
  if (!isValid) throw new TypeError(complaint(expected, name, value));
}

/**
 * The bytes as the engine's threads may read them while JavaScript goes on: the array itself, pinned, or a copy. It is
 * a copy if its memory could shrink or change hands under their eyes (shared or resizable). Throws TypeError for
 * anything else.
 */
export function readBytes(bytes: Uint8Array): Uint8Array {
  assert(bytes instanceof Uint8Array, 'a Uint8Array', 'bytes', bytes);
  const { buffer } = bytes;
  const isPlain = buffer instanceof ArrayBuffer && !(buffer as { resizable?: boolean }).resizable;
  return isPlain ? bytes : new Uint8Array(bytes);
}

/** Throws TypeError at the first option that can't be used. */
export function checkInspectOptions(options: InspectOptions): void {
  assert(isRecord(options), 'an object', 'options', options);
  refuseUnknown(options, INSPECT_OPTION_NAMES);
  const { signal, deadlineMs, previewPx, heatMap, background } = options;
  assert(signal === undefined || signal instanceof AbortSignal, 'an AbortSignal', 'signal', signal);
  assert(
    deadlineMs === undefined || isNumber(deadlineMs, 0),
    'a number of milliseconds',
    'deadlineMs',
    deadlineMs,
  );
  if (previewPx !== undefined) checkLongSide(previewPx, 'previewPx');
  for (const [name, value] of Object.entries({ heatMap, background }))
    assert(value === undefined || typeof value === 'boolean', 'a boolean', name, value);
}

/** Throws TypeError at an option that is none. */
function refuseUnknown(options: object, names: readonly string[]): void {
  const unknown = complainOfUnknown(options, names);
  if (unknown !== null) throw new TypeError(unknown);
}

/** Throws TypeError at the first option that can't be used. */
export function checkAnnotateOptions(options: AnnotateOptions): void {
  refuseUnknown(options, ANNOTATE_OPTION_NAMES);
  const { faces, patches, caption, longSidePx } = options;
  const isBox = (box: unknown) =>
    Array.isArray(box) && box.length === 4 && box.every((x) => isInteger(x, -MAX_SIDE_PX, MAX_SIDE_PX));
  assert(Array.isArray(faces), 'an array', 'faces', faces);
  for (const { box, label, alarm } of faces) {
    assert(isBox(box), 'four whole numbers', 'box', box);
    assert(typeof label === 'string', 'a text', 'label', label);
    assert(typeof alarm === 'boolean', 'a boolean', 'alarm', alarm);
  }
  assert(Array.isArray(patches), 'an array', 'patches', patches);
  for (const { box, score } of patches) {
    assert(isBox(box), 'four whole numbers', 'box', box);
    assert(isNumber(score, 0, 1), 'a number from 0 to 1', 'score', score);
  }
  assert(typeof caption === 'string', 'a text', 'caption', caption);
  checkLongSide(longSidePx);
}

/** Throws TypeError unless both can be used. */
export function checkRecompressOptions(options: { longSidePx: number; quality: number }): void {
  refuseUnknown(options, ['longSidePx', 'quality']);
  const { longSidePx, quality } = options;
  checkLongSide(longSidePx);
  assert(isInteger(quality, 1, 100), 'a whole number from 1 to 100', 'quality', quality);
}

/** Throws TypeError unless it can be the longer side of a picture. */
export function checkLongSide(longSidePx: number, name = 'longSidePx'): void {
  assert(isInteger(longSidePx, 1, MAX_SIDE_PX), `a whole number from 1 to ${MAX_SIDE_PX}`, name, longSidePx);
}
