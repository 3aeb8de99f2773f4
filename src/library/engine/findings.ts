// What the engine reports about a file and finds in its image.

/** The seven accepted formats, recognised by content, never by name. */
export type ImageFormat = 'jpeg' | 'png' | 'webp' | 'avif' | 'gif' | 'bmp' | 'tiff';

/** What a file's header says, read before any pixel is allocated. */
export interface SniffedImage {
  readonly format: ImageFormat;
  /** Pixels, as a viewer shows the image (orientation applied). */
  readonly width: number;
  /** Pixels, as a viewer shows the image (orientation applied). */
  readonly height: number;
  /** EXIF orientation 1..8 (AVIF: its irot and imir as the same number); 1 if none is given. */
  readonly orientation: number;
  /** Frames or pages by the header, 1 if it doesn't say; only the first is checked. */
  readonly frameCount: number;
  /** Estimated quality 1..100 of a JPEG from its quantisation tables; null for the other formats. */
  readonly jpegQuality: number | null;
  /** Whether a C2PA manifest store is embedded; says nothing about its validity. */
  readonly hasManifest: boolean;
}

/** One text of a file's metadata. */
export interface MetadataText {
  /** The block that holds it; `sef` is Samsung's trailer. */
  readonly where: 'png' | 'exif' | 'iptc' | 'xmp' | 'comment' | 'sef';
  /** Keyword or tag; empty for an XMP packet, which is given whole, and for comments. */
  readonly name: string;
  /** Cut at 64 kB, an XMP packet at 1 MB; empty for EXIF's exposure tags, of which only the presence is reported. */
  readonly text: string;
}

/** A rectangle in original, upright pixels: [x, y, w, h], whole numbers, clipped to the image. */
export type Box = readonly [x: number, y: number, w: number, h: number];

/** One face that was scored. */
export interface InspectedFace {
  readonly box: Box;
  /** Confidence of the face detector, 0..1. */
  readonly confidence: number;
  /**
   * Calibrated score of the face specialist, 0..1: the probability that it is manipulated or generated, less a
   * multiple-comparison penalty where the image has several faces.
   */
  readonly score: number;
  /** Calibrated probability, 0..1, that the face was swapped or edited. */
  readonly manipulated: number;
  /** Calibrated probability, 0..1, that the face was generated. */
  readonly generated: number;
}

/** A square of the image: a cell of its heat map, or the suspicious region. */
export interface PatchScore {
  readonly box: Box;
  /** 0..1, that it was generated; the verdict does not follow it. */
  readonly score: number;
}

/** An image in the image. */
export interface PanelScore {
  readonly box: Box;
  /** As `Inspection.fullImageScore`. */
  readonly score: number;
  /** As `Inspection.drawn`. */
  readonly drawn: number;
}

/** A known message of an open watermark, found in the pixels. */
export interface Watermark {
  /** Whose scripts write it. */
  readonly generator: string;
  readonly matchingBits: number;
  /** Length of the message. */
  readonly bits: number;
}

/** A sign that a generator draws on the image, for everybody to see. */
export interface VisibleMark {
  /** Whose sign it is. */
  readonly generator: string;
  /** What it looks like, such as `four-pointed star`. */
  readonly sign: string;
  readonly box: Box;
}

/** What generators write into the pixels themselves, for programs to read or for people to see. */
export interface PixelMarks {
  readonly visible: readonly VisibleMark[];
  readonly watermarks: readonly Watermark[];
}

/** An image made small, for records of it. */
export interface Preview {
  /** Pixels of `jpeg`. */
  readonly width: number;
  /** Pixels of `jpeg`. */
  readonly height: number;
  readonly jpeg: Uint8Array;
  /** OpenCV's img_hash::PHash of the small image, 16 hexadecimal digits: copies differ in few of its bits. */
  readonly perceptualHash: string;
}

/** What an image shows, in 255 bits: the lowest frequencies first, in words of 32. */
export type SceneHash = Uint32Array;

/** Hashes by which copies of an image that were re-encoded, resized or cropped by up to a tenth are found. */
export interface Scene {
  /** The hash of the image's middle: what is kept of it. */
  readonly middle: SceneHash;
  /** Hashes that the middle of an image may have which shows the same: what is searched for. */
  readonly windows: readonly SceneHash[];
}

/** Where in its original a checked image lies. */
export interface SceneLocation {
  /** Share of bits of the hashes that differ, 0..1. */
  readonly difference: number;
  /** Left, top, width and height as shares of the original. */
  readonly crop: readonly [number, number, number, number];
}

/** Milliseconds of wall time by stage; stages overlap, because crops are inferred while faces are detected. */
export interface InspectionTimings {
  /** Until a thread took the image. */
  readonly queue: number;
  readonly decode: number;
  /** Detecting faces and cutting them out. */
  readonly faces: number;
  /** From the first tensor handed in to the last score back: it includes waiting for a batch. */
  readonly inference: number;
}

/** What the detectors say of one image. */
export interface Inspection {
  readonly width: number;
  readonly height: number;
  /** Calibrated score of the whole image, 0..1. */
  readonly fullImageScore: number;
  /** Calibrated probability, 0..1, that the image is an illustration: a painting, drawing, anime, render or game. */
  readonly drawn: number;
  /**
   * The embedded image that `fullImageScore`, `drawn` and `part` are of: the one furthest above its threshold. Null: the
   * image as a whole.
   */
  readonly panel: Box | null;
  /** Whether all crops are of one colour: `fullImageScore` is 0.5 then, because there is nothing to judge. */
  readonly isBlank: boolean;
  /** Whether the file's alpha is 0 everywhere, so that viewers show nothing of it: the colours under it were judged. */
  readonly isTransparent: boolean;
  /**
   * Crops of the image and of its embedded images that the encoder saw, without faces. After an early exit an image has
   * fewer than `Engine.views`.
   */
  readonly views: number;
  /** Faces of 64 px and over that were scored, largest first, at most 8. Empty: none detected. */
  readonly faces: readonly InspectedFace[];
  /**
   * Images that stand beside or above each other in this one, or that a frame, a caption or a screen's bars surround.
   * The largest comes first, there are at most four, and each was scored as an image of its own.
   */
  readonly panels: readonly PanelScore[];
  /**
   * The suspicious region: what looks most generated, a fifth of the shorter side wide. It reaches the threshold of
   * `fullImageScore` on genuine images about as often as their own score does. Null: with so few crops none is scored.
   */
  readonly part: PatchScore | null;
  /**
   * The heat map: a grid of 20 cells on the shorter side (fewer if they would be under 16 px). It comes row by row,
   * without the cells that no crop shows. Empty if none was asked for.
   */
  readonly patches: readonly PatchScore[];
  /** One to four colours that the image mostly has, such as `#aabbcc`, most frequent first. */
  readonly colours: readonly string[];
  /** Null where none was asked for. */
  readonly preview: Preview | null;
  /** Null where none was asked for, or the image shows too little to be told from others. */
  readonly scene: Scene | null;
  readonly timings: InspectionTimings;
}
