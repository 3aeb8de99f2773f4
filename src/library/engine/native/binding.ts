// Loading and typing the native addon, which only this file uses.
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
 * Configuration of a native engine: the fields of EngineConfig in native/engine/engine_config.h, complete and valid.
 */
interface NativeConfig extends NativeModels {
  /** Device; null for the best one. */
  readonly device: Exclude<Device, 'auto'> | null;
  readonly threads: number;
  readonly memoryBytes: number;
  readonly queueLimit: number;
  /** Path of a library with TensorRT's provider; empty for the built-in one. */
  readonly epLibrary: string;
  /** Folder of caches; empty for none. */
  readonly cacheDir: string;
  readonly cudaGraphs: boolean;
}

/** An inspection from the engine. Converting hundreds of patches to objects there would hold the JS thread. */
export interface NativeInspection extends Omit<Inspection, 'patches' | 'scene'> {
  /** Patches: x, y, width, height and score of each in turn. */
  readonly patches: Float64Array;
  readonly scene: NativeScene | null;
}

/** A scene as the engine gives it. */
export interface NativeScene extends Pick<Scene, 'isFlat' | 'levels'> {
  /** Words of the middle's hash, then of each window's. */
  readonly hashes: Uint32Array;
}

/** Number of words of a hash. */
const HASH_WORDS = 8;

/** Splits the words of a scene into its hashes. */
export function readScene({ hashes: words, isFlat, levels }: NativeScene): Scene {
  const hashes = Array.from({ length: words.length / HASH_WORDS }, (_, at) =>
    words.subarray(at * HASH_WORDS, (at + 1) * HASH_WORDS),
  );
  const [middle = words, ...windows] = hashes;
  return { middle, windows, isFlat, levels };
}

/** Converts numbers to patches, five for each. */
export function readPatches(numbers: Float64Array): PatchScore[] {
  const at = (index: number): number => numbers[index] ?? 0;
  return Array.from({ length: numbers.length / 5 }, (_, patch) => {
    const first = patch * 5;
    return { box: [at(first), at(first + 1), at(first + 2), at(first + 3)], score: at(first + 4) };
  });
}

/** Fields of every job. */
export interface NativeJob {
  /** Identifier chosen by the caller, from 1, unique among pending jobs. */
  readonly id: number;
  readonly bytes: Uint8Array;
  /** Milliseconds from now, or null without a deadline. */
  readonly deadlineMs: number | null;
  /** True if other jobs have priority. */
  readonly isBackground: boolean;
}

/**
 * The raw engine. Only `start` may be called before `start` has resolved. Errors carry `code`, the name of a native
 * StatusCode.
 */
export interface NativeEngine {
  start(): Promise<void>;
  sniff(job: NativeJob): Promise<SniffedImage>;
  readMetadata(job: NativeJob): Promise<readonly MetadataText[]>;
  /** `previewPx` 0 makes no preview. */
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
  /** Drops a job that has not begun. Its promise rejects with code `cancelled` once no thread reads its bytes. */
  cancel(id: number): void;
  stats(): EngineStats;
  /** Finishes accepted jobs, frees everything and returns the final counters. Nothing may be called afterwards. */
  close(): Promise<EngineStats>;
}

/** Exports of the addon. */
export interface NativeBinding {
  readonly NativeEngine: new (config: NativeConfig) => NativeEngine;
  /** Limits the private memory of a process permanently. Returns false if the system refuses. */
  readonly limitMemory: (pid: number, bytes: number) => boolean;
}

const BUILT = new URL('build/Release/', SHIPPED);

/** Returns the path of the native file `name`: the one built here, else the one that the package brought. */
export function findNative(name: string): string {
  if (existsSync(new URL('telltale.node', BUILT))) return fileURLToPath(new URL(name, BUILT));
  const platform = `${process.platform}-${process.arch}`;
  const folder = new URL(`prebuilds/${platform}/`, SHIPPED);
  if (!existsSync(folder))
    throw new Error(
      `there is none for ${platform}; run 'npm rebuild telltale-engine', or 'npm run setup' in a copy of the source`,
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
        `${fileURLToPath(file)} is damaged, it has ${size} of ${expected} bytes; install telltale-engine again`,
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
