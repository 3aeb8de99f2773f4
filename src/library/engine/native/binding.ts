// Loading the native addon and describing its types. Only this file uses the addon.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { StartError } from '../../base/errors.js';
import { SHIPPED } from '../../base/package-paths.js';
import type { NativeModels } from '../manifests/manifest.js';
import type {
  AnnotateOptions,
  Device,
  EngineStats,
  Inspection,
  MetadataText,
  PatchScore,
  PixelMarks,
  Preview,
  Scene,
  SceneLocation,
  SniffedImage,
} from '../types.js';

/**
 * Configuration of the native engine: all fields of EngineConfig in native/engine/engine_config.h, already
 * validated.
 */
interface NativeConfig extends NativeModels {
  /** Device for the networks; null for the best one. */
  readonly device: Exclude<Device, 'auto'> | null;
  readonly threads: number;
  readonly memoryBytes: number;
  readonly queueLimit: number;
  /** Path of a library that replaces the built-in support of TensorRT; empty for none. */
  readonly epLibrary: string;
  /** Folder for TensorRT's caches; empty for none. */
  readonly cacheDir: string;
  readonly cudaGraphs: boolean;
}

/**
 * Result of an inspection as the addon returns it. The heat map is a list of numbers, because creating
 * hundreds of objects in C++ would block the JavaScript thread.
 */
export interface NativeInspection extends Omit<Inspection, 'patches' | 'scene'> {
  /** Cells of the heat map: x, y, width, height and score of each cell in turn. */
  readonly patches: Float64Array;
  readonly scene: NativeScene | null;
}

/** Hashes of what an image shows, as the addon returns them. */
export interface NativeScene extends Pick<Scene, 'isFlat' | 'levels'> {
  /** Words of all hashes: first the hash of the image's middle, then one hash for each window. */
  readonly hashes: Uint32Array;
}

/** Number of 32-bit words per hash. */
const HASH_WORDS = 8;

/** Splits the addon's list of words into hashes. */
export function readScene({ hashes: words, isFlat, levels }: NativeScene): Scene {
  const hashes = Array.from({ length: words.length / HASH_WORDS }, (_, at) =>
    words.subarray(at * HASH_WORDS, (at + 1) * HASH_WORDS),
  );
  const [middle = words, ...windows] = hashes;
  return { middle, windows, isFlat, levels };
}

/** Converts the addon's list of numbers to heat-map cells, five numbers each. */
export function readPatches(numbers: Float64Array): PatchScore[] {
  const at = (index: number): number => numbers[index] ?? 0;
  return Array.from({ length: numbers.length / 5 }, (_, patch) => {
    const first = patch * 5;
    return { box: [at(first), at(first + 1), at(first + 2), at(first + 3)], score: at(first + 4) };
  });
}

export interface NativeJob {
  /** Number that the caller chooses, from 1, unique among unfinished jobs. */
  readonly id: number;
  readonly bytes: Uint8Array;
  /** Milliseconds from now, or null without a deadline. */
  readonly deadlineMs: number | null;
  /** True if other jobs go first. */
  readonly isBackground: boolean;
}

/**
 * The addon's engine. Only `start` may be called before `start` has resolved. Its errors have a `code`: the
 * name of a StatusCode in C++.
 */
export interface NativeEngine {
  start(): Promise<void>;
  sniff(job: NativeJob): Promise<SniffedImage>;
  readMetadata(job: NativeJob): Promise<readonly MetadataText[]>;
  /** `previewPx` is the longer side of the preview in pixels; 0 makes no preview. */
  inspect(
    job: NativeJob & { readonly previewPx: number; readonly heatMap: boolean; readonly hashScene: boolean },
  ): Promise<NativeInspection>;
  makePreview(job: NativeJob & { readonly longSidePx: number }): Promise<Preview>;
  hashScene(job: NativeJob): Promise<NativeScene | null>;
  locateScene(
    job: NativeJob & { readonly hash: readonly number[]; readonly shape: number },
  ): Promise<SceneLocation>;
  compareScenes(job: NativeJob & { readonly levels: Uint8Array }): Promise<number>;
  searchPixels(job: NativeJob): Promise<PixelMarks>;
  annotate(job: NativeJob & AnnotateOptions): Promise<Uint8Array>;
  recompress(job: NativeJob & { readonly longSidePx: number; readonly quality: number }): Promise<Uint8Array>;
  /**
   * Drops a job that has not begun. The job's promise rejects with code `cancelled` as soon as no thread
   * reads its bytes.
   */
  cancel(id: number): void;
  stats(): EngineStats;
  /**
   * Finishes accepted jobs, frees all memory and returns the final counters. Nothing may be called
   * afterwards.
   */
  close(): Promise<EngineStats>;
}

export interface NativeBinding {
  readonly NativeEngine: new (config: NativeConfig) => NativeEngine;
  /** Limits the private memory of a process until it ends. Returns false if the operating system refuses. */
  readonly limitMemory: (pid: number, bytes: number) => boolean;
}

const BUILT = new URL('build/Release/', SHIPPED);

/** Returns the path of the native file `name`: of a local build if there is one, else of the package. */
export function findNative(name: string): string {
  if (existsSync(new URL('telltale.node', BUILT))) return fileURLToPath(new URL(name, BUILT));
  const platform = `${process.platform}-${process.arch}`;
  const folder = new URL(`prebuilds/${platform}/`, SHIPPED);
  if (!existsSync(folder))
    throw new Error(
      `there is no build for ${platform}; run 'npm rebuild telltale-engine', or 'npm run setup' in a copy of the source`,
    );
  checkSizes(folder);
  return fileURLToPath(new URL(name, folder));
}

/** Verifies the sizes of shared libraries, because loading a truncated one kills the process. */
function checkSizes(folder: URL): void {
  const sizes = JSON.parse(readFileSync(new URL('sizes.json', folder), 'utf8')) as Record<string, number>;
  for (const [name, expected] of Object.entries(sizes)) {
    const file = new URL(name, folder);
    const { size } = statSync(file);
    if (size !== expected)
      throw new Error(
        `${fileURLToPath(file)} is damaged: it has ${size} of ${expected} bytes; install telltale-engine again`,
      );
  }
}

/** Loads the addon. Throws StartError `config_invalid` if it is missing or does not load. */
export function loadBinding(): NativeBinding {
  const require = createRequire(import.meta.url);
  try {
    return require(findNative('telltale.node')) as NativeBinding;
  } catch (cause) {
    const message = `The native engine does not load: ${(cause as Error).message}`;
    throw new StartError('config_invalid', message, { cause });
  }
}
