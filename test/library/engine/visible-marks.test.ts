// Tests the search for visible signs that generators draw on images: found in their corner, even after
// typical image processing, and nowhere else.
import assert from 'node:assert/strict';
import { createEngine } from '../../../src/library/engine/native/engine.js';
import type { Engine, VisibleMark } from '../../../src/library/engine/types.js';
import { readFixture, SCENE_JPEG } from '../../support/images.js';
import {
  drawSign,
  PILL,
  RING_AND_NAME,
  SQUARES,
  STAR,
  type Drawing,
  type DrawnSign,
} from '../../support/visible-signs.js';
import { modelsDir } from '../../support/test-models.js';

const STAR_IN_CORNER = { sign: STAR, right: 32, bottom: 32 };
const PILL_IN_CORNER = { sign: PILL, right: 64, bottom: 64 };
const NAME_IN_CORNER = { sign: RING_AND_NAME, right: 14, bottom: 15 };
const SQUARES_IN_CORNER = { sign: SQUARES, right: 0, bottom: 0 };

const FOUND: readonly (readonly [name: string, drawing: Drawing, generator: string])[] = [
  ['an image with the Gemini star', STAR_IN_CORNER, 'Google Gemini'],
  [
    'an image with the Gemini star at JPEG quality 75',
    { ...STAR_IN_CORNER, jpegQuality: 75 },
    'Google Gemini',
  ],
  [
    'an image with the Gemini star, halved in size',
    { ...STAR_IN_CORNER, sidePx: 512, jpegQuality: 80 },
    'Google Gemini',
  ],
  [
    'an image with the Gemini star of 96 px',
    { sign: STAR, right: 64, bottom: 64, scale: 2, jpegQuality: 85 },
    'Google Gemini',
  ],
  [
    'an image with the Gemini star further from the edges',
    { sign: STAR, right: 97, bottom: 97 },
    'Google Gemini',
  ],
  ['an image with the Gemini star on white paper', { ...STAR_IN_CORNER, ground: '#f6f5f3' }, 'Google Gemini'],
  [
    'an image with the Gemini star on black',
    { ...STAR_IN_CORNER, ground: '#040404', jpegQuality: 75 },
    'Google Gemini',
  ],
  ['an image with the pill-shaped Gemini label', { ...PILL_IN_CORNER, jpegQuality: 75 }, 'Google Gemini'],
  [
    'a shrunk image with the pill-shaped Gemini label',
    { ...PILL_IN_CORNER, ground: '#30405a', sidePx: 640, jpegQuality: 80 },
    'Google Gemini',
  ],
  ['an image with the Grok ring and name', { ...NAME_IN_CORNER, ground: '#502020', jpegQuality: 80 }, 'Grok'],
  [
    'a shrunk image with the Grok ring and name',
    { ...NAME_IN_CORNER, ground: '#205020', sidePx: 800 },
    'Grok',
  ],
  ['an image with the DALL-E 2 squares', { ...SQUARES_IN_CORNER, jpegQuality: 75 }, 'DALL-E 2'],
  [
    'a shrunk image with the DALL-E 2 squares',
    { ...SQUARES_IN_CORNER, sidePx: 512, jpegQuality: 80 },
    'DALL-E 2',
  ],
];

const shape = (svg: string): DrawnSign => ({ widthPx: 48, heightPx: 48, svg });
const NOT_FOUND: readonly (readonly [name: string, drawing: Drawing])[] = [
  ['an image with a star in another corner', { sign: STAR, right: 944, bottom: 944 }],
  [
    'an image with a disc instead of the star',
    { ...STAR_IN_CORNER, sign: shape('<circle cx="24" cy="24" r="22" fill="#fff"/>') },
  ],
  [
    'an image with a cross instead of the star',
    { ...STAR_IN_CORNER, sign: shape('<path d="M19 0H29V19H48V29H29V48H19V29H0V19H19Z" fill="#fff"/>') },
  ],
  ['an image with a dark star', { ...STAR_IN_CORNER, sign: shape(STAR.svg.replace('#fff', '#000')) }],
  [
    'an image with a pill-shaped label without text',
    { ...PILL_IN_CORNER, sign: { ...PILL, svg: '<rect width="96" height="70" rx="34" fill="#fff"/>' } },
  ],
  [
    'an image with another word',
    {
      ...NAME_IN_CORNER,
      sign: { ...RING_AND_NAME, svg: '<text y="17" font-size="17" fill="#fff">Photo.co</text>' },
    },
  ],
  [
    'an image with squares of other colours',
    { ...SQUARES_IN_CORNER, sign: { ...SQUARES, svg: SQUARES.svg.replace('#51da4c', '#da514c') } },
  ],
];

describe('visible signs of AI makers', () => {
  let engine: Engine;
  before(async () => {
    engine = await createEngine({ modelsDir, device: 'cpu', threads: 1 });
  });
  after(() => engine.close());
  const search = async (bytes: Uint8Array): Promise<readonly VisibleMark[]> =>
    (await engine.searchPixels(bytes)).visible;

  for (const [name, drawing, generator] of FOUND) {
    it(`are found in ${name}`, async () => {
      const { bytes, box } = await drawSign(drawing);
      const found = await search(bytes);
      assert.deepEqual(
        found.map((mark) => mark.generator),
        [generator],
      );
      for (const [at, px] of found[0]!.box.entries())
        assert.ok(Math.abs(px - box[at]!) <= 6, `${found[0]!.box.join()} is not about ${box.join()}`);
    });
  }

  for (const [name, drawing] of NOT_FOUND) {
    it(`are not found in ${name}`, async () =>
      assert.deepEqual(await search((await drawSign(drawing)).bytes), []));
  }

  it('are not found in images without such signs, whatever their size', async () => {
    const images = ['png/scene.png', 'webp/scene.webp', 'gif/scene.gif'].map(readFixture);
    for (const image of [SCENE_JPEG, ...images]) assert.deepEqual(await search(image), []);
  });
});
