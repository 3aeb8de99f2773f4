// The engine's JavaScript interface: promises, abort signals, deadlines and error codes.
import { join } from 'node:path';
import { performance } from 'node:perf_hooks';
import { makeFolder } from '../../base/files.js';
import { isErrorCode } from '../../base/error-codes.js';
import { CheckError, StartError } from '../../base/errors.js';
import { listenForAbort, QUARTER_FOR_OTHERS, Semaphore } from '../../base/concurrency.js';
import { loadBinding, readPatches, readScene, type NativeEngine, type NativeJob } from './binding.js';
import { describeRefusal } from './refusals.js';
import { loadModels, type LoadedModels } from '../manifests/manifest.js';
import {
  checkAnnotateOptions,
  checkInspectOptions,
  checkLongSide,
  checkRecompressOptions,
  readBytes,
  readEngineOptions,
} from './options.js';
import type {
  AnnotateOptions,
  Engine,
  EngineOptions,
  EngineStats,
  Inspection,
  InspectOptions,
  MetadataText,
  PixelMarks,
  Preview,
  Scene,
  SceneHash,
  SceneLocation,
  SniffedImage,
} from '../types.js';

/** Maximum concurrent images of all accounts on a GPU. One account's share, 48, fills two of the largest batches. */
const MAX_GPU_IMAGES = 64;

/** Converts a native error to a CheckError; unknown codes become `internal_error`. */
function toCheckError(error: unknown): CheckError {
  const { code, message, values } = error as { code?: unknown; message?: string; values?: string[] };
  if (isErrorCode(code) && message !== undefined)
    return new CheckError(code, describeRefusal(message, values));
  return new CheckError('internal_error', 'the image could not be checked', { cause: error });
}

/** Converts an error of the native engine's start to a StartError. */
function toStartError(error: unknown): StartError {
  const { code, message } = error as { code?: unknown; message: string };
  const isDevice = code === 'device_unavailable';
  return new StartError(isDevice ? 'device_unavailable' : 'model_invalid', message, { cause: error });
}

class RunningEngine implements Engine {
  #nextId = 1;
  #closing: Promise<void> | undefined;
  /** Final counters, for callers that ask after the engine was closed. */
  #lastStats: EngineStats | undefined;
  /**
   * Limits and shares the native queue fairly among accounts. That queue runs jobs in the order of arrival,
   * so it gets only enough jobs to stay busy.
   */
  readonly #permits: Semaphore;

  readonly model: string;
  readonly views: number;
  readonly earlyExits: LoadedModels['earlyExits'];
  readonly files: LoadedModels['files'];
  readonly #native: NativeEngine;

