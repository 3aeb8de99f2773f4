// Loads the native addon and types it: nothing else in the project sees the .node file.
import { existsSync, readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { StartError } from '../../base/errors.js';
import type {
  AnnotateOptions,
  Device,
  EngineStats,
  Inspection,
  MetadataText,
  PixelMarks,
  Preview,
  SniffedImage,
} from '../types.js';

/** The encoder as the engine takes it; the members are those of its manifest. */
export interface NativeEncoderModel {
  readonly cpuPath: string;
  readonly gpuPath: string;
  readonly logitsOutput: string;
  readonly tokensOutput: string;
  /** How many logits it gives for each view. */
  readonly columns: number;
  readonly sizePx: number;
}

/** A column of the encoder's logits with its calibration: log odds = scale * logit + offset. */
export interface NativeHead {
  /** Of the encoder's logits, from 0. */
  readonly column: number;
  readonly scale: number;
  readonly offset: number;
}

/** A round of views: those that were seen when it ends, and how they are joined. */
export interface NativeViewRound {
  /** Of each kind: its first views, 0 for none, and what their mean logit weighs. Those of a kind that tells are among them. */
  readonly shares: readonly { readonly count: number; readonly weight: number }[];
  readonly bias: number;
  /** Log odds of a photograph and of an illustration, beyond which no more views are needed; null: the last round. */
  readonly earlyExit: {
    readonly below: readonly [photographed: number, drawn: number];
    readonly above: readonly [photographed: number, drawn: number];
  } | null;
}

/** The full image specialist as the engine takes it: one of its manifest's plans, with the rounds before it. */
export interface NativeFullImageModel {
  readonly kinds: readonly {
    /** 0: native. */
    readonly shortSidePx: number;
    readonly count: number;
    /** Of the encoder's logits, from 0. */
    readonly column: number;
    /** Whether views of this kind tell whether the picture is drawn. */
    readonly tellsDrawn: boolean;
  }[];
  /** One at least; each has the views of those before it, the last has all. */
  readonly rounds: readonly NativeViewRound[];
  /** Applied to the mean logit of the views that tell. */
  readonly drawn: NativeHead;
  /** Images in the picture; each is judged by itself. */
  readonly panels: {
    /** Shorter side of a panel. */
    readonly leastPx: number;
    /** Log odds by which the thresholds of drawn pictures lie above those of photographed ones. */
    readonly drawnOdds: number;
  };
  /** The part that looks most generated, `side` x `side` tokens of a view; null: no view of the plan shows it. */
  readonly part: {
    /** Of `kinds`, from 0; its first view is looked at. */
    readonly kind: number;
    readonly side: number;
    /** Of the mean token logit: log odds = scale * logit + offset. */
    readonly scale: readonly [photographed: number, drawn: number];
    readonly offset: readonly [photographed: number, drawn: number];
  } | null;
}

/** The face detector as the engine takes it; the members are those of its manifest. */
export interface NativeFaceDetectorModel {
  readonly path: string;
  readonly scoresOutput: string;
  readonly boxesOutput: string;
  readonly pointsOutput: string;
  readonly longSidePx: number;
  readonly multiple: number;
  readonly scoreThreshold: number;
  readonly nmsIou: number;
  readonly maxFaces: number;
}

/** What tells a photographed face from drawn ones and whatever else the detector took for a face. */
interface NativeFaceConfirmation {
  /** Of the encoder's logits, from 0. */
  readonly column: number;
  readonly leastLogit: number;
}

/** How the faces of one picture weigh on each other; docs/detection.md has the rule. */
interface NativeFaceJoining {
  /** Of ln(n) that a face of n gives away, 0..1. */
  readonly sharing: number;
  /** How much of what the others show is held against a face, 0..1. */
  readonly contrast: number;
  /** Log odds of manipulation of a genuine face, from which the others' are measured. */
  readonly genuine: number;
}

/** The face specialist as the engine takes it; the members are those of its manifest. */
export interface NativeFaceSpecialistModel {
  readonly sizePx: number;
  /** Five points [x, y], 0..1 of the crop. */
  readonly template: readonly (readonly [number, number])[];
  readonly manipulated: NativeHead;
  readonly generated: NativeHead;
  readonly confirm: NativeFaceConfirmation;
  readonly joining: NativeFaceJoining;
}

/** The two networks and the two specialists that read the encoder's columns. */
export interface NativeModels {
  readonly encoder: NativeEncoderModel;
  readonly fullImage: NativeFullImageModel;
  readonly faceDetector: NativeFaceDetectorModel;
  readonly faceSpecialist: NativeFaceSpecialistModel;
}

/** Everything a native engine is built from. C++ checks none of it: it must be complete and valid. */
interface NativeConfig extends NativeModels {
  readonly device: Device;
  readonly threads: number;
  readonly memoryMb: number;
  readonly queueLimit: number;
  /** Empty: no caches. */
  readonly cacheDir: string;
}

/** An inspection as the engine gives it: hundreds of patches made into objects there would hold up the JS thread. */
export interface NativeInspection extends Omit<Inspection, 'patches'> {
  /** x, y, width, height and score of each patch in turn. */
  readonly patches: Float64Array;
}

/**
 * The raw engine. `id`s are chosen by the caller: from 1, each once while it is pending. No method but `start` may be
 * called before `start` resolved. Errors carry `code`, a spelling of the native StatusCode.
 */
export interface NativeEngine {
  start(): Promise<void>;
  sniff(id: number, bytes: Uint8Array): Promise<SniffedImage>;
  readMetadata(id: number, bytes: Uint8Array): Promise<readonly MetadataText[]>;
  /** `deadlineMs`: from now; null: none. `previewPx`: 0: no preview. */
  inspect(
    id: number,
    bytes: Uint8Array,
    deadlineMs: number | null,
    /** Whether what somebody waits for goes first. */
    isBackground: boolean,
    previewPx: number,
    heatMap: boolean,
  ): Promise<NativeInspection>;
  /** As `inspect`. */
  makePreview(
    id: number,
    bytes: Uint8Array,
    deadlineMs: number | null,
    isBackground: boolean,
    longSidePx: number,
  ): Promise<Preview>;
  /** As `inspect`. */
  searchPixels(
    id: number,
    bytes: Uint8Array,
    deadlineMs: number | null,
    isBackground: boolean,
  ): Promise<PixelMarks>;
  /** As `inspect`. */
  annotate(
    id: number,
    bytes: Uint8Array,
    deadlineMs: number | null,
    isBackground: boolean,
    options: AnnotateOptions,
  ): Promise<Uint8Array>;
  recompress(id: number, bytes: Uint8Array, longSidePx: number, quality: number): Promise<Uint8Array>;
  /** Drops what has not begun; its promise rejects with code `cancelled` once no thread reads its bytes. */
  cancel(id: number): void;
  stats(): EngineStats;
  /** Finishes what was accepted, frees everything and gives the last counters; nothing may be called after it. */
  close(): Promise<EngineStats>;
}

/** The addon's exports. */
export interface NativeBinding {
  readonly NativeEngine: new (config: NativeConfig) => NativeEngine;
}

/** The addon that was built here; else the one that the package brought for this platform. */
function findAddon(): string {
  const folder = new URL('../../../', import.meta.url);
  const built = new URL('build/Release/telltale.node', folder);
  if (existsSync(built)) return fileURLToPath(built);
  const platform = `${process.platform}-${process.arch}`;
  const prebuilt = new URL(`prebuilds/${platform}/`, folder);
  if (!existsSync(prebuilt))
    throw new Error(
      `there is none for ${platform}; run 'npm rebuild telltale', or in telltale's own folder 'npm run setup'`,
    );
  checkSizes(prebuilt);
  return fileURLToPath(new URL('telltale.node', prebuilt));
}

/** A shared library that is cut short does not fail to load: it kills the process. */
function checkSizes(folder: URL): void {
  const sizes = JSON.parse(readFileSync(new URL('sizes.json', folder), 'utf8')) as Record<string, number>;
  for (const [name, expected] of Object.entries(sizes)) {
    const file = new URL(name, folder);
    const { size } = statSync(file);
    if (size !== expected)
      throw new Error(
        `${fileURLToPath(file)} is damaged, it has ${size} of ${expected} bytes; install telltale again`,
      );
  }
}

/** Loads the addon; throws StartError `config_invalid` if there is none, or it does not load. */
export function loadBinding(): NativeBinding {
  const require = createRequire(import.meta.url);
  try {
    return require(findAddon()) as NativeBinding;
  } catch (cause) {
    const message = `The native engine does not load: ${(cause as Error).message}`;
    throw new StartError('config_invalid', message, { cause });
  }
}
