// Public types of the native engine.
import type {
  Box,
  Inspection,
  MetadataText,
  PatchScore,
  PixelMarks,
  Preview,
  Scene,
  SceneHash,
  SceneLocation,
  SniffedImage,
} from './findings.js';

export type * from './findings.js';

/** Devices for inference. `auto` uses the best one and reports it in `stats()` with the reason. */
export const DEVICE_NAMES = ['auto', 'cpu', 'cuda', 'tensorrt'] as const;
/** Requested device for inference. */
export type Device = (typeof DEVICE_NAMES)[number];

/** Maximum number of crops in a plan. */
export const MOST_CROPS = 8;

/**
 * Scores, 0..1, below and above which an image exits early after a stage, for photographs and illustrations. The
 * bounds of an image lie between the two, in log odds, by its probability of being an illustration.
 */
export type EarlyExitBounds = Readonly<
  Record<'photographed' | 'drawn', { readonly below: number; readonly above: number }>
>;

/** Options of an engine. All have defaults. */
export interface EngineOptions {
  /** Folder of the models and bands.json; default: the package's `models/`. */
  readonly modelsDir?: string;
  /**
   * Number of crops per image, which selects a plan of the full image specialist without early exit. Default: the
   * specialist's stages with early exit.
   */
  readonly views?: number;
  /** Device; default `auto`. */
  readonly device?: Device;
  /** Number of threads that all pools share; default: every core this process may use. */
  readonly threads?: number;
  /**
   * Memory in MB that all concurrent decodes may use; further images wait. Default: three quarters of the memory that
   * the process may use.
   */
  readonly memoryMb?: number;
  /**
   * Maximum number of inspections that wait for a decode thread, in total and for each account; more are refused with
   * `overloaded`. Default 64.
   */
  readonly queueLimit?: number;
  /**
   * Path of a library with an execution provider of ONNX Runtime that replaces the built-in `tensorrt`; default: none.
   */
  readonly epLibrary?: string;
  /** Folder for TensorRT's engine and timing caches; default: none. */
  readonly cacheDir?: string;
  /**
   * Experimental, not yet run on a GPU: CUDA replays captured graphs of fixed batch sizes. If a graph can't be
   * captured, the engine runs without, and `deviceReason` says why. Default false.
   */
  readonly cudaGraphs?: boolean;
}

/** Options of an inspection. */
export interface InspectOptions {
  /** Signal that aborts the inspection; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /**
   * Milliseconds from now after which the inspection ends with `deadline_exceeded`, at most 2^31 - 1; default: none.
   */
  readonly deadlineMs?: number;
  /** Longer side in pixels of a preview; default: none is made. */
  readonly previewPx?: number;
  /** True to hash the scene; default false. */
  readonly hashScene?: boolean | undefined;
  /** True to make the heat map, which scores all crops; the image's score stays the same. Default false. */
  readonly heatMap?: boolean | undefined;
  /** Account of the image, for fair sharing of the threads. Default: none, which goes straight to the queue. */
  readonly accountId?: string | undefined;
  /**
   * True for work that nobody waits for: every step of other work has priority, except a ninth of the steps. It has
   * its own queue and no share of an account. Default false.
   */
  readonly background?: boolean | undefined;
}

/** A file that the engine computes with. */
export interface ModelDigest {
  /** Path within the models folder, such as `encoder/weights.bin`. */
  readonly name: string;
  /** SHA-256 as 64 hex digits. */
  readonly sha256: string;
}

/** Counters of one network's batcher since the start. */
export interface BatcherStats {
  readonly batches: number;
  /** Number of inferred rows: crops, faces or whole images. */
  readonly rows: number;
  /** Number of rows dropped because their request was cancelled or expired. */
  readonly dropped: number;
}

/** State and counters of the engine since its start. */
export interface EngineStats {
  /** Device of inference. */
  readonly device: Exclude<Device, 'auto'>;
  /** Reason for that device in one sentence. */
  readonly deviceReason: string;
  readonly onnxRuntimeVersion: string;
  /** Number of threads; `batchers` is 0 if decode threads also run the batches, as on the CPU. */
  readonly threads: { readonly decode: number; readonly intraOp: number; readonly batchers: number };
  readonly queued: number;
  readonly running: number;
  readonly inspected: number;
  readonly refused: number;
  readonly memory: EngineMemory;
  readonly batchers: Readonly<Record<NetworkId, BatcherStats>>;
}

