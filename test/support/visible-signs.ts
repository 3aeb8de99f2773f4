// Draws images with a generator's sign. The shapes are our own, and differ from those that the engine
// searches for.
import sharp from 'sharp';
import { readFixture } from './images.js';

/** A sign as SVG, with its size. */
export interface DrawnSign {
  readonly widthPx: number;
  readonly heightPx: number;
  readonly svg: string;
}

/** Gemini's star: four arcs between its points. */
export const STAR: DrawnSign = {
  widthPx: 48,
  heightPx: 48,
  svg: '<path fill="#fff" fill-opacity="0.5" d="M24 0A31 31 0 0 0 48 24A31 31 0 0 0 24 48A31 31 0 0 0 0 24A31 31 0 0 0 24 0Z"/>',
};

/** Gemini's label: a rounded rectangle with letters cut out. */
export const PILL: DrawnSign = {
  widthPx: 96,
  heightPx: 70,
  svg: `<mask id="m"><rect width="96" height="70" rx="34" fill="#fff"/><g stroke="#000" stroke-width="6.5" fill="none">
    <path d="M33 32Q47 24 48 35V52M48 44A8 5.5 0 1 1 32 44A8 5.5 0 1 1 48 44M61 28V52"/></g><circle cx="61" cy="19" r="4.5"/></mask>
    <rect width="96" height="70" fill="#fff" fill-opacity="0.85" mask="url(#m)"/>`,
};

/** Grok's ring and name, drawn with lines of one width. */
export const RING_AND_NAME: DrawnSign = {
  widthPx: 64,
  heightPx: 21,
  svg: `<g stroke="#fff" stroke-opacity="0.6" stroke-width="2" fill="none"><path d="M15 3.6A8.4 8.4 0 0 0 4.2 16L1.2 20M18.5 7.6A8.4 8.4 0 0 1 6.2 18.2M9 13.3L18 6.6L20.6 1.5"/>
    <path d="M36.3 7.4A5.3 5.4 0 1 0 37.4 11.3H32.5M40.6 17V8.5M40.6 11Q41 8.8 44.3 8.8M56.3 5V17M62.5 8.6L57 13L63 16.8"/>
    <ellipse cx="49.3" cy="12.5" rx="3.7" ry="3.8"/></g>`,
};

/** DALL-E 2's five coloured squares in a row. */
export const SQUARES: DrawnSign = {
  widthPx: 80,
  heightPx: 16,
  svg: ['#ffff66', '#42ffff', '#51da4c', '#ff6e3c', '#3c46ff']
    .map((colour, at) => `<rect x="${16 * at}" width="16" height="16" fill="${colour}"/>`)
    .join(''),
};

/** Position and background of a sign, and how the image is processed afterwards. */
export interface Drawing {
  readonly sign: DrawnSign;
  /** Distance in pixels of the sign from the right and lower edge, on a background of 1024 px per side. */
  readonly right: number;
  readonly bottom: number;
  /** Scale factor of the sign. Default: 1. */
  readonly scale?: number;
  /** Background colour. Default: the test scene, mirrored so that its checkerboard is in another corner. */
  readonly ground?: string;
  /** Side length in px to which the image is shrunk. Default: not shrunk. */
  readonly sidePx?: number;
  /** JPEG quality. Default: the image is a PNG. */
  readonly jpegQuality?: number;
}

const GROUND_PX = 1024;

/** Returns the image and the position of the sign: [x, y, w, h]. */
export async function drawSign(
  drawing: Drawing,
): Promise<{ readonly bytes: Buffer; readonly box: readonly number[] }> {
  const { sign, right, bottom, scale = 1, ground, sidePx = GROUND_PX, jpegQuality } = drawing;
  const [width, height] = [sign.widthPx * scale, sign.heightPx * scale];
  const [left, top] = [GROUND_PX - right - width, GROUND_PX - bottom - height];
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${sign.widthPx} ${sign.heightPx}">${sign.svg}</svg>`;
  const plain =
    ground === undefined
      ? sharp(readFixture('png/scene.png')).flop().resize(GROUND_PX, GROUND_PX).removeAlpha()
      : sharp({ create: { width: GROUND_PX, height: GROUND_PX, channels: 3, background: ground } });
  const drawn = await plain
    .composite([{ input: Buffer.from(svg), left, top }])
    .png()
    .toBuffer();
  const passedOn = sharp(drawn).resize(sidePx, sidePx);
  const bytes = await (
    jpegQuality === undefined ? passedOn.png() : passedOn.jpeg({ quality: jpegQuality })
  ).toBuffer();
  return { bytes, box: [left, top, width, height].map((px) => Math.round((px * sidePx) / GROUND_PX)) };
}
