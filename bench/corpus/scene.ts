// Synthetic images that resemble photographs, from a seed: overlapping shapes of all sizes on a gradient, 1/f texture
// and sensor noise.
// They replace photographs, which can't be shipped, when the cost of checks is measured. Overlapping shapes with
// power-law sizes (dead leaves) have edges and a spectrum like natural scenes. Source: A. B. Lee, D. Mumford, J.
// Huang, "Occlusion models for natural images", IJCV 41, 2001.
import sharp from 'sharp';

/** An image in RGB, 8 bits per channel, rows without padding. */
export interface Pixels {
  readonly width: number;
  readonly height: number;
  readonly data: Buffer;
}

export interface SceneRecipe {
  readonly seed: number;
  readonly width: number;
  readonly height: number;
  /** Contents of samples/portrait.png, whose person is added to the scene. Null adds nobody. */
  readonly portrait: Buffer | null;
}

/** Head and shoulders in samples/portrait.png, in pixels. */
const PERSON = { left: 95, top: 5, width: 260, height: 260 };

const SHAPES = 900;
/**
 * Maximum grey levels by which the coarsest layer of the texture changes a pixel. Each finer layer has 0.7 times the
 * strength of the coarser one.
 */
const TEXTURE_LEVELS = 22;
const OCTAVE_FALL = 0.7;
/**
 * Standard deviation of the noise in grey levels: in black, and additionally in white, like the shot noise of a
 * sensor.
 */
const DARK_NOISE = 1.2;
const SHOT_NOISE = 2.6;

/** Makes the scene of `recipe`. The same recipe and version of sharp make the same bytes. */
export async function makeScene(recipe: SceneRecipe): Promise<Pixels> {
  const { width, height } = recipe;
  const random = createRandom(recipe.seed);
  const painted = await paintShapes(recipe, random);
  const texture = await makeTexture(width, height, random);
  const data = Buffer.allocUnsafe(painted.length);
  const noise = makeNoise(random);
  for (let pixel = 0, at = 0; pixel < texture.length; pixel += 1) {
    const shade = texture[pixel] ?? 0;
    for (let channel = 0; channel < 3; channel += 1, at += 1) {
      const level = (painted[at] ?? 0) + shade;
      const deviation = DARK_NOISE + SHOT_NOISE * Math.sqrt(Math.max(0, level) / 255);
      data[at] = Math.max(0, Math.min(255, level + deviation * noise()));
    }
  }
  return { width, height, data };
}

/** Paints shapes from large to small over a sky-to-ground gradient, and the portrait if the recipe has one. */
async function paintShapes(recipe: SceneRecipe, random: Random): Promise<Buffer> {
  const { width, height, portrait } = recipe;
  const radii = Array.from({ length: SHAPES }, () => 0.28 / (1 + 60 * random() ** 0.7)).sort((a, b) => b - a);
  const shapes = radii.map((radius) => drawShape(radius * Math.max(width, height), width, height, random));
  const svg = `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}">
    <defs><linearGradient id="ground" x2="0" y2="1"><stop stop-color="${color(random, 170)}"/>
    <stop offset="1" stop-color="${color(random, 70)}"/></linearGradient></defs>
    <rect width="100%" height="100%" fill="url(#ground)"/>${shapes.join('')}</svg>`;
  const scene = sharp(Buffer.from(svg), { unlimited: true }).removeAlpha();
  if (portrait === null) return scene.raw().toBuffer();
  const person = await placePortrait(portrait, height);
  const left = Math.round((width - person.info.width) * (0.2 + 0.6 * random()));
  return scene
    .composite([{ input: person.data, left, top: height - person.info.height }])
    .removeAlpha()
    .raw()
    .toBuffer();
}