/** Memory budget of all concurrent decodes, and its use. */
export interface EngineMemory {
  /** `memoryMb` in bytes. */
  readonly budgetBytes: number;
  /** Maximum bytes that the running images need by their headers; never more than the budget. */
  readonly takenBytes: number;
  /** Number of images since the start that waited for memory. */
  readonly waits: number;
}

/** Name of a network. */
export type NetworkId = 'encoder' | 'face_detector';
/** Name of a network or of a specialist that reads columns of the encoder; each has a manifest. */
export type ModelId = NetworkId | 'full_image_specialist' | 'face_specialist';

/** Options of an annotated image (see `Engine.annotate`). */
export interface AnnotateOptions {
  readonly faces: readonly { readonly box: Box; readonly label: string; readonly alarm: boolean }[];
  /** Patch scores of the heat map; empty for none. */
  readonly patches: readonly PatchScore[];
  /** Line of ASCII text along the top. */
  readonly caption: string;
  /** Longer side of the result in pixels; larger images are reduced. */
  readonly longSidePx: number;
}

/** A running engine. One per process is enough for any number of requests. */
export interface Engine {
  /** Name of its models, such as `telltale-2.1.0`, to which bands belong. */
  readonly model: string;
  /** Number of crops per image without early exit. */
  readonly views: number;
  /** Bounds after each stage except the last; empty without early exit. */
  readonly earlyExits: readonly EarlyExitBounds[];
  /** Networks and manifests that determine the scores. */
  readonly files: readonly ModelDigest[];
  /**
   * Reads the header on a separate thread; `bytes` as in `inspect`. Rejects with CheckError unsupported_format,
   * image_corrupt, image_too_many_pixels, overloaded.
   */
  sniff(bytes: Uint8Array): Promise<SniffedImage>;
  /**
   * Reads the file's metadata, except its position, and leaves out malformed parts. Thread and errors as in `sniff`,
   * but never an error for the content.
   */
  readMetadata(bytes: Uint8Array): Promise<readonly MetadataText[]>;
  /**
   * Decodes once, detects faces and scores the crops of the image and the faces. Reads `bytes` in place: the bytes
   * must not change until the promise settles, and their memory must not be transferred to another thread at all,
   * because an aborted inspection finishes its step. Rejects with CheckError unsupported_format, image_corrupt,
   * image_too_many_pixels, overloaded, deadline_exceeded, or with the signal's reason.
   */
  inspect(bytes: Uint8Array, options?: InspectOptions): Promise<Inspection>;
  /**
   * Decodes again and searches for visible signs and open watermarks of generators. Options and errors as in
   * `inspect`.
   */
  searchPixels(bytes: Uint8Array, options?: InspectOptions): Promise<PixelMarks>;
  /** Decodes again and returns a reduced image. Options and errors as in `inspect`. */
  makePreview(
    bytes: Uint8Array,
    options: Omit<InspectOptions, 'previewPx'> & { readonly longSidePx: number },
  ): Promise<Preview>;
  /** Decodes again and returns only the `scene` of an inspection. Options and errors as in `inspect`. */
  hashScene(bytes: Uint8Array, options?: InspectOptions): Promise<Scene | null>;
  /**
   * Locates a checked image, by the hash of its middle, in a possible original: the whole, or a part of at least half
   * of its sides. `shape` is the image's aspect ratio as a multiple of the original's. Decodes again; options and
   * errors as in `inspect`.
   */
  locateScene(
    original: Uint8Array,
    search: { readonly hash: SceneHash; readonly shape: number },
    options?: InspectOptions,
  ): Promise<SceneLocation>;
  /**
   * Compares an image block by block with the `levels` of the scene of another one, either of which may be a crop of the
   * other by up to a tenth. Resolves to the difference of the block that differs most: 0 for equal ones, some 1 and more for
   * unrelated ones. Decodes the image anew. Options and errors as in `inspect`.
   */
  compareScenes(bytes: Uint8Array, levels: Uint8Array, options?: InspectOptions): Promise<number>;
  /** Returns a PNG of the image with boxes, heat map and caption. Limits and errors as in `inspect`. */
  annotate(bytes: Uint8Array, options: AnnotateOptions, limits?: InspectOptions): Promise<Uint8Array>;
  /**
   * Returns the image reduced to at most `longSidePx` as a JPEG of `quality`, for the degradation levels of `models
   * eval`. Errors as in `inspect`.
   */
  recompress(
    bytes: Uint8Array,
    options: { readonly longSidePx: number; readonly quality: number },
  ): Promise<Uint8Array>;
  stats(): EngineStats;
  /**
   * Refuses new and waiting work with `overloaded`, finishes running work and frees everything. Safe to call twice.
   */
  close(): Promise<void>;
}
