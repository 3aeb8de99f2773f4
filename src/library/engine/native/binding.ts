// Loads the native addon and types it: nothing else in the project sees the .node file.
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

/** What a native engine is built from: the fields of EngineConfig in native/engine/engine_config.h, complete and valid. */
interface NativeConfig extends NativeModels {
  /** Null: the best that is there. */
  readonly device: Exclude<Device, 'auto'> | null;
  readonly threads: number;
  readonly memoryBytes: number;
  readonly queueLimit: number;
  /** Empty: TensorRT's provider is the one built in. */
  readonly epLibrary: string;
  /** Empty: no caches. */
  readonly cacheDir: string;
  readonly cudaGraphs: boolean;
}

/** An inspection as the engine gives it: hundreds of patches made into objects there would hold up the JS thread. */
export interface NativeInspection extends Omit<Inspection, 'patches' | 'scene'> {
  /** x, y, width, height and score of each patch in turn. */
  readonly patches: Float64Array;
  readonly scene: NativeScene | null;
}

/** The words of the middle's hash, then of each window's. */
export type NativeScene = Uint32Array;

/** Words of a hash. */
const HASH_WORDS = 8;

/** The hashes that the words stand for. */
export function readScene(words: NativeScene): Scene {
  const hashes = Array.from({ length: words.length / HASH_WORDS }, (_, at) =>
    words.subarray(at * HASH_WORDS, (at + 1) * HASH_WORDS),
  );
  const [middle = words, ...windows] = hashes;
  return { middle, windows };
}

/** The patches that the numbers stand for, five for each. */
export function readPatches(numbers: Float64Array): PatchScore[] {
  const at = (index: number): number => numbers[index] ?? 0;
  return Array.from({ length: numbers.length / 5 }, (_, patch) => {
    const first = patch * 5;
    return { box: [at(first), at(first + 1), at(first + 2), at(first + 3)], score: at(first + 4) };
  });
}

/** What every job has. */
export interface NativeJob {
  /** The caller's choice: from 1, each once while it is pending. */
  readonly id: number;
  readonly bytes: Uint8Array;
  /** From now; null: none. */
  readonly deadlineMs: number | null;
  /** Whether what somebody waits for goes first. */
  readonly isBackground: boolean;
}

/**
 * The raw engine. No method but `start` may be called before `start` resolved. Errors carry `code`, a spelling of the
 * native StatusCode.
 */
export interface NativeEngine {
  start(): Promise<void>;
  sniff(job: NativeJob): Promise<SniffedImage>;
  readMetadata(job: NativeJob): Promise<readonly MetadataText[]>;
  /** `previewPx`: 0: no preview. */
  inspect(
    job: NativeJob & { readonly previewPx: number; readonly heatMap: boolean; readonly hashScene: boolean },
  ): Promise<NativeInspection>;
  makePreview(job: NativeJob & { readonly longSidePx: number }): Promise<Preview>;
  hashScene(job: NativeJob): Promise<NativeScene | null>;
  locateScene(
    job: NativeJob & { readonly hash: readonly number[]; readonly shape: number },
  ): Promise<SceneLocation>;
  searchPixels(job: NativeJob): Promise<PixelMarks>;
  annotate(job: NativeJob & AnnotateOptions): Promise<Uint8Array>;
  recompress(job: NativeJob & { readonly longSidePx: number; readonly quality: number }): Promise<Uint8Array>;
  /** Drops what has not begun; its promise rejects with code `cancelled` once no thread reads its bytes. */
  cancel(id: number): void;
  stats(): EngineStats;
  /** Finishes what was accepted, frees everything and gives the last counters; nothing may be called after it. */
  close(): Promise<EngineStats>;
}

/** The addon's exports. */
export interface NativeBinding {
  readonly NativeEngine: new (config: NativeConfig) => NativeEngine;
  /** Limits the private memory of a process for good; false if the system refuses. */
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

/** A shared library that is cut short does not fail to load: it kills the process. */
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

/** Loads the addon; throws StartError `config_invalid` if there is none, or it does not load. */
export function loadBinding(): NativeBinding {
  const require = createRequire(import.meta.url);
  try {
    return require(findNative('telltale.node')) as NativeBinding;
  } catch (cause) {
    const message = `The native engine does not load: ${(cause as Error).message}`;
    throw new StartError('config_invalid', message, { cause });
  }
}
