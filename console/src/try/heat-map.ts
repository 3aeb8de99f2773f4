// Draws the heat map over an image, with about one pixel per cell. The browser enlarges and smooths it.
import type { Details } from '../../../src/library/check/details-schema.js';
import { HEAT_SCALE, selectHeat } from '../../../src/library/check/heat-map.js';
import type { CheckResult } from '../../../src/library/check/result-schema.js';

type Patches = NonNullable<Details['heatmap']>['patches'];
type Colour = readonly [red: number, green: number, blue: number, alpha: number];

/** Colours of the scale in equal steps, from the lowest to the highest score. */
const RAMP: readonly Colour[] = [
  [252, 212, 84, 0],
  [246, 150, 60, 0.5],
  [214, 30, 60, 0.9],
];

/** CSS background for the scale in the legend. */
export const SCALE_BACKGROUND = `linear-gradient(90deg, ${RAMP.map((colour) => `rgba(${colour.join(',')})`).join(',')})`;

/** Returns the cells to draw. */
export function cellsOf({ fired, details }: Pick<CheckResult, 'fired' | 'details'>): Patches {
  return selectHeat(fired, details?.heatmap?.patches ?? []);
}

/**
 * Draws the heat map on `canvas` and sets the canvas's size. `width` and `height` are the size of the image in which
 * the boxes of the cells are measured.
 */
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
  // Adds up the cells that share a pixel, weighted by the area that they cover.
  context.globalCompositeOperation = 'lighter';
  for (const { box, score } of patches) {
    context.fillStyle = `rgba(${colourOf((score - HEAT_SCALE.low) / (HEAT_SCALE.high - HEAT_SCALE.low)).join(',')})`;
    context.fillRect(...box);
  }
}

/** Returns the colour at `part` of the scale; transparent at 0 and below. */
function colourOf(part: number): Colour {
  const position = Math.max(0, part) * (RAMP.length - 1);
  const index = Math.min(RAMP.length - 2, Math.floor(position));
  const mix = (channel: 0 | 1 | 2 | 3): number => {
    const from = RAMP[index]?.[channel] ?? 0;
    const to = RAMP[index + 1]?.[channel] ?? 0;
    return from + (to - from) * (position - index);
  };
  return [mix(0), mix(1), mix(2), mix(3)];
}
