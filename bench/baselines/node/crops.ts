// Cutting an image's crops, which the encoder network sees, by the rules in models/training/SPECIFICATION.md, "Crops".
import { mirror, shrink, type Pixels } from './pixels.js';

/**
 * Cuts crops of one kind, `size` × `size` pixels each. First shrinks the image's shorter side to at most `shortSide`
 * pixels (null: no shrinking).
 */
export async function cutCrops(
  pixels: Pixels,
  shortSide: number | null,
  count: number,
  size: number,
): Promise<Uint8Array[]> {
  const shrunk = await shrinkShortSide(pixels, shortSide ?? Infinity);
  const padded = await padToSize(shrunk, size);
  return choosePlaces(padded, size, count).map((corner) => copyPlace(padded, corner, size));
}

function shrinkShortSide(pixels: Pixels, shortSide: number): Promise<Pixels> {
  const { width, height } = pixels;
  const shorter = Math.min(width, height);
  if (shorter <= shortSide) return Promise.resolve(pixels);
  return shrink(
    pixels,
    Math.round((width * shortSide) / shorter),
    Math.round((height * shortSide) / shorter),
  );
}

/** Pads an image by reflection until both sides have at least `size` pixels. */
async function padToSize(pixels: Pixels, size: number): Promise<Pixels> {
  const { width, height } = pixels;
  if (width >= size && height >= size) return pixels;
  const right = Math.max(0, size - width);
  const bottom = Math.max(0, size - height);
  return mirror(pixels, right, bottom);
}

/** Returns the upper left corners of the crops, row by row. */
function choosePlaces(pixels: Pixels, size: number, count: number): [x: number, y: number][] {
  const { width, height } = pixels;
  const [columns, rows] = chooseGrid(width, height, size, count);
  const corners: [number, number][] = [];
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const xs = candidates(column, columns, width, size);
      const ys = candidates(row, rows, height, size);
      const cropCorners = ys.flatMap((y) => xs.map((x): [number, number] => [x, y]));
      corners.push(cropCorners.length === 1 ? cropCorners[0]! : mostTextured(pixels, cropCorners, size));
    }
  }
  return corners;
}

function chooseGrid(
  width: number,
  height: number,
  size: number,
  most: number,
): [columns: number, rows: number] {
  let best: [number, number] = [1, 1];
  const misfit = ([columns, rows]: [number, number]): number => Math.abs(columns * height - rows * width);
  for (let columns = 1; columns <= Math.ceil(width / size); columns += 1) {
    for (let rows = 1; rows <= Math.ceil(height / size) && columns * rows <= most; rows += 1) {
      const more = columns * rows - best[0] * best[1];
      if (more > 0 || (more === 0 && misfit([columns, rows]) < misfit(best))) best = [columns, rows];
    }
  }
  return best;
}

function candidates(index: number, cells: number, length: number, size: number): number[] {
  const start = Math.floor((index * length) / cells);
  const room = Math.floor(((index + 1) * length) / cells) - start - size;
  if (room >= 0) return [start, start + Math.floor(room / 2), start + room];
  if (cells === 1) return [Math.floor((length - size) / 2)];
  return [Math.floor((index * (length - size)) / (cells - 1))];
}

function mostTextured(pixels: Pixels, cropCorners: [number, number][], size: number): [number, number] {
  let best = cropCorners[0]!;
  let most = -1;
  for (const place of cropCorners) {
    const energy = measureTexture(pixels, place, size);
    if (energy > most) [best, most] = [place, energy];
  }
  return best;
}

/** Returns how much texture a crop has: the sum of differences between neighbouring pixels in the green channel. */
function measureTexture({ data, width }: Pixels, [left, top]: [number, number], size: number): number {
  const stride = width * 3;
  let energy = 0;
  for (let y = 0; y < size; y += 1) {
    let at = (top + y) * stride + left * 3 + 1;
    for (let x = 0; x < size; x += 1, at += 3) {
      const green = data[at]!;
      if (x + 1 < size) energy += Math.abs(data[at + 3]! - green);
      if (y + 1 < size) energy += Math.abs(data[at + stride]! - green);
    }
  }
  return energy;
}

function copyPlace({ data, width }: Pixels, [left, top]: [number, number], size: number): Uint8Array {
  const view = new Uint8Array(size * size * 3);
  for (let y = 0; y < size; y += 1) {
    const from = ((top + y) * width + left) * 3;
    view.set(data.subarray(from, from + size * 3), y * size * 3);
  }
  return view;
}
