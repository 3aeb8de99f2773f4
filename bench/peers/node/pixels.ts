// What the Node peers need of a library of pictures.

/** RGB, 8 bits, rows packed. */
export interface Pixels {
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
}

/** A part of a picture, in pixels. */
export interface Part {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** What a picture, or a part of it, is scaled to; black is put to its right and below. */
export interface Scaling {
  readonly part?: Part;
  readonly width: number;
  readonly height: number;
  readonly right?: number;
  readonly bottom?: number;
}

/** From picture to crop: x' = a x - b y + tx, y' = b x + a y + ty. */
export interface Similarity {
  readonly a: number;
  readonly b: number;
  readonly tx: number;
  readonly ty: number;
}

/** The steps in which the peers differ. */
export interface PixelLibrary {
  /** Upright; alpha, where the library tells of it, over white. */
  decode(bytes: Uint8Array): Promise<Pixels>;
  /** By the mean of the area that each pixel covers; a side that has to grow is interpolated. */
  shrink(pixels: Pixels, width: number, height: number): Promise<Pixels>;
  /** By whatever the library scales best with. */
  scale(pixels: Pixels, scaling: Scaling): Promise<Pixels>;
  /** Grown to the right and below by its mirror image. */
  mirror(pixels: Pixels, right: number, bottom: number): Promise<Pixels>;
  /** A square of `size`, sampled bilinearly, edges repeated. */
  warp(pixels: Pixels, similarity: Similarity, size: number): Promise<Uint8Array>;
}
