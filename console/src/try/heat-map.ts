// Draws patch scores over a picture: a smooth field on a small canvas, which the browser enlarges.
import type { Details } from '../../../src/check/present-details.js';

type Patches = NonNullable<Details['heatmap']>['patches'];

/** Pixels of the canvas's longer side: patches are coarse, and enlarging smooths. */
const LONG_SIDE = 160;
/** Scores this close together are one colour: the scale is never stretched over mere noise. */
const LEAST_SPAN = 0.2;

/** Colours from the lowest to the highest score of the picture, with their opacity. */
const RAMP: readonly (readonly [red: number, green: number, blue: number, alpha: number])[] = [
  [38, 28, 92, 0.2],
  [112, 31, 129, 0.36],
  [198, 52, 98, 0.55],
  [245, 125, 50, 0.72],
  [252, 212, 84, 0.84],
];

/** The scores that the ends of the scale stand for. */
export function spanOf(patches: Patches): readonly [low: number, high: number] {
  const scores = patches.map(({ score }) => score);
  const [low, high] = [Math.min(...scores), Math.max(...scores)];
  const slack = Math.max(0, LEAST_SPAN - (high - low)) / 2;
  return [Math.max(0, low - slack), Math.min(1, high + slack)];
}

/** Draws on `canvas`, whose size it sets; `width` and `height` are those of the picture that the boxes are in. */
export function drawHeatMap(
  canvas: HTMLCanvasElement,
  patches: Patches,
  { width, height }: { readonly width: number; readonly height: number },
): void {
  const scale = LONG_SIDE / Math.max(width, height);
  canvas.width = Math.max(1, Math.round(width * scale));
  canvas.height = Math.max(1, Math.round(height * scale));
  const context = canvas.getContext('2d');
  if (!context || patches.length === 0) return;
  const image = context.createImageData(canvas.width, canvas.height);
  const [low, high] = spanOf(patches);
  const boxes = patches.map(({ box: [x, y, w, h], score }) => ({
    centreX: (x + w / 2) * scale,
    centreY: (y + h / 2) * scale,
    // A patch speaks for a little more than itself, so that neighbours meet without an edge.
    reachX: w * scale * 0.8,
    reachY: h * scale * 0.8,
    score,
  }));
  for (let at = 0; at < canvas.width * canvas.height; at += 1) {
    const x = (at % canvas.width) + 0.5;
    const y = Math.floor(at / canvas.width) + 0.5;
    let [sum, weights] = [0, 0];
    for (const { centreX, centreY, reachX, reachY, score } of boxes) {
      const weight =
        Math.max(0, 1 - Math.abs(x - centreX) / reachX) * Math.max(0, 1 - Math.abs(y - centreY) / reachY);
      sum += weight * score;
      weights += weight;
    }
    if (weights === 0) continue;
    const place = Math.min(1, Math.max(0, (sum / weights - low) / (high - low)));
    image.data.set(colourOf(place, Math.min(1, weights * 4)), at * 4);
  }
  context.putImageData(image, 0, 0);
}

function colourOf(place: number, cover: number): number[] {
  const position = place * (RAMP.length - 1);
  const index = Math.min(RAMP.length - 2, Math.floor(position));
  const part = position - index;
  const mixed = [0, 1, 2, 3].map((channel) => {
    const from = RAMP[index]?.[channel] ?? 0;
    const to = RAMP[index + 1]?.[channel] ?? 0;
    return from + (to - from) * part;
  });
  const [red = 0, green = 0, blue = 0, alpha = 0] = mixed;
  return [red, green, blue, alpha * cover * 255];
}
