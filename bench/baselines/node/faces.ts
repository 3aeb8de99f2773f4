// Finding faces and cutting them out, rotated and scaled by five landmarks such as eyes and nose.
import * as ort from 'onnxruntime-node';
import type { Models } from './models.js';
import { scale as scaleTo, warp, type Part, type Pixels, type Similarity } from './pixels.js';

const MIN_FACE_PX = 64;
const MAX_FINDS = 24;

/** A detected face, in pixels of the image. */
export interface Face {
  /** x, y, width and height, clipped to the image. */
  readonly box: readonly [number, number, number, number];
  readonly points: readonly (readonly [number, number])[];
}

interface Candidate {
  readonly score: number;
  readonly box: readonly [number, number, number, number];
  readonly points: readonly (readonly [number, number])[];
}

/** Returns the detected faces that are large enough to be scored, largest first. */
export async function findFaces(pixels: Pixels, { manifests, detector }: Models): Promise<Face[]> {
  const { input, outputs, detect } = manifests.detector;
  const scale = Math.min(1, input.long_side_px / Math.max(pixels.width, pixels.height));
  const width = Math.max(1, Math.round(pixels.width * scale));
  const height = Math.max(1, Math.round(pixels.height * scale));
  const paddedWidth = Math.ceil(width / input.multiple) * input.multiple;
  const paddedHeight = Math.ceil(height / input.multiple) * input.multiple;
  const { data } = await scaleTo(pixels, {
    width,
    height,
    right: paddedWidth - width,
    bottom: paddedHeight - height,
  });
  const found = await detector.run({
    pixels: new ort.Tensor('uint8', data, [1, paddedHeight, paddedWidth, 3]),
  });
  const scores = found[outputs.scores]!.data as Float32Array;
  const boxes = found[outputs.boxes]!.data as Float32Array;
  const points = found[outputs.points]!.data as Float32Array;
  const candidates: Candidate[] = [];
  scores.forEach((score, index) => {
    if (score < detect.score_threshold) return;
    const [x, y, w, h] = boxes.subarray(index * 4, index * 4 + 4) as unknown as [
      number,
      number,
      number,
      number,
    ];
    const five = points.subarray(index * 10, index * 10 + 10);
    candidates.push({
      score,
      box: [x, y, w, h],
      points: [0, 1, 2, 3, 4].map((point) => [five[2 * point]! / scale, five[2 * point + 1]! / scale]),
    });
  });
  return suppress(candidates, detect.nms_iou, detect.max_faces)
    .map(({ box, points }) => ({ box: clip(box, scale, pixels), points }))
    .filter(({ box }) => Math.min(box[2], box[3]) >= MIN_FACE_PX)
    .sort((a, b) => b.box[2] * b.box[3] - a.box[2] * a.box[3])
    .slice(0, MAX_FINDS);
}

function suppress(candidates: Candidate[], iou: number, most: number): Candidate[] {
  const kept: Candidate[] = [];
  for (const candidate of candidates.sort((a, b) => b.score - a.score)) {
    if (kept.length >= most) break;
    if (kept.every((stronger) => overlap(stronger.box, candidate.box) <= iou)) kept.push(candidate);
  }
  return kept;
}

function overlap(a: Candidate['box'], b: Candidate['box']): number {
  const width = Math.min(a[0] + a[2], b[0] + b[2]) - Math.max(a[0], b[0]);
  const height = Math.min(a[1] + a[3], b[1] + b[3]) - Math.max(a[1], b[1]);
  if (width <= 0 || height <= 0) return 0;
  return (width * height) / (a[2] * a[3] + b[2] * b[3] - width * height);
}

function clip([x, y, w, h]: Candidate['box'], scale: number, { width, height }: Pixels): Face['box'] {
  const place = (value: number, limit: number): number =>
    Math.round(Math.max(0, Math.min(limit, value / scale)));
  const left = place(x, width);
  const top = place(y, height);
  return [left, top, place(x + w, width) - left, place(y + h, height) - top];
}

/** Cuts the crop of a face, aligned by its landmarks `points`. */
export async function cropFace(
  pixels: Pixels,
  points: Face['points'],
  { manifests }: Models,
): Promise<Uint8Array> {
  const size = manifests.face.size_px;
  const targetPoints = manifests.face.crop.template.map(([x, y]) => [x * size, y * size] as const);
  let { a, b, tx, ty } = fitSimilarity(points, targetPoints);
  let source = pixels;
  const scale = Math.hypot(a, b);
  if (scale < 1) {
    // Shrinks the face before warping it, because bilinear sampling alone would cause aliasing.
    const part = visiblePart(pixels, { a, b, tx, ty }, size, scale);
    const width = Math.max(1, Math.round(part.width * scale));
    const height = Math.max(1, Math.round(part.height * scale));
    const k = part.width / width;
    const x0 = part.left + 0.5 * k - 0.5;
    const y0 = part.top + 0.5 * k - 0.5;
    [tx, ty] = [a * x0 - b * y0 + tx, b * x0 + a * y0 + ty];
    [a, b] = [a * k, b * k];
    source = await scaleTo(pixels, { part, width, height });
  }
  return warp(source, { a, b, tx, ty }, size);
}

function fitSimilarity(from: Face['points'], to: Face['points']): Similarity {
  const mean = (points: Face['points'], axis: 0 | 1): number =>
    points.reduce((sum, point) => sum + point[axis], 0) / points.length;
  const [px, py, qx, qy] = [mean(from, 0), mean(from, 1), mean(to, 0), mean(to, 1)];
  let [dot, cross, spread] = [0, 0, 0];
  from.forEach(([x, y], index) => {
    const [u, v] = to[index]!;
    dot += (x - px) * (u - qx) + (y - py) * (v - qy);
    cross += (x - px) * (v - qy) - (y - py) * (u - qx);
    spread += (x - px) ** 2 + (y - py) ** 2;
  });
  const [a, b] = spread > 0 ? [dot / spread, cross / spread] : [1, 0];
  return { a, b, tx: qx - (a * px - b * py), ty: qy - (b * px + a * py) };
}

function visiblePart(
  { width, height }: Pixels,
  { a, b, tx, ty }: Similarity,
  size: number,
  scale: number,
): Part {
  const corners = [0, size].flatMap((u) =>
    [0, size].map((v) => {
      const [du, dv] = [u - tx, v - ty];
      return [(a * du + b * dv) / scale ** 2, (-b * du + a * dv) / scale ** 2] as const;
    }),
  );
  const range = (axis: 0 | 1, length: number): [number, number] => {
    const values = corners.map((corner) => corner[axis]);
    const start = Math.max(0, Math.min(length - 1, Math.floor(Math.min(...values) - 2 / scale)));
    return [start, Math.max(start + 1, Math.min(length, Math.ceil(Math.max(...values) + 2 / scale)))];
  };
  const [left, right] = range(0, width);
  const [top, bottom] = range(1, height);
  return { left, top, width: right - left, height: bottom - top };
}
