// Pictures by sharp.
import sharp, { type Sharp } from 'sharp';

/** RGB, 8 bits, rows packed. */
export interface Pixels {
  readonly data: Buffer;
  readonly width: number;
  readonly height: number;
}

/** Decodes upright, alpha over white. */
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

/** sharp over pixels that are decoded already. */
export function open({ data, width, height }: Pixels): Sharp {
  return sharp(data, { raw: { width, height, channels: 3 } });
}

/**
 * Squeezed to `width` × `height` by the mean of the area that each pixel covers, as the networks were trained; sharp has no such kernel,
 * and its own ones move a score by up to 0.2. What has to grow is left to sharp.
 */
export async function resize(pixels: Pixels, width: number, height: number): Promise<Pixels> {
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

/** The pixels from `start` on that one shrunken pixel covers, with the share of each; the shares sum to 1. */
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
