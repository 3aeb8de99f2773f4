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

/** Squeezed to `width` × `height`. */
export async function resize(pixels: Pixels, width: number, height: number): Promise<Pixels> {
  const data = await open(pixels).resize(width, height, { fit: 'fill' }).raw().toBuffer();
  return { data, width, height };
}
