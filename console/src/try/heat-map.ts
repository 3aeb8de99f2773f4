// Draws the heat map over a picture: about a pixel for each cell, which the browser enlarges and smooths.
import type { Details } from '../../../src/check/result-schema.js';

type Patches = NonNullable<Details['heatmap']>['patches'];
type Colour = readonly [red: number, green: number, blue: number, alpha: number];

/**
 * Colours of scores from 0 to 1, in even steps; `.ramp` of the style sheet shows the same. Scores up to 0.6 are clear,
 * because most of a genuine picture's are. The scale is never stretched to what a picture has: a harmless one would glow.
 */
const RAMP: readonly Colour[] = [
  [252, 212, 84, 0],
  [252, 212, 84, 0],
  [252, 212, 84, 0],
  [252, 180, 64, 0],
  [240, 90, 50, 0.55],
  [214, 30, 60, 0.85],
];

/** Less of a colour than this is not seen over a picture. Chosen: at 0.1 nothing was seen over a portrait. */
const LEAST_SEEN_ALPHA = 0.2;

/** Whether any of it can be seen. */
export function standsOut(patches: Patches): boolean {
  return patches.some(({ score }) => colourOf(score)[3] >= LEAST_SEEN_ALPHA);
}

/** Draws on `canvas`, whose size it sets; `width` and `height` are those of the picture that the boxes are in. */
export function drawHeatMap(
  canvas: HTMLCanvasElement,
  patches: Patches,
  { width, height }: { readonly width: number; readonly height: number },
): void {
  const countCells = (length: number, side: 2 | 3): number =>
    Math.max(1, Math.round((length * patches.length) / patches.reduce((sum, { box }) => sum + box[side], 0)));
  canvas.width = countCells(width, 2);
  canvas.height = countCells(height, 3);
  const context = canvas.getContext('2d');
  if (!context) return;
  context.scale(canvas.width / width, canvas.height / height);
  // Cells that share a pixel add up, each by the part of it that it covers.
  context.globalCompositeOperation = 'lighter';
  for (const { box, score } of patches) {
    context.fillStyle = `rgba(${colourOf(score).join(',')})`;
    context.fillRect(...box);
  }
}

function colourOf(score: number): Colour {
  const position = score * (RAMP.length - 1);
  const index = Math.min(RAMP.length - 2, Math.floor(position));
  const mix = (channel: 0 | 1 | 2 | 3): number => {
    const from = RAMP[index]?.[channel] ?? 0;
    const to = RAMP[index + 1]?.[channel] ?? 0;
    return from + (to - from) * (position - index);
  };
  return [mix(0), mix(1), mix(2), mix(3)];
}
