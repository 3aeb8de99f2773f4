// Type of a check's report, from which results, records and the history are made.
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

/** Complete result of a check, before it is presented as JSON. */
export interface CheckReport {
  /** Identifier: `chk_` and a ULID. */
  readonly id: string;
  readonly isAi: boolean;
  readonly fired: readonly Signal[];
  /** One line for people. */
  readonly reason: string;
  /** Codes and parameters of `reason`. */
  readonly reasons: readonly Reason[];
  readonly credentials: Credentials | { readonly found: false };
  /** Address of remote credentials in a file without embedded ones, as written, or null. */
  readonly remoteManifest: string | null;
  readonly image: SniffedImage;
  readonly model: string;
  readonly bandsVersion: string;
  readonly profile: ProfileName;
  /** Score of the whole image; null if verified credentials decided and no detector ran. */
  readonly fullImageScore: number | null;
  /** Probability that the image is an illustration, 0..1 with four decimals; null if no detector ran. */
  readonly drawn: number | null;
  /** Highest face score; null if no photographed face of at least 64 px was detected, or no detector ran. */
  readonly faceScore: number | null;
  readonly faceBox: Box | null;
  /** Scored faces, largest first. */
  readonly faces: readonly InspectedFace[];
  /** Cells of the heat map; empty if not requested, or if no detector ran. */
  readonly patches: readonly PatchScore[];
  /** Suspicious region, or null if none was scored. */
  readonly part: PatchScore | null;
  /** Embedded images, each scored by itself, largest first. */
  readonly panels: readonly PanelScore[];
  /** Box of the embedded image that `fullImageScore` and `drawn` belong to; null for the whole image. */
  readonly panel: Box | null;
  readonly bands: ImageBands;
  /** Thresholds of every profile, from which `bands` were taken. */
  readonly thresholds: Bands;
  readonly warnings: readonly Warning[];
  /** Reason to look closer at an image that was not flagged, or null. */
  readonly attention: Attention | null;
  /** Main colours of the image, such as `#aabbcc`; empty if no detector ran. */
  readonly colours: readonly string[];
  /** Marks, strongest first. */
  readonly marks: readonly Mark[];
  /** True if marks were searched in the pixels, too. */
  readonly pixelsSearched: boolean;
  /** Preview, or null if not requested. */
  readonly preview: Preview | null;
  /** Hashes, or null if not requested or if the image shows too little to be compared. */
  readonly scene: Scene | null;
  /** Milliseconds by stage. */
  readonly timings: {
    /** Time for reading the header and metadata. */
    readonly header: number;
    readonly credentials: number;
    readonly queue: number;
    readonly decode: number;
    readonly faces: number;
    readonly inference: number;
    readonly total: number;
  };
  /** Number of scored crops of the image without faces; 0 if no detector ran. */
  readonly views: number;
}
