// Encoding images in the seven formats, with settings that cameras and websites use.
import sharp, { type Sharp } from 'sharp';
import type { Pixels } from './scene.js';

/** Formats, by the engine's names for them. */
export const FORMATS = ['jpeg', 'png', 'webp', 'avif', 'gif', 'bmp', 'tiff'] as const;

export type Format = (typeof FORMATS)[number];

/** Encodes an image. The library sharp writes every format except BMP. */
export async function encode(pixels: Pixels, format: Format): Promise<Buffer> {
  const { width, height } = pixels;
  const image = (): Sharp => sharp(pixels.data, { raw: { width, height, channels: 3 } });
  switch (format) {
    case 'jpeg':
      return image().jpeg({ quality: 88 }).toBuffer();
    case 'png':
      return image().png({ compressionLevel: 6 }).toBuffer();
    case 'webp':
      return image().webp({ quality: 82, effort: 3 }).toBuffer();
    case 'avif':
      return image().avif({ quality: 60, effort: 2 }).toBuffer();
    case 'gif':
      return image().gif({ effort: 2 }).toBuffer();
    case 'tiff':
      return image().tiff({ compression: 'lzw', predictor: 'horizontal' }).toBuffer();
    case 'bmp':
      return encodeBmp(pixels);
  }
}

/** Encodes a BMP with 24 bits per pixel. Rows are stored from bottom to top, and colours with blue first. */
function encodeBmp({ width, height, data }: Pixels): Buffer {
  const HEADER_BYTES = 54;
  const stride = Math.ceil((width * 3) / 4) * 4;
  const file = Buffer.alloc(HEADER_BYTES + stride * height);
  file.write('BM', 0, 'latin1');
  file.writeUInt32LE(file.length, 2);
  file.writeUInt32LE(HEADER_BYTES, 10);
  file.writeUInt32LE(40, 14);
  file.writeInt32LE(width, 18);
  file.writeInt32LE(height, 22);
  file.writeUInt16LE(1, 26);
  file.writeUInt16LE(24, 28);
  for (let y = 0; y < height; y += 1) {
    let to = HEADER_BYTES + (height - 1 - y) * stride;
    for (let from = y * width * 3; from < (y + 1) * width * 3; from += 3, to += 3) {
      file[to] = data[from + 2] ?? 0;
      file[to + 1] = data[from + 1] ?? 0;
      file[to + 2] = data[from] ?? 0;
    }
  }
  return file;
}
