// Image operations with sharp, and own code for operations that sharp lacks.
import sharp, { type Sharp } from 'sharp';

/** An image in RGB, 8 bits per channel, rows without padding. */
export interface Pixels {
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
}

export interface Part {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** Size to which an image or a part is scaled, with black padding to the right and below. */
export interface Scaling {
  readonly part?: Part;
  readonly width: number;
  readonly height: number;
  readonly right?: number;
  readonly bottom?: number;
}

/** Conversion of a position in the image to one in the crop: x' = a x - b y + tx, y' = b x + a y + ty. */
export interface Similarity {
  readonly a: number;
  readonly b: number;
  readonly tx: number;
  readonly ty: number;
}

/** Decodes an image, turns it upright and blends transparency over white. */
export async function decode(bytes: Uint8Array): Promise<Pixels> {
  const { data, info } = await sharp(bytes)
    .autoOrient()
    .flatten({ background: 'white' })
    .toColourspace('srgb')
    .raw()
    .toBuffer({ resolveWithObject: true });
  if (info.channels === 3) return { data, width: info.width, height: info.height };
  throw new Error(`Expected 3 channels but received ${info.channels}`);
}

function open({ data, width, height }: Pixels): Sharp {
  return sharp(data, { raw: { width, height, channels: 3 } });
}

/**
 * Shrinks to `width` × `height` by averaging areas, because the networks were trained on such images. sharp's own
 * methods of shrinking move a score by up to 0.2. If a side grows, uses sharp.
 */
export async function shrink(pixels: Pixels, width: number, height: number): Promise<Pixels> {
  if (width > pixels.width || height > pixels.height) {
    const data = await open(pixels).resize(width, height, { fit: 'fill', kernel: 'linear' }).raw().toBuffer();
    return { data, width, height };
  }
  const across = spans(pixels.width, width);
  const row = new Float32Array(width * 3);
  const sums = new Float32Array(width * 3);
  const data = Buffer.alloc(width * height * 3);
  spans(pixels.height, height).forEach(({ start, shares }, y) => {
    sums.fill(0);
    shares.forEach((share, offset) => {
      shrinkRow(pixels, start + offset, across, row);
      for (let i = 0; i < row.length; i += 1) sums[i]! += row[i]! * share;
    });
    for (let i = 0; i < sums.length; i += 1) data[y * sums.length + i] = Math.round(sums[i]!);
  });
  return { data, width, height };
}

/** Scales by sharp's own method. */
export async function scale(
  pixels: Pixels,
  { part, width, height, right = 0, bottom = 0 }: Scaling,
): Promise<Pixels> {
  const opened = part ? open(pixels).extract(part) : open(pixels);
  const data = await opened
    .resize(width, height, { fit: 'fill' })
    .extend({ right, bottom, background: 'black' })
    .raw()
    .toBuffer();
  return { data, width: width + right, height: height + bottom };
}

/** Pads to the right and below with the image's reflection. */
export async function mirror(pixels: Pixels, right: number, bottom: number): Promise<Pixels> {
  const data = await open(pixels).extend({ right, bottom, extendWith: 'mirror' }).raw().toBuffer();
  return { data, width: pixels.width + right, height: pixels.height + bottom };
}

/**
 * Source pixels that one pixel of the shrunken image covers, from `start` on, and the share of each. The shares sum to
 * 1.
 */
interface Span {
  readonly start: number;
  readonly shares: readonly number[];
}

function spans(from: number, to: number): Span[] {
  const scale = from / to;
  return Array.from({ length: to }, (_, index) => {
    const [begin, end] = [index * scale, Math.min((index + 1) * scale, from)];
    const start = Math.floor(begin);
    const count = Math.max(1, Math.ceil(end - 1e-9) - start);
    const shares = Array.from({ length: count }, (_unused, offset) => {
      const at = start + offset;
      return (Math.min(at + 1, end) - Math.max(at, begin)) / (end - begin);
    });
    return { start, shares };
  });
}

function shrinkRow({ data, width }: Pixels, y: number, across: readonly Span[], row: Float32Array): void {
  across.forEach(({ start, shares }, x) => {
    let [red, green, blue] = [0, 0, 0];
    let at = (y * width + start) * 3;
    for (const share of shares) {
      red += data[at]! * share;
      green += data[at + 1]! * share;
      blue += data[at + 2]! * share;
      at += 3;
    }
    row.set([red, green, blue], x * 3);
  });
}

/** Samples a square of `size` pixels bilinearly. Outside the image, repeats its outermost pixels. */
export function warp(
  { data, width, height }: Pixels,
  { a, b, tx, ty }: Similarity,
  size: number,
): Uint8Array {
  const target = new Uint8Array(size * size * 3);
  const squared = a * a + b * b;
  const inside = (value: number, length: number): number => Math.max(0, Math.min(length - 1, value));
  for (let v = 0, at = 0; v < size; v += 1) {
    for (let u = 0; u < size; u += 1) {
      const x = (a * (u - tx) + b * (v - ty)) / squared;
      const y = (-b * (u - tx) + a * (v - ty)) / squared;
      const left = Math.floor(x);
      const top = Math.floor(y);
      const [fx, fy] = [x - left, y - top];
      const [x0, x1] = [inside(left, width) * 3, inside(left + 1, width) * 3];
      const [y0, y1] = [inside(top, height) * width * 3, inside(top + 1, height) * width * 3];
      for (let channel = 0; channel < 3; channel += 1, at += 1) {
        const upper = data[y0 + x0 + channel]! * (1 - fx) + data[y0 + x1 + channel]! * fx;
        const lower = data[y1 + x0 + channel]! * (1 - fx) + data[y1 + x1 + channel]! * fx;
        target[at] = Math.round(upper * (1 - fy) + lower * fy);
      }
    }
  }
  return target;
}
