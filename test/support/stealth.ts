// Texts hidden in the lowest bits of a picture, as NovelAI and extensions of web UIs write them.
import { gzipSync } from 'node:zlib';
import sharp from 'sharp';
import { readFixture } from './pictures.js';

/** How a text is hidden. */
export interface Hiding {
  readonly channels: 'alpha' | 'rgb';
  readonly isPacked: boolean;
  readonly format?: 'png' | 'webp';
  /** Width and height in pixels; default: the scene's. */
  readonly sidePx?: number;
  /** Bits that the head announces; default: those of the payload. */
  readonly announcedBits?: number;
  /** Bytes hidden in the place of the text, packed or not. */
  readonly payload?: Buffer;
}

/** The scene with `text` in it: signature, length in bits, payload, bit by bit down the columns. */
export async function hideText(text: string, hiding: Hiding): Promise<Buffer> {
  const { channels, isPacked, format = 'png' } = hiding;
  const scene = sharp(readFixture('png/scene.png'));
  const { data, info } = await (
    hiding.sidePx === undefined ? scene : scene.resize(hiding.sidePx, hiding.sidePx)
  )
    .ensureAlpha()
    .raw()
    .toBuffer({ resolveWithObject: true });
  const payload = hiding.payload ?? (isPacked ? gzipSync(text) : Buffer.from(text));
  const length = Buffer.alloc(4);
  length.writeUInt32BE(hiding.announcedBits ?? 8 * payload.byteLength);
  const signature = `stealth_${channels === 'alpha' ? 'png' : 'rgb'}${isPacked ? 'comp' : 'info'}`;
  const hidden = Buffer.concat([Buffer.from(signature), length, payload]);
  const places = channels === 'alpha' ? [3] : [0, 1, 2];
  for (let bit = 0; bit < 8 * hidden.byteLength; bit += 1) {
    const pixel = Math.floor(bit / places.length);
    const [x, y] = [Math.floor(pixel / info.height), pixel % info.height];
    if (x >= info.width) throw new Error('the picture is too small for this text');
    const at = 4 * (y * info.width + x) + places[bit % places.length]!;
    data[at] = (data[at]! & 0xfe) | ((hidden[bit >> 3]! >> (7 - (bit % 8))) & 1);
  }
  const picture = sharp(data, { raw: { width: info.width, height: info.height, channels: 4 } });
  if (format === 'webp') return picture.webp({ lossless: true, exact: true, effort: 0 }).toBuffer();
  return (channels === 'rgb' ? picture.removeAlpha() : picture).png({ compressionLevel: 1 }).toBuffer();
}
