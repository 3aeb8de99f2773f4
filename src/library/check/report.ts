// What a check found: everything that results, records and the history are made of.
import type {
  Box,
  InspectedFace,
  PanelScore,
  PatchScore,
  Preview,
  Scene,
  SniffedImage,
} from '../engine/types.js';
import type {
  Attention,
  Bands,
  Credentials,
  ImageBands,
  Mark,
  ProfileName,
  Signal,
  Warning,
} from './types.js';
import type { Reason } from './verdict/reasons.js';

/** The whole result of a check; presenting it as the specification's JSON is another file's work. */
export interface CheckReport {
  /** `chk_` and a ULID. */
  readonly id: string;
  readonly isAi: boolean;
  readonly fired: readonly Signal[];
  /** One line for people. */
  readonly reason: string;
  /** What `reason` is made from. */
  readonly reasons: readonly Reason[];
  readonly credentials: Credentials | { readonly found: false };
  /** Where a file without embedded credentials says that they are, as it is written; null if it does not. Never fetched. */
  readonly remoteManifest: string | null;
  readonly image: SniffedImage;
  readonly model: string;
  readonly bandsVersion: string;
  readonly profile: ProfileName;
  /** Null if verified credentials decided and no detector ran. */
  readonly fullImageScore: number | null;
  /** Probability that the image is an illustration, 0..1, four decimals; null if no detector ran. */
  readonly drawn: number | null;
  /** Null if no photographed face of 64 px and over was detected, or no detector ran. */
  readonly faceScore: number | null;
  readonly faceBox: Box | null;
  /** Largest first. */
  readonly faces: readonly InspectedFace[];
  /** The cells of the heat map; empty if none was asked for, or no detector ran. */
  readonly patches: readonly PatchScore[];
  /** The suspicious region; null if none was scored. */
  readonly part: PatchScore | null;
  /** Embedded images, scored by themselves, largest first. */
  readonly panels: readonly PanelScore[];
  /** The embedded image that `fullImageScore` and `drawn` are of; null: the image as a whole. */
  readonly panel: Box | null;
  readonly bands: ImageBands;
  /** Those of every profile, of which `bands` are. */
  readonly thresholds: Bands;
  readonly warnings: readonly Warning[];
  /** Why eyes are needed though nothing fired; null where they are not. */
  readonly attention: Attention | null;
  /** Colours that the image mostly has, such as `#aabbcc`; empty where no detector was run. */
  readonly colours: readonly string[];
  /** Strongest first. */
  readonly marks: readonly Mark[];
  /** Whether marks were looked for in the pixels, too. */
  readonly pixelsSearched: boolean;
  /** Null if none was asked for. */
  readonly preview: Preview | null;
  /** Null if it was not asked for, or the image shows too little to be told from others. */
  readonly scene: Scene | null;
  /** Milliseconds by stage. */
  readonly timings: {
    /** Reading the header, and what the file declares of itself. */
    readonly header: number;
    readonly credentials: number;
    readonly queue: number;
    readonly decode: number;
    readonly faces: number;
    readonly inference: number;
    readonly total: number;
  };
  /** Crops of the image that the encoder saw, without faces; 0 if no detector ran. */
  readonly views: number;
}
