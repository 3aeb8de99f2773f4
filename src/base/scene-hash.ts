// Hashes of what an image shows, by which copies that were re-encoded, resized or cropped by up to a tenth are found again.
//
// A hash has a bit for each of the lowest frequencies of the discrete cosine transform, but the mean: whether it is
// positive. What is kept is that of the middle of an image, which a crop of up to a tenth leaves whole. A query has one for
// each place at which the middle of the other image may lie in its own: of whichever of the two was cropped.

/** Pixels of a side of the grey levels. */
const SIDE = 64;
/** On each axis. */
const FREQUENCIES = 16;
/** What a crop may take off a side, both ends together, as a share of it; the middle leaves as much out at either end. */
const CROP = 0.1;
/** Steps from no crop to all of it. Chosen on the copies of docs/seen.md: finer ones find hardly more. */
const STEPS = 3;

/** Bits of a hash. */
export const SCENE_BITS = FREQUENCIES * FREQUENCIES - 1;
/** Bits that a key takes of a hash, the lowest frequencies first. Chosen: 16 find hardly more copies, and three times the rows. */
const KEY_BITS = 18;
/** Keys of a hash. */
export const KEYS = 4;

/** Bits in words of 32, the lowest frequencies first. */
export type SceneHash = Uint32Array;

/** A part of an axis, 0..1. */
export type Span = readonly [start: number, end: number];

/** Mean absolute value of the frequencies that keys are of, in grey levels, below which an image shows too little to be compared. */
const LEAST_LEVELS = 0.5;

const MIDDLE: Span = [CROP, 1 - CROP];

/** The hash of the middle, which is kept; null where too little is to be seen there to tell images apart. */
export function hashMiddle(grey: Uint8Array): SceneHash | null {
  const projection = projectionOf(MIDDLE);
  const { hash, contrast } = hashWindow(projectRows(grey, projection), projection);
  return contrast < LEAST_LEVELS ? null : hash;
}

/** Windows of an image: each of `columns` with each of `rows`. */
export interface Windows {
  readonly columns: readonly Span[];
  readonly rows: readonly Span[];
}

/** Calls `visit` with the hash of each window, and where it is. */
export function visitWindows(
  grey: Uint8Array,
  windows: readonly Windows[],
  visit: (hash: SceneHash, columns: Span, rows: Span) => void,
): void {
  for (const { columns, rows } of windows) {
    const down = rows.map(projectionOf);
    for (const column of columns) {
      const projected = projectRows(grey, projectionOf(column));
      for (const [at, row] of rows.entries())
        visit(hashWindow(projected, down[at] ?? new Float64Array()).hash, column, row);
    }
  }
}

/** The hashes of a query: of each window in which the middle of an image may lie that is a crop of this one, or the reverse. */
export function hashWindows(grey: Uint8Array): SceneHash[] {
  const hashes: SceneHash[] = [];
  visitWindows(grey, CROPS, (hash) => hashes.push(hash));
  return hashes;
}

/** By which of the two images is the crop: of either all spans of an axis combine with all of the other. */
export const CROPS: readonly Windows[] = [true, false].map((isCrop) => {
  const spans = spansOf(isCrop);
  return { columns: spans, rows: spans };
});

/** Where the middle of the other image lies in this one, on one axis. */
function spansOf(isCrop: boolean): Span[] {
  const spans: Span[] = [];
  for (let step = isCrop ? 0 : 1; step <= STEPS; step += 1) {
    const crop = (CROP * step) / STEPS;
    for (let before = 0; before <= step; before += 1) {
      const start = (CROP * before) / STEPS;
      const place = (at: number): number => (isCrop ? (at - start) / (1 - crop) : start + at * (1 - crop));
      spans.push([place(MIDDLE[0]), place(MIDDLE[1])]);
    }
  }
  return spans;
}

