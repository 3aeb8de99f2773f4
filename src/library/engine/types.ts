// What the native engine takes and gives, in TypeScript's words: the border that check/, cli/ and bench/ see.
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

/** Where inference can run. `auto` takes the best there is and says in `stats()` which and why. */
export const DEVICE_NAMES = ['auto', 'cpu', 'cuda', 'tensorrt'] as const;
/** Where inference is asked to run. */
export type Device = (typeof DEVICE_NAMES)[number];

/** The most crops of an image that a plan may have. */
export const MOST_CROPS = 8;

/**
 * Scores, 0..1, below and above which an image exits early after a stage: of a photograph and of an
 * illustration. Those of an image lie between the two, in log odds, by the probability that it is an illustration.
 */
export type EarlyExitBounds = Readonly<
  Record<'photographed' | 'drawn', { readonly below: number; readonly above: number }>
>;

/** How an engine is built. All fields have defaults. */
export interface EngineOptions {
  /** Folder with one folder a model and bands.json; default: the package's `models/`. */
  readonly modelsDir?: string;
  /**
   * Crops of an image that the encoder sees, by one of the plans of the full image specialist: then it sees all of them.
   * Default: its own, in stages with early exit.
   */
  readonly views?: number;
  /** Default `auto`. */
  readonly device?: Device;
  /** Threads that all pools share; default: every core this process may use. */
  readonly threads?: number;
  /** Memory that all decodes at once may take, in MB; what does not fit waits. Default: three quarters of what the process may use. */
  readonly memoryMb?: number;
  /** Inspections that may wait for a decode thread, or of one account for its turn, before `overloaded`; default 64. */
  readonly queueLimit?: number;
  /** A library with an execution provider of ONNX Runtime that runs `tensorrt` in place of the one built in; default: none. */
  readonly epLibrary?: string;
  /** Folder for TensorRT's engine and timing caches; default: none kept. */
  readonly cacheDir?: string;
  /**
   * Experimental, not run on a GPU yet: on CUDA, runs of the networks replay captured graphs of fixed batch sizes. Where a
   * graph can't be captured the engine runs without, and `deviceReason` says why. Default false.
   */
  readonly cudaGraphs?: boolean;
}

/** Options of one inspection. */
export interface InspectOptions {
  /** Aborts the inspection; the promise rejects with the signal's reason. */
  readonly signal?: AbortSignal;
  /** Milliseconds from now after which it ends in `deadline_exceeded`, at most 2^31 - 1; default: none. */
  readonly deadlineMs?: number;
  /** Longer side of a preview to make of the pixels that are there anyway; default: none is made. */
  readonly previewPx?: number;
  /** Whether to hash what the image shows; default: it is not hashed. */
  readonly hashScene?: boolean | undefined;
  /** Whether to make the heat map, for which the encoder sees all crops; the score is the one without. Default: it is not made. */
  readonly heatMap?: boolean | undefined;
  /** Whose image it is: accounts take turns at the threads. Default: nobody's, which goes straight to their queue. */
  readonly accountId?: string | undefined;
  /**
   * Nobody waits for it: what somebody waits for goes before each of its steps. It takes no turn of an account, because it
   * has a queue of its own. It goes on at a ninth of the steps, however much is asked for. Default false.
   */
  readonly background?: boolean | undefined;
}

/** A file that the engine computes with. */
export interface ModelDigest {
  /** Within the models folder, such as `encoder/weights.bin`. */
  readonly name: string;
  /** 64 hexadecimal digits. */
  readonly sha256: string;
}

/** Counters of one network's batcher since the start. */
export interface BatcherStats {
  readonly batches: number;
  /** Rows (crops, faces among them, or whole images) inferred. */
  readonly rows: number;
  /** Rows dropped because their request was cancelled or had expired. */
  readonly dropped: number;
}

/** What the engine took and what it has done since its start. */
export interface EngineStats {
  /** The device that inference runs on. */
  readonly device: Exclude<Device, 'auto'>;
  /** Why that device: one sentence. */
  readonly deviceReason: string;
  readonly onnxRuntimeVersion: string;
  /** `batchers` is 0 if decode threads run the batches, too, as they do on the CPU. */
  readonly threads: { readonly decode: number; readonly intraOp: number; readonly batchers: number };
  readonly queued: number;
  readonly running: number;
  readonly inspected: number;
  readonly refused: number;
  readonly memory: EngineMemory;
  readonly batchers: Readonly<Record<NetworkId, BatcherStats>>;
}

