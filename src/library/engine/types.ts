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

/** Devices that run the networks. `auto` uses the best one; `stats()` reports which one that is, and why. */
export const DEVICE_NAMES = ['auto', 'cpu', 'cuda', 'tensorrt'] as const;
/** Device to run the networks on. */
export type Device = (typeof DEVICE_NAMES)[number];

/** Maximum number of crops per image. */
export const MAX_CROPS = 8;

/**
 * Scores, 0..1, below and above which a check skips its remaining crops. An image's own limits lie between
 * both domains' limits, in log odds, by its probability of being an illustration.
 */
export type EarlyExitBounds = Readonly<
  Record<'photographed' | 'drawn', { readonly below: number; readonly above: number }>
>;

/** Options of an engine. All have defaults. */
export interface EngineOptions {
  /** Folder of the models and their thresholds (bands.json); default: the package's `models/`. */
  readonly modelsDir?: string;
  /**
   * Number of crops (squares of an image that are scored) per image. A number disables early exit. Default:
   * the models' own number, with early exit.
   */
  readonly views?: number;
  /** Device that runs the networks; default `auto`. */
  readonly device?: Device;
  /** Total number of threads; default: one for every core that this process may use. */
  readonly threads?: number;
  /**
   * Memory in MB that all concurrently decoded images may use; further images wait. Default: three quarters
   * of the memory that the process may use.
   */
  readonly memoryMb?: number;
  /**
   * Maximum number of images that wait for a thread, in total and per account. Further images are refused
   * with `overloaded`. Default 64.
   */
  readonly queueLimit?: number;
  /** Path of an ONNX Runtime provider library that replaces the built-in `tensorrt`; default: none. */
  readonly epLibrary?: string;
  /** Folder in which TensorRT caches compiled networks and timings; default: none. */
  readonly cacheDir?: string;
  /**
   * Experimental, not yet run on a GPU. Records the networks as CUDA graphs for fixed batch sizes and replays
   * them. If recording fails, the engine runs without graphs and `deviceReason` says why. Default false.
   */
  readonly cudaGraphs?: boolean;
}

/** Options of an inspection. */
export interface InspectOptions {
  /** Signal that aborts the inspection; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /**
   * Milliseconds after which the inspection ends with `deadline_exceeded`, at most 2^31 - 1; default: none.
   */
  readonly deadlineMs?: number;
  /** Longer side of a preview in pixels; default: no preview is made. */
  readonly previewPx?: number;
  /** True to compute `scene`, the hashes for finding copies; default false. */
  readonly hashScene?: boolean | undefined;
  /** True to make the heat map, which scores all crops. The image's score stays the same. Default false. */
  readonly heatMap?: boolean | undefined;
  /** Account of the image, so that accounts share the threads fairly. Default: none, without sharing. */
  readonly accountId?: string | undefined;
  /**
   * True for work that nobody waits for. Other work goes first, except for one step in nine. Background work
   * has its own queue and counts against no account. Default false.
   */
  readonly background?: boolean | undefined;
}

/** A file that determines the scores, with its hash. */
export interface ModelDigest {
  /** Path within the models folder, such as `encoder/weights.bin`. */
  readonly name: string;
  /** SHA-256 as 64 hex digits. */
  readonly sha256: string;
}

/** Counters of one network's batcher, which joins inputs into batches, since the start. */
export interface BatcherStats {
  readonly batches: number;
  /** Number of scored inputs: crops, faces or whole images. */
  readonly rows: number;
  /** Number of inputs that were dropped because their request was cancelled or expired. */
  readonly dropped: number;
}

/** State and counters of the engine since its start. */
export interface EngineStats {
  /** Device that runs the networks. */
  readonly device: Exclude<Device, 'auto'>;
  /** Reason for the choice of this device, in one sentence. */
  readonly deviceReason: string;
  readonly onnxRuntimeVersion: string;
  /** Number of threads by task. `batchers` is 0 if the decode threads also run the batches, as on the CPU. */
  readonly threads: { readonly decode: number; readonly intraOp: number; readonly batchers: number };
  readonly queued: number;
  readonly running: number;
  readonly inspected: number;
  readonly refused: number;
  readonly memory: EngineMemory;
  readonly batchers: Readonly<Record<NetworkId, BatcherStats>>;
}

/** Memory limit of all concurrent decodes, and its use. */
export interface EngineMemory {
  /** Limit in bytes, from the option `memoryMb`. */
  readonly budgetBytes: number;
  /** Maximum bytes that the running images need according to their headers; never more than the limit. */
  readonly takenBytes: number;
  /** Number of images since the start that had to wait for memory. */
  readonly waits: number;
}

