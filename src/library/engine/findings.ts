// Types of what the engine reads from a file and detects in its image.

/** The seven accepted formats, recognised by the content of a file. */
export type ImageFormat = 'jpeg' | 'png' | 'webp' | 'avif' | 'gif' | 'bmp' | 'tiff';

/** Facts from a file's header, which is read before the image is decoded. */
export interface SniffedImage {
  readonly format: ImageFormat;
  /** Width in pixels with orientation applied, as viewers show it. */
  readonly width: number;
  /** Height in pixels with orientation applied. */
  readonly height: number;
  /** EXIF orientation, 1..8, or the same number for AVIF's rotation and mirroring; 1 without one. */
  readonly orientation: number;
  /** Number of frames or pages by the header, at least 1. Only the first one is checked. */
  readonly frameCount: number;
  /** Quality of a JPEG, 1..100, estimated from its quantisation tables; null for other formats. */
  readonly jpegQuality: number | null;
  /** True if a C2PA manifest store is embedded, valid or not. */
  readonly hasManifest: boolean;
}

/** A text of a file's metadata. */
export interface MetadataText {
  /** Kind of metadata that contains the text; `sef` is data that Samsung phones append to a file. */
  readonly where: 'png' | 'exif' | 'iptc' | 'xmp' | 'comment' | 'sef';
  /** Keyword or tag. Empty for comments and for XMP, whose whole packet is returned as one text. */
  readonly name: string;
  /**
   * Text, cut at 64 kB (XMP at 1 MB); empty for EXIF exposure settings, of which only the presence counts.
   */
  readonly text: string;
}

/** Rectangle [x, y, width, height] in whole pixels of the upright original, clipped to the image. */
export type Box = readonly [x: number, y: number, w: number, h: number];

/** A detected face with its scores. */
export interface InspectedFace {
  readonly box: Box;
  /** Confidence of the face detector, 0..1. */
  readonly confidence: number;
  /**
   * Calibrated score, 0..1, that the face is manipulated or generated, from the face specialist. It is
   * lowered if the image has several faces, because each further face is another chance of a false positive.
   */
  readonly score: number;
  /** Calibrated probability, 0..1, that the face was swapped or edited. */
  readonly manipulated: number;
  /** Calibrated probability, 0..1, that the face was generated. */
  readonly generated: number;
}

/** A square of the image with its score: a cell of the heat map, or the suspicious region. */
export interface PatchScore {
  readonly box: Box;
  /** Score, 0..1, that the square is generated. It does not influence the verdict. */
  readonly score: number;
}

/** An image inside the checked image, such as one half of a collage, with its scores. */
export interface PanelScore {
  readonly box: Box;
  /** Score of the embedded image; see `Inspection.fullImageScore`. */
  readonly score: number;
  /** Probability that the embedded image is an illustration; see `Inspection.drawn`. */
  readonly drawn: number;
}

/** A watermark in the pixels with a known message. Its method is public, so anybody can write it. */
export interface Watermark {
  /** Generator whose published scripts write the watermark. */
  readonly generator: string;
  readonly matchingBits: number;
  /** Length of the message in bits. */
  readonly bits: number;
}

/** A visible sign that a generator draws on its images, such as a star in a corner. */
export interface VisibleMark {
  /** Generator that draws the sign. */
  readonly generator: string;
  /** Description of the sign, such as `four-pointed star`. */
  readonly sign: string;
  readonly box: Box;
}

/** Signs of generators in the pixels: visible signs, and watermarks whose method is public. */
export interface PixelMarks {
  readonly visible: readonly VisibleMark[];
  readonly watermarks: readonly Watermark[];
}

/** A reduced copy of the image, for signed records. */
export interface Preview {
  /** Width of `jpeg` in pixels. */
  readonly width: number;
  /** Height of `jpeg` in pixels. */
  readonly height: number;
  readonly jpeg: Uint8Array;
  /** Perceptual hash of `jpeg` (OpenCV's PHash) as 16 hex digits. Hashes of copies differ in few bits. */
  readonly perceptualHash: string;
}

/** Hash of what an image shows: 255 bits in words of 32, lowest frequencies first. */
export type SceneHash = Uint32Array;

/** Hashes for finding copies, even re-encoded, resized or cropped by up to a tenth. */
export interface Scene {
  /** Hash of the image's middle, which is stored for later comparisons. */
  readonly middle: SceneHash;
  /** Hashes that the middle of a copy may have. They are searched among the stored hashes. */
  readonly windows: readonly SceneHash[];
  /** True if half of the image's middle or more has one grey level: hashes of such images are all similar. */
  readonly isFlat: boolean;
  /** Grey levels, 128 rows of 128, for `compareScenes`. */
  readonly levels: Uint8Array;
}

/** Part of an original image that a checked image shows. */
export interface SceneLocation {
  /** Share of bits in which both images' hashes differ, 0..1. */
  readonly difference: number;
  /** Left, top, width and height of the part, as shares of the original. */
  readonly crop: readonly [number, number, number, number];
}

/** Milliseconds of wall time by stage. Stages overlap: crops are scored while faces are detected. */
export interface InspectionTimings {
  /** Time until a thread began with the image. */
  readonly queue: number;
  readonly decode: number;
  /** Time for detecting and cropping faces. */
  readonly faces: number;
  /** Time from the first network input to the last score, including waits for a full batch. */
  readonly inference: number;
}

/** Findings of the detectors about one image. */
export interface Inspection {
  readonly width: number;
  readonly height: number;
  /** Calibrated score of the whole image, 0..1. */
  readonly fullImageScore: number;
  /** Calibrated probability, 0..1, of an illustration: a painting, drawing, anime, render or game. */
  readonly drawn: number;
  /**
   * Box of the embedded image that `fullImageScore`, `drawn` and `part` describe: the one furthest above its
   * threshold. Null if they describe the whole image.
   */
  readonly panel: Box | null;
  /** True if all scored crops have one colour. With nothing to judge, `fullImageScore` is 0.5. */
  readonly isBlank: boolean;
  /** True if the image is completely transparent; its hidden colours were scored. */
  readonly isTransparent: boolean;
  /**
   * Number of crops (squares that the network sees) that were scored, including crops of embedded images,
   * without faces. An early exit makes it lower than `Engine.views`.
   */
  readonly views: number;
  /** Scored faces, largest first: at most 8, each with sides of at least 64 px. */
  readonly faces: readonly InspectedFace[];
  /**
   * Images inside the image, each scored as a separate image, largest first, at most four. They are next to
   * or above each other, or surrounded by a frame, a caption or the bars of a screenshot.
   */
  readonly panels: readonly PanelScore[];
  /**
   * Suspicious region: the square with the highest score, whose side is a fifth of the image's shorter side.
   * A genuine image reaches the threshold with this score about as often as with `fullImageScore`. Null if
   * too few crops were scored.
   */
  readonly part: PatchScore | null;
  /**
   * Heat map, row by row: 20 cells along the shorter side, fewer if they would be under 16 px. Cells that no
   * crop covers are missing. Empty if not requested.
   */
  readonly patches: readonly PatchScore[];
  /** One to four main colours of the image, such as `#aabbcc`, most frequent first. */
  readonly colours: readonly string[];
  /** Preview, or null if not requested. */
  readonly preview: Preview | null;
  /** Hashes for finding copies. Null if not requested or if the image shows too little to be compared. */
  readonly scene: Scene | null;
  readonly timings: InspectionTimings;
}