/** FREQUENCIES × SIDE: by how much each pixel counts in each frequency of a window. The integral of a cosine over a pixel. */
function projectionOf(span: Span): Float64Array {
  const [start, end] = span;
  const made = projections.get(span);
  if (made) return made;
  const weights = new Float64Array(FREQUENCIES * SIDE);
  const within = (pixel: number): number => Math.min(1, Math.max(0, (pixel / SIDE - start) / (end - start)));
  for (let frequency = 0; frequency < FREQUENCIES; frequency += 1) {
    const angle = Math.PI * frequency;
    const upTo = (at: number): number => (frequency === 0 ? at : Math.sin(angle * at) / angle);
    for (let pixel = 0; pixel < SIDE; pixel += 1)
      weights[frequency * SIDE + pixel] = upTo(within(pixel + 1)) - upTo(within(pixel));
  }
  projections.set(span, weights);
  return weights;
}

/** Those of the spans that every query has are made once. */
const projections = new WeakMap<Span, Float64Array>();

/** SIDE rows × FREQUENCIES. */
function projectRows(grey: Uint8Array, columns: Float64Array): Float64Array {
  const rows = new Float64Array(SIDE * FREQUENCIES);
  for (let y = 0; y < SIDE; y += 1)
    for (let u = 0; u < FREQUENCIES; u += 1) {
      let sum = 0;
      for (let x = 0; x < SIDE; x += 1) sum += (grey[y * SIDE + x] ?? 0) * (columns[u * SIDE + x] ?? 0);
      rows[y * FREQUENCIES + u] = sum;
    }
  return rows;
}

/** Places of the frequencies, the lowest first. */
const ORDER = Array.from({ length: FREQUENCIES * FREQUENCIES }, (_, at) => at)
  .slice(1)
  .sort((one, other) => radius(one) - radius(other) || one - other);

function radius(at: number): number {
  return Math.hypot(at % FREQUENCIES, Math.floor(at / FREQUENCIES));
}

function hashWindow(rows: Float64Array, projection: Float64Array): { hash: SceneHash; contrast: number } {
  const levels = new Float64Array(FREQUENCIES * FREQUENCIES);
  for (let v = 0; v < FREQUENCIES; v += 1)
    for (let y = 0; y < SIDE; y += 1) {
      const weight = projection[v * SIDE + y] ?? 0;
      if (weight === 0) continue;
      for (let u = 0; u < FREQUENCIES; u += 1)
        levels[v * FREQUENCIES + u] =
          (levels[v * FREQUENCIES + u] ?? 0) + weight * (rows[y * FREQUENCIES + u] ?? 0);
    }
  const hash = new Uint32Array(Math.ceil(SCENE_BITS / 32));
  let contrast = 0;
  for (let bit = 0; bit < SCENE_BITS; bit += 1) {
    const level = levels[ORDER[bit] ?? 0] ?? 0;
    if (level > 0) hash[bit >>> 5] = (hash[bit >>> 5] ?? 0) | (1 << (bit & 31));
    if (bit < KEYS * KEY_BITS) contrast += Math.abs(level) / (KEYS * KEY_BITS);
  }
  return { hash, contrast };
}

/** Bits in which two hashes differ. */
export function countDifferent(one: SceneHash, other: SceneHash): number {
  let count = 0;
  for (let at = 0; at < one.length; at += 1) count += countOnes((one[at] ?? 0) ^ (other[at] ?? 0));
  return count;
}

/** Ones of a 32-bit number, counted side by side: in pairs, in fours, in bytes. */
function countOnes(bits: number): number {
  const pairs = bits - ((bits >>> 1) & 0x55555555);
  const fours = (pairs & 0x33333333) + ((pairs >>> 2) & 0x33333333);
  return Math.imul((fours + (fours >>> 4)) & 0x0f0f0f0f, 0x01010101) >>> 24;
}

/** By which an index finds it: numbers of KEY_BITS bits. */
export function keysOf(hash: SceneHash): number[] {
  return Array.from({ length: KEYS }, (_, key) => {
    let value = 0;
    for (let bit = key * KEY_BITS; bit < (key + 1) * KEY_BITS; bit += 1)
      value = value * 2 + (((hash[bit >>> 5] ?? 0) >>> (bit & 31)) & 1);
    return value;
  });
}