/** Name of a network. */
export type NetworkId = 'encoder' | 'face_detector';
/** Name of a network, or of a specialist that reads the encoder's output. Each has a manifest. */
export type ModelId = NetworkId | 'full_image_specialist' | 'face_specialist';

/** Options of an annotated image (see `Engine.annotate`). */
export interface AnnotateOptions {
  /** Faces to outline. Up to three with an alarm are enlarged next to the image. */
  readonly faces: readonly { readonly box: Box; readonly label: string; readonly alarm: boolean }[];
  /** Cells of the heat map to draw; empty for none. */
  readonly patches: readonly PatchScore[];
  /** Line of ASCII text along the top. */
  readonly caption: string;
  /** Maximum longer side of the result in pixels; larger images are reduced. */
  readonly longSidePx: number;
}

/** A running engine. One per process is enough for any number of requests. */
export interface Engine {
  /** Name of the loaded models, such as `telltale-2.1.0`. Thresholds are only valid for one name. */
  readonly model: string;
  /** Number of crops that are scored per image without early exit. */
  readonly views: number;
  /** Limits for an early exit after each stage except the last; empty without early exit. */
  readonly earlyExits: readonly EarlyExitBounds[];
  /** Network files and manifests, which determine the scores. */
  readonly files: readonly ModelDigest[];
  /**
   * Reads the header of a file on a separate thread. As in `inspect`, `bytes` must not change. Rejects with
   * CheckError unsupported_format, image_corrupt, image_too_many_pixels, overloaded.
   */
  sniff(bytes: Uint8Array): Promise<SniffedImage>;
  /**
   * Reads the file's metadata on a separate thread, without geographic positions and malformed parts. Rejects
   * as `sniff` does, except that malformed content is no error.
   */
  readMetadata(bytes: Uint8Array): Promise<readonly MetadataText[]>;
  /**
   * Decodes the image once, detects its faces, and scores crops of the image and the faces. Reads `bytes` in
   * place: they must not change until the promise settles. Their memory must never be transferred to another
   * thread, because an aborted inspection finishes its current step. Rejects with CheckError
   * unsupported_format, image_corrupt, image_too_many_pixels, overloaded, deadline_exceeded, or with the
   * signal's reason.
   */
  inspect(bytes: Uint8Array, options?: InspectOptions): Promise<Inspection>;
  /**
   * Decodes the image again and searches for generators' visible signs and public watermarks. Options and
   * errors as in `inspect`.
   */
  searchPixels(bytes: Uint8Array, options?: InspectOptions): Promise<PixelMarks>;
  /** Decodes the image again and returns a reduced copy. Options and errors as in `inspect`. */
  makePreview(
    bytes: Uint8Array,
    options: Omit<InspectOptions, 'previewPx'> & { readonly longSidePx: number },
  ): Promise<Preview>;
  /** Decodes the image again and returns its hashes (`scene`). Options and errors as in `inspect`. */
  hashScene(bytes: Uint8Array, options?: InspectOptions): Promise<Scene | null>;
  /**
   * Finds the part of a possible original that a checked image shows: the whole, or at least half of each
   * side. `hash` is the hash of the checked image's middle. `shape` is its aspect ratio divided by the
   * original's. Decodes the original again. Options and errors as in `inspect`.
   */
  locateScene(
    original: Uint8Array,
    search: { readonly hash: SceneHash; readonly shape: number },
    options?: InspectOptions,
  ): Promise<SceneLocation>;
  /**
   * Compares an image block by block with the `levels` of another image. Either one may be a crop of the
   * other by up to a tenth. Resolves to the difference of the block that differs most: 0 for equal images,
   * about 1 or more for unrelated ones. Decodes the image again. Options and errors as in `inspect`.
   */
  compareScenes(bytes: Uint8Array, levels: Uint8Array, options?: InspectOptions): Promise<number>;
  /** Returns a PNG with face boxes, heat map and caption. `limits` and errors as in `inspect`. */
  annotate(bytes: Uint8Array, options: AnnotateOptions, limits?: InspectOptions): Promise<Uint8Array>;
  /**
   * Returns the image as a JPEG of `quality`, reduced to at most `longSidePx`. `models eval` imitates with it
   * how websites degrade images. Errors as in `inspect`.
   */
  recompress(
    bytes: Uint8Array,
    options: { readonly longSidePx: number; readonly quality: number },
  ): Promise<Uint8Array>;
  stats(): EngineStats;
  /** Refuses new and waiting work with `overloaded`, finishes running work, frees all. Safe to call twice. */
  close(): Promise<void>;
}
