// Types of what the engine reads from a file and finds in its image.

/** The seven accepted formats, recognised by content. */
export type ImageFormat = 'jpeg' | 'png' | 'webp' | 'avif' | 'gif' | 'bmp' | 'tiff';

/** Header of a file, read before any pixel is allocated. */
export interface SniffedImage {
  readonly format: ImageFormat;
  /** Width in pixels with orientation applied, as viewers show it. */
  readonly width: number;
  /** Height in pixels with orientation applied. */
  readonly height: number;
  /** EXIF orientation 1..8 (for AVIF, irot and imir as the same number); 1 without one. */
  readonly orientation: number;
  /** Number of frames or pages in the header, or 1; only the first is checked. */
  readonly frameCount: number;
  /** Estimated quality 1..100 of a JPEG from its quantisation tables; null for other formats. */
  readonly jpegQuality: number | null;
  /** True if a C2PA manifest store is embedded, valid or not. */
  readonly hasManifest: boolean;
}

/** A text of a file's metadata. */
export interface MetadataText {
  /** Block of the text; `sef` is Samsung's trailer. */
  readonly where: 'png' | 'exif' | 'iptc' | 'xmp' | 'comment' | 'sef';
  /** Keyword or tag; empty for comments and for an XMP packet, which is returned whole. */
  readonly name: string;
  /**
   * Text, cut at 64 kB, an XMP packet at 1 MB; empty for EXIF exposure tags, of which only the presence is reported.
   */
  readonly text: string;
}

/** Rectangle in original, upright pixels: [x, y, w, h], whole numbers, clipped to the image. */
export type Box = readonly [x: number, y: number, w: number, h: number];

/** A scored face. */
export interface InspectedFace {
  readonly box: Box;
  /** Confidence of the face detector, 0..1. */
  readonly confidence: number;
  /**
   * Calibrated score of the face specialist, 0..1: the probability that the face is manipulated or generated, less a
   * multiple-comparison penalty if the image has several faces.
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
  /** Score, 0..1, that the square was generated. It does not influence the verdict. */
  readonly score: number;
}

/** An embedded image. */
export interface PanelScore {
  readonly box: Box;
  /** Same as `Inspection.fullImageScore`. */
  readonly score: number;
  /** Same as `Inspection.drawn`. */
  readonly drawn: number;
}

/** A known message of an open watermark in the pixels. */
export interface Watermark {
  /** Generator whose scripts write the watermark. */
  readonly generator: string;
  readonly matchingBits: number;
  /** Length of the message in bits. */
  readonly bits: number;
}

/** A visible sign that a generator draws on the image. */
export interface VisibleMark {
  /** Generator of the sign. */
  readonly generator: string;
  /** Description of the sign, such as `four-pointed star`. */
  readonly sign: string;
  readonly box: Box;
}

/** Marks in the pixels: visible signs and open watermarks. */
export interface PixelMarks {
  readonly visible: readonly VisibleMark[];
  readonly watermarks: readonly Watermark[];
}

/** A reduced image for records. */
export interface Preview {
  /** Width of `jpeg` in pixels. */
  readonly width: number;
  /** Height of `jpeg` in pixels. */
  readonly height: number;
  readonly jpeg: Uint8Array;
  /** Perceptual hash (OpenCV's img_hash::PHash) of the reduced image as 16 hex digits: copies differ in few bits. */
  readonly perceptualHash: string;
}

/** Hash of an image's content: 255 bits in words of 32, lowest frequencies first. */
export type SceneHash = Uint32Array;

/** Hashes that find copies of an image which were re-encoded, resized or cropped by up to a tenth. */
export interface Scene {
  /** Hash of the image's middle, which is stored. */
  readonly middle: SceneHash;
  /** Hashes that the middle of a copy may have, which are searched for. */
  readonly windows: readonly SceneHash[];
  /** True if half of the image or more is of one grey level: hashes of such images are near each other. */
  readonly isFlat: boolean;
  /** Grey levels, 128 rows of 128: what `compareScenes` compares. */
  readonly levels: Uint8Array;
}

/** Location of a checked image in its original. */
export interface SceneLocation {
  /** Share of differing bits of the hashes, 0..1. */
  readonly difference: number;
  /** Left, top, width and height as shares of the original. */
  readonly crop: readonly [number, number, number, number];
}

/** Milliseconds of wall time by stage. Stages overlap, because crops are inferred while faces are detected. */
export interface InspectionTimings {
  /** Time until a thread took the image. */
  readonly queue: number;
  readonly decode: number;
  /** Time for detecting and cropping faces. */
  readonly faces: number;
  /** Time from the first tensor to the last score, including waits for a batch. */
  readonly inference: number;
}

/** Findings of the detectors about one image. */
export interface Inspection {
  readonly width: number;
  readonly height: number;
  /** Calibrated score of the whole image, 0..1. */
  readonly fullImageScore: number;
  /** Calibrated probability, 0..1, that the image is an illustration: a painting, drawing, anime, render or game. */
  readonly drawn: number;
  /**
   * Box of the embedded image that `fullImageScore`, `drawn` and `part` belong to: the one furthest above its
   * threshold; null for the whole image.
   */
  readonly panel: Box | null;
  /** True if all crops have one colour; `fullImageScore` is then 0.5, because there is nothing to judge. */
  readonly isBlank: boolean;
  /** True if the file's alpha is 0 everywhere, so that viewers show nothing; the colours below were scored. */
  readonly isTransparent: boolean;
  /**
   * Number of scored crops of the image and its embedded images, without faces. After an early exit it is lower than
   * `Engine.views`.
   */
  readonly views: number;
  /** Scored faces of at least 64 px, largest first, at most 8. */
  readonly faces: readonly InspectedFace[];
  /**
   * Embedded images: next to or above each other, or within a frame, a caption or a screen's bars; largest first, at
   * most four, each scored as an image of its own.
   */
  readonly panels: readonly PanelScore[];
  /**
   * Suspicious region: the square, a fifth of the shorter side wide, with the highest score. On genuine images it
   * reaches the threshold of `fullImageScore` about as often as their own score does. Null if too few crops were
   * scored.
   */
  readonly part: PatchScore | null;
  /**
   * Heat map: a grid of 20 cells on the shorter side (fewer if they would be under 16 px), row by row, without cells
   * outside all crops. Empty if not requested.
   */
  readonly patches: readonly PatchScore[];
  /** One to four main colours of the image, such as `#aabbcc`, most frequent first. */
  readonly colours: readonly string[];
  /** Preview, or null if not requested. */
  readonly preview: Preview | null;
  /** Hashes, or null if not requested or if the image shows too little to be compared. */
  readonly scene: Scene | null;
  readonly timings: InspectionTimings;
}
