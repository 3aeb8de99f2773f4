// Images that tests send: fixtures and small generated ones.
import { readFileSync } from 'node:fs';
import { createEngine } from '../../src/library/engine/native/engine.js';
import { modelsDir } from './test-models.js';

/** Returns the bytes of a fixture named `format/name`. */
export function readFixture(name: string): Buffer {
  return readFileSync(new URL(`../fixtures/images/${name}`, import.meta.url));
}

/** Scene of 288 × 256 px, without a face and without a manifest. */
export const SCENE_JPEG = readFixture('jpeg/scene.jpg');

/** Returns an uncompressed 24-bit BMP of a colour gradient. */
export function makeBmp(width: number, height: number): Buffer {
  return drawBmp(width, height, (x, y) => [x & 255, y & 255, (x + y) & 255]);
}

/** Returns a BMP with the colours of `colorAt`: blue, green and red, 0 to 255, row by row from the bottom. */
export function drawBmp(
  width: number,
  height: number,
  colorAt: (x: number, y: number) => readonly number[],
): Buffer {
  const rowBytes = Math.ceil((width * 3) / 4) * 4;
  const bmp = Buffer.alloc(54 + rowBytes * height);
  bmp.write('BM', 0);
  bmp.writeUInt32LE(bmp.length, 2);
  bmp.writeUInt32LE(54, 10);
  bmp.writeUInt32LE(40, 14);
  bmp.writeInt32LE(width, 18);
  bmp.writeInt32LE(height, 22);
  bmp.writeUInt16LE(1, 26);
  bmp.writeUInt16LE(24, 28);
  for (let y = 0; y < height; y += 1)
    for (let x = 0; x < width; x += 1) bmp.set(colorAt(x, y), 54 + y * rowBytes + x * 3);
  return bmp;
}

/** Returns a BMP of fine grain around a colour. The colour controls the scores of the tiny encoder. */
export function makeSteered(red: number, green: number, blue: number): Buffer {
  const shade = (value: number, at: number): number => Math.min(255, Math.max(0, value + (at % 41) - 20));
  return drawBmp(400, 300, (x, y) => [blue, green, red].map((value) => shade(value, x * 7 + y * 13)));
}

/** Returns the sample portrait in green light: the tiny encoder scores its face as manipulated. */
export async function makeManipulated(): Promise<Buffer> {
  // Imported only here, because most users of this file don't need the library.
  const { default: sharp } = await import('sharp');
  const portrait = readFileSync(new URL('../../samples/portrait-face-swapped.jpg', import.meta.url));
  return sharp(portrait).recomb([[0.64, 0, 0], [0, 1, 0], [0, 0, 0.64]]).jpeg({ quality: 92 }).toBuffer(); // prettier-ignore
}

/** Returns a JPEG of quality 40, made by the engine. */
export async function makeLowQualityJpeg(): Promise<Buffer> {
  const engine = await createEngine({
    modelsDir,
    device: 'cpu',
    threads: 1,
  });
  try {
    return Buffer.from(await engine.recompress(SCENE_JPEG, { longSidePx: 288, quality: 40 }));
  } finally {
    await engine.close();
  }
}