/** What all decodes at once may take of memory, and what they take. */
export interface EngineMemory {
  /** `memoryMb` in bytes. */
  readonly budgetBytes: number;
  /** What the images at work take at most, by their headers; never more than the budget. */
  readonly takenBytes: number;
  /** Images since the start that did not fit beside those at work and waited. */
  readonly waits: number;
}

/** The two networks. */
export type NetworkId = 'encoder' | 'face_detector';
/** The networks, and the specialists that read columns of the encoder: each has a manifest. */
export type ModelId = NetworkId | 'full_image_specialist' | 'face_specialist';

/** A JPEG or PNG drawn over: boxes and a heat map (see `Engine.annotate`). */
export interface AnnotateOptions {
  readonly faces: readonly { readonly box: Box; readonly label: string; readonly alarm: boolean }[];
  /** Patch scores to lay over the image as a heat map; empty: none. */
  readonly patches: readonly PatchScore[];
  /** One line of text along the top; ASCII. */
  readonly caption: string;
  /** The longer side is shrunk to this, in pixels. */
  readonly longSidePx: number;
}

/** A running engine: one a process is enough, however many requests there are. */
export interface Engine {
  /** The models that it runs, such as `telltale-2.1.0`: bands are for one of them. */
  readonly model: string;
  /** Crops of an image that the encoder sees where it does not exit early. */
  readonly views: number;
  /** Bounds after each stage but the last; empty if every image is scored with all crops. */
  readonly earlyExits: readonly EarlyExitBounds[];
  /** Networks and manifests that make the scores. */
  readonly files: readonly ModelDigest[];
  /**
   * Reads the header only, on a thread for nothing else; `bytes` as in `inspect`. Rejects with CheckError unsupported_format,
   * image_corrupt, image_too_many_pixels, overloaded.
   */
  sniff(bytes: Uint8Array): Promise<SniffedImage>;
  /**
   * What the file says of itself beside its pixels, never its position. Malformed parts are left out. Where and errors as
   * `sniff`, but none for what the file holds.
   */
  readMetadata(bytes: Uint8Array): Promise<readonly MetadataText[]>;
  /**
   * Decodes once, detects faces, scores the crops of the image and the faces. `bytes` is read in place: it must not
   * change until it settles. Its memory must not be transferred to another thread at all, because an aborted inspection
   * finishes its step. Rejects with CheckError unsupported_format, image_corrupt, image_too_many_pixels, overloaded,
   * deadline_exceeded, or with the signal's reason.
   */
  inspect(bytes: Uint8Array, options?: InspectOptions): Promise<Inspection>;
  /** Decodes anew and looks for the visible signs and open watermarks of generators. Options and errors as `inspect`. */
  searchPixels(bytes: Uint8Array, options?: InspectOptions): Promise<PixelMarks>;
  /** The image made small; decodes anew. Options and errors as `inspect`. */
  makePreview(
    bytes: Uint8Array,
    options: Omit<InspectOptions, 'previewPx'> & { readonly longSidePx: number },
  ): Promise<Preview>;
  /** `scene` of an inspection alone; decodes anew. Options and errors as `inspect`. */
  hashScene(bytes: Uint8Array, options?: InspectOptions): Promise<Scene | null>;
  /**
   * Where the image whose middle has a hash lies in what may be its original: the whole, or a part of at least half of its
   * sides. `shape` is the image's aspect ratio as a multiple of the original's. Decodes anew; options and errors as `inspect`.
   */
  locateScene(
    original: Uint8Array,
    search: { readonly hash: SceneHash; readonly shape: number },
    options?: InspectOptions,
  ): Promise<SceneLocation>;
  /** A PNG of the image with boxes, heat map and caption drawn on it. Limits and errors as `inspect`. */
  annotate(bytes: Uint8Array, options: AnnotateOptions, limits?: InspectOptions): Promise<Uint8Array>;
  /** The image shrunk to at most `longSidePx` and saved as JPEG of `quality`: the degradation levels of `models eval`. Errors as `inspect`. */
  recompress(
    bytes: Uint8Array,
    options: { readonly longSidePx: number; readonly quality: number },
  ): Promise<Uint8Array>;
  stats(): EngineStats;
  /** Refuses new work and what waits for its turn with `overloaded`, finishes what runs, frees everything. Safe to call twice. */
  close(): Promise<void>;
}