  constructor(
    { name, views, earlyExits, files }: Omit<LoadedModels, 'models' | 'digest'>,
    native: NativeEngine,
    queueLimit: number,
  ) {
    this.model = name;
    this.views = views;
    this.earlyExits = earlyExits;
    this.files = files;
    this.#native = native;
    this.#permits = new Semaphore({
      permits: countPermits(native.stats()),
      keptForOthers: QUARTER_FOR_OTHERS,
      queueLimit,
      refuse: () => new CheckError('overloaded', describeRefusal('queue_full')),
    });
  }

  async sniff(bytes: Uint8Array): Promise<SniffedImage> {
    return this.#submit(bytes, (job) => this.#native.sniff(job));
  }

  async readMetadata(bytes: Uint8Array): Promise<readonly MetadataText[]> {
    return this.#submit(bytes, (job) => this.#native.readMetadata(job));
  }

  async inspect(bytes: Uint8Array, options: InspectOptions = {}): Promise<Inspection> {
    const { previewPx = 0, heatMap = false, hashScene = false } = options;
    const startMs = performance.now();
    let waitedMs = 0;
    const { timings, patches, scene, ...scores } = await this.#begin(bytes, options, (job) => {
      waitedMs = performance.now() - startMs;
      return this.#native.inspect({ ...job, previewPx, heatMap, hashScene });
    });
    const queue = timings.queue + waitedMs;
    return {
      ...scores,
      timings: { ...timings, queue },
      patches: readPatches(patches),
      scene: scene && readScene(scene),
    };
  }

  async searchPixels(bytes: Uint8Array, options: InspectOptions = {}): Promise<PixelMarks> {
    return this.#begin(bytes, options, (job) => this.#native.searchPixels(job));
  }

  async makePreview(
    bytes: Uint8Array,
    { longSidePx, ...options }: InspectOptions & { readonly longSidePx: number },
  ): Promise<Preview> {
    checkLongSide(longSidePx);
    return this.#begin(bytes, options, (job) => this.#native.makePreview({ ...job, longSidePx }));
  }

  async hashScene(bytes: Uint8Array, options: InspectOptions = {}): Promise<Scene | null> {
    const scene = await this.#begin(bytes, options, (job) => this.#native.hashScene(job));
    return scene && readScene(scene);
  }

  async locateScene(
    original: Uint8Array,
    { hash, shape }: { readonly hash: SceneHash; readonly shape: number },
    options: InspectOptions = {},
  ): Promise<SceneLocation> {
    const search = { hash: [...hash], shape };
    return this.#begin(original, options, (job) => this.#native.locateScene({ ...job, ...search }));
  }

  async compareScenes(bytes: Uint8Array, levels: Uint8Array, options: InspectOptions = {}): Promise<number> {
    return this.#begin(bytes, options, (job) => this.#native.compareScenes({ ...job, levels }));
  }

  async annotate(
    bytes: Uint8Array,
    options: AnnotateOptions,
    limits: InspectOptions = {},
  ): Promise<Uint8Array> {
    checkAnnotateOptions(options);
    return this.#begin(bytes, limits, (job) => this.#native.annotate({ ...options, ...job }));
  }

  async recompress(
    bytes: Uint8Array,
    options: { readonly longSidePx: number; readonly quality: number },
  ): Promise<Uint8Array> {
    checkRecompressOptions(options);
    return this.#submit(bytes, (job) => this.#native.recompress({ ...options, ...job }));
  }

  stats(): EngineStats {
    const stats = this.#lastStats ?? this.#native.stats();
    return { ...stats, queued: stats.queued + this.#permits.waiting };
  }

  close(): Promise<void> {
    this.#permits.close();
    this.#closing ??= this.#native.close().then((stats) => {
      this.#lastStats = stats;
    });
    return this.#closing;
  }

  #refuseWhereClosed(): void {
    if (this.#closing) throw new CheckError('overloaded', 'the engine is closing and takes no more work');
  }

  /** Submits a job without a deadline. */
  #submit<T>(bytes: Uint8Array, work: (job: NativeJob) => Promise<T>): Promise<T> {
    const input = readBytes(bytes);
    this.#refuseWhereClosed();
    const job = { id: this.#nextId++, bytes: input, deadlineMs: null, isBackground: false };
    return work(job).catch((error: unknown) => {
      throw toCheckError(error);
    });
  }

  /** Submits a job. Settles early if the signal aborts or the deadline passes. */
  #begin<T>(bytes: Uint8Array, options: InspectOptions, work: (job: NativeJob) => Promise<T>): Promise<T> {
    checkInspectOptions(options);
    const input = readBytes(bytes);
    options.signal?.throwIfAborted();
    this.#refuseWhereClosed();
    const id = this.#nextId++;
    const { accountId, deadlineMs, background = false } = options;
    const endMs = performance.now() + (deadlineMs ?? Infinity);
    const endSignal = new AbortController();
    // Background jobs take no permit: they have their own native queue, and callers need the permits.
    const done = this.#admit(background ? undefined : accountId, endSignal.signal, () => {
      const leftMs = deadlineMs === undefined ? null : Math.max(0, endMs - performance.now());
      return work({ id, bytes: input, deadlineMs: leftMs, isBackground: background });
    });
    return this.#settleEarly(id, done, endSignal, options);
  }

  /**
   * Runs `work` when the account gets a permit, or immediately without an account. The account holds the
   * permit until no thread works on the job.
   */
  async #admit<T>(accountId: string | undefined, signal: AbortSignal, work: () => Promise<T>): Promise<T> {
    if (accountId === undefined) return work();
    const leave = await this.#permits.enter(signal, accountId);
    try {
      signal.throwIfAborted();
      this.#refuseWhereClosed();
      return await work();
    } finally {
      leave();
    }
  }

  /** Settles as `work` does, or when the signal aborts or the deadline passes, which drops the job. */
  #settleEarly<T>(
    id: number,
    work: Promise<T>,
    endSignal: AbortController,
    { signal, deadlineMs }: InspectOptions,
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      const drop = (reason: unknown) => {
        endSignal.abort(reason);
        this.#native.cancel(id);
        reject(reason);
      };
      const onAbort = () => drop(signal?.reason);
      const onDeadline = () =>
        drop(new CheckError('deadline_exceeded', `the check did not finish within ${deadlineMs} ms`));
      const stopListening = listenForAbort(signal, onAbort);
      // The engine checks the deadline only between steps; this timer covers images in the queue.
      const timer = deadlineMs === undefined ? undefined : setTimeout(onDeadline, deadlineMs);
      work
        .then(resolve, (error: unknown) => reject(toCheckError(error)))
        .finally(() => {
          clearTimeout(timer);
          stopListening();
        });
    });
  }
}

/**
 * Returns the maximum number of images from accounts that are submitted concurrently: few, because the next
 * caller waits for them. On the CPU, an account's share is one image per thread and one for the next free
 * thread.
 */
function countPermits({ threads }: EngineStats): number {
  return threads.batchers > 0 ? MAX_GPU_IMAGES : Math.ceil(((threads.decode + 1) * 4) / 3);
}

/**
 * Creates a cache folder for these networks only. TensorRT recognises a network in its cache by the names of
 * its nodes, not by its weights, and would mix up networks.
 */
async function makeCacheDir(cacheDir: string, digest: string): Promise<string> {
  if (cacheDir === '') return '';
  const path = join(cacheDir, digest.slice(0, 16));
  try {
    await makeFolder(path, 0o700);
    return path;
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw new StartError('config_invalid', `the cache folder ${path} can't be created (${code})`, { cause });
  }
}

/**
 * Loads the addon and the models without blocking the event loop, and starts the engine's threads. Each Node
 * environment, such as a worker thread, must create its own engine. Rejects with StartError
 * `device_unavailable`, `model_invalid` or `config_invalid`.
 */
export async function createEngine(options: EngineOptions = {}): Promise<Engine> {
  const { modelsDir, views, cacheDir, device, memoryMb, ...nativeOptions } = readEngineOptions(options);
  const binding = loadBinding();
  const { models, digest, ...loaded } = await loadModels(modelsDir, views);
  const cache = await makeCacheDir(cacheDir, digest);
  const native = new binding.NativeEngine({
    ...models,
    device: device === 'auto' ? null : device,
    memoryBytes: memoryMb * 1_000_000,
    cacheDir: cache,
    ...nativeOptions,
  });
  try {
    await native.start();
  } catch (error) {
    throw toStartError(error);
  }
  return new RunningEngine(loaded, native, nativeOptions.queueLimit);
}
