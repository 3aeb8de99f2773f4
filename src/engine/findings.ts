// What the engine tells of a file and finds in its picture.

/** The seven accepted formats, told by content and never by name. */
export type ImageFormat = 'jpeg' | 'png' | 'webp' | 'avif' | 'gif' | 'bmp' | 'tiff';

/** What a file's header says, read before any pixel is allocated. */
export interface SniffedImage {
  readonly format: ImageFormat;
  /** Pixels, as a viewer shows the picture (orientation applied). */
  readonly width: number;
  /** Pixels, as a viewer shows the picture (orientation applied). */
  readonly height: number;
  /** EXIF orientation 1..8 (AVIF: its irot and imir as the same number); 1 if none is given. */
  readonly orientation: number;
  /** Frames or pages the header promises, 1 if it doesn't say; only the first is checked. */
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
  /** Cut at 64 kB, an XMP packet at 1 MB; empty for EXIF's exposure tags, whose presence alone is told. */
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
   * Calibrated score of the face specialist, 0..1: the probability that it is manipulated or generated. The faces of a
   * picture share the odds that one alone begins with, unless all look like fakes.
   */
  readonly score: number;
  /** Calibrated probability, 0..1, that the face was swapped or edited. */
  readonly manipulated: number;
  /** Calibrated probability, 0..1, that the face was generated. */
  readonly generated: number;
}

/** A part of the picture: a cell of its heat map. */
export interface PatchScore {
  readonly box: Box;
  /** 0..1, that this part was generated; the verdict does not follow it. */
  readonly score: number;
}

/** A picture in the picture. */
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

/** A sign that a generator draws on the picture, for everybody to see. */
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

/** A picture made small, for records of it. */
export interface Preview {
  /** Pixels of `jpeg`. */
  readonly width: number;
  /** Pixels of `jpeg`. */
  readonly height: number;
  readonly jpeg: Uint8Array;
  /** OpenCV's img_hash::PHash of the small picture, 16 hexadecimal digits: copies differ in few of its bits. */
  readonly perceptualHash: string;
}

/** Milliseconds of wall time by stage; stages overlap, because views are inferred while faces are looked for. */
export interface InspectionTimings {
  /** Until a thread took the picture. */
  readonly queue: number;
  readonly decode: number;
  /** Finding faces and cutting them out. */
  readonly faces: number;
  /** From the first tensor handed in to the last score back: it includes waiting for a batch. */
  readonly inference: number;
}

/** What the detectors say of one picture. */
export interface Inspection {
  readonly width: number;
  readonly height: number;
  /** Calibrated score of the whole picture, 0..1. */
  readonly fullImageScore: number;
  /** Calibrated probability, 0..1, that the picture is no photograph: a painting, drawing, anime, render or game. */
  readonly drawn: number;
  /**
   * The panel that `fullImageScore`, `drawn` and `part` are of: it lies highest above its threshold of all
   * areas. Null: the picture as a whole.
   */
  readonly panel: Box | null;
  /** Whether all views are of one colour: `fullImageScore` is 0.5 then, because there is nothing to judge. */
  readonly isBlank: boolean;
  /** Whether the file's alpha is 0 everywhere, so that viewers show nothing of it: the colours under it were judged. */
  readonly isTransparent: boolean;
  /**
   * Views of the picture and of its panels that the encoder saw, faces not among them. Each has fewer than
   * `Engine.views` of an early exit.
   */
  readonly views: number;
  /** Faces of 64 px and over that were scored, largest first, at most 8. Empty: none found. */
  readonly faces: readonly InspectedFace[];
  /**
   * Images that stand beside or above each other in this one, or that a frame, a caption or a screen's bars surround.
   * The largest comes first, there are at most four, and each was scored as a picture of its own.
   */
  readonly panels: readonly PanelScore[];
  /**
   * The part that looks most generated, a fifth of the shorter side wide. Parts of genuine pictures reach the
   * thresholds of `fullImageScore` about as often as the pictures themselves do. Null: with so few views no part is
   * judged.
   */
  readonly part: PatchScore | null;
  /**
   * The heat map: a grid of 20 cells on the shorter side (fewer if they would be under 16 px). It comes row by row,
   * without the cells that no view shows. Empty if none was asked for.
   */
  readonly patches: readonly PatchScore[];
  /** One to four colours that the picture mostly has, such as `#aabbcc`, most frequent first. */
  readonly colours: readonly string[];
  /** Null where none was asked for. */
  readonly preview: Preview | null;
  readonly timings: InspectionTimings;
}