/** Scales the portrait to three quarters of the scene's height and fades out its borders. */
async function placePortrait(
  portrait: Buffer,
  sceneHeight: number,
): Promise<{ data: Buffer; info: { width: number; height: number } }> {
  const side = Math.round(sceneHeight * 0.75);
  const mask = `<svg xmlns="http://www.w3.org/2000/svg" width="${side}" height="${side}"><defs><radialGradient id="fade">
    <stop offset="0.75" stop-color="white"/><stop offset="1" stop-color="white" stop-opacity="0"/></radialGradient></defs>
    <circle cx="50%" cy="50%" r="50%" fill="url(#fade)"/></svg>`;
  return sharp(portrait)
    .extract(PERSON)
    .resize(side, side)
    .ensureAlpha()
    .composite([{ input: Buffer.from(mask), blend: 'dest-in' }])
    .png({ compressionLevel: 1 })
    .toBuffer({ resolveWithObject: true });
}

function drawShape(radius: number, width: number, height: number, random: Random): string {
  const x = random() * width;
  const y = random() * height;
  const fill = color(random, 40 + 170 * random());
  if (random() < 0.5)
    return `<ellipse cx="${x.toFixed(1)}" cy="${y.toFixed(1)}" rx="${radius.toFixed(1)}" ry="${(radius * (0.4 + random())).toFixed(1)}" fill="${fill}"/>`;
  const corners = Array.from({ length: 3 + Math.floor(random() * 4) }, (_, index, all = 6) => {
    const angle = (2 * Math.PI * (index + random())) / all;
    return `${(x + radius * Math.cos(angle)).toFixed(1)},${(y + radius * Math.sin(angle)).toFixed(1)}`;
  });
  return `<polygon points="${corners.join(' ')}" fill="${fill}"/>`;
}

/** Returns a random muted colour of about this brightness. */
function color(random: Random, brightness: number): string {
  const channel = (): number => Math.round(Math.max(8, Math.min(247, brightness + 60 * (random() - 0.5))));
  return `rgb(${channel()},${channel()},${channel()})`;
}

/**
 * Adds up several layers of smooth random values. Each layer is finer and weaker than the previous one, so that power
 * falls with frequency.
 */
async function makeTexture(width: number, height: number, random: Random): Promise<Float32Array> {
  const sum = new Float32Array(width * height);
  let levels = TEXTURE_LEVELS;
  for (let cell = Math.max(width, height) / 3; cell >= 1.5; cell /= 2, levels *= OCTAVE_FALL) {
    const columns = Math.max(2, Math.ceil(width / cell));
    const rows = Math.max(2, Math.ceil(height / cell));
    const grid = Buffer.from(Uint8Array.from({ length: columns * rows }, () => 256 * random()));
    const field = await sharp(grid, { raw: { width: columns, height: rows, channels: 1 } })
      .resize(width, height, { kernel: 'cubic', fit: 'fill' })
      .extractChannel(0)
      .raw()
      .toBuffer();
    for (let at = 0; at < sum.length; at += 1)
      sum[at] = (sum[at] ?? 0) + (((field[at] ?? 0) - 127.5) / 127.5) * levels;
  }
  return sum;
}

/**
 * Returns a function that returns normally distributed numbers. It takes them from a table in random order, because
 * computing millions of them takes minutes.
 */
function makeNoise(random: Random): () => number {
  const table = Float32Array.from(
    { length: 65_536 },
    () => Math.sqrt(-2 * Math.log(1 - random())) * Math.cos(2 * Math.PI * random()),
  );
  let at = 0;
  let step = 1;
  return () => {
    at = (at + step) & 65_535;
    // Each pass over the table has a new odd step, so that no pattern repeats within an image.
    if (at < step) step = (1 + 2 * Math.floor(random() * 16_384)) & 65_535;
    return table[at] ?? 0;
  };
}

/** A function that returns random numbers from 0 to 1. */
export type Random = () => number;

/** Returns a random number generator for a seed. Source: mulberry32 by Tommy Ettinger, public domain. */
export function createRandom(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
