// The report of a check, from which results, records and the history are made.
import { monotonicFactory } from 'ulid';
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

/** Complete result of a check, before its conversion to JSON. */
export interface CheckReport {
  /** Identifier: `chk_` and a ULID. */
  readonly id: string;
  readonly isAi: boolean;
  readonly fired: readonly Signal[];
  /** One line for people. */
  readonly reason: string;
  /** Codes and parameters from which `reason` was made. */
  readonly reasons: readonly Reason[];
  readonly credentials: Credentials | { readonly found: false };
  /** Address of credentials outside the file, as written; null if the file contains them or has none. */
  readonly remoteManifest: string | null;
  readonly image: SniffedImage;
  readonly model: string;
  readonly bandsVersion: string;
  readonly profile: ProfileName;
  /** Score of the whole image; null if verified credentials decided, so that no detector ran. */
  readonly fullImageScore: number | null;
  /** Probability that the image is an illustration, 0..1 with four decimals; null if no detector ran. */
  readonly drawn: number | null;
  /** Highest face score; null if no photographed face of at least 64 px was found or no detector ran. */
  readonly faceScore: number | null;
  readonly faceBox: Box | null;
  /** Scored faces, largest first. */
  readonly faces: readonly InspectedFace[];
  /** Cells of the heat map. Empty if not requested or if no detector ran. */
  readonly patches: readonly PatchScore[];
  /** Suspicious region: the square that looks most like AI. Null if none was scored. */
  readonly part: PatchScore | null;
  /** Images inside the image, each with its own score, largest first. */
  readonly panels: readonly PanelScore[];
  /** Box of the embedded image that `fullImageScore` and `drawn` describe; null for the whole image. */
  readonly panel: Box | null;
  readonly bands: ImageBands;
  /** Thresholds of all profiles, from which `bands` were taken. */
  readonly thresholds: Bands;
  readonly warnings: readonly Warning[];
  /** Reason to look closer at an image that was not flagged, or null. */
  readonly attention: Attention | null;
  /** Main colours of the image, such as `#aabbcc`. Empty if no detector ran. */
  readonly colours: readonly string[];
  /** Marks, strongest first. */
  readonly marks: readonly Mark[];
  /** True if the pixels were searched for marks, too. */
  readonly pixelsSearched: boolean;
  /** Preview, or null if not requested. */
  readonly preview: Preview | null;
  /** Hashes for finding copies. Null if not requested or if the image shows too little to be compared. */
  readonly scene: Scene | null;
  /** Milliseconds by stage. */
  readonly timings: {
    /** Time for reading the header and the metadata. */
    readonly header: number;
    readonly credentials: number;
    readonly queue: number;
    readonly decode: number;
    readonly faces: number;
    readonly inference: number;
    readonly total: number;
  };
  /** Number of scored crops (squares of the image), without faces; 0 if no detector ran. */
  readonly views: number;
}

const nextUlid = monotonicFactory();

/** Returns a new identifier. It sorts after all earlier ones of the same process. */
export function newCheckId(): string {
  return `chk_${nextUlid()}`;
}
