// The part of a heat map that people see, the same on every surface.
import type { Signal } from './types.js';

/**
 * Scores at both ends of the scale, the same for all images. Among cells of genuine validation images, 7% score above
 * `low`. The engine draws annotated images with the same scale.
 */
export const HEAT_SCALE = { low: 0.6, high: 1 } as const;

/** Returns the cells to show: none unless the score of the whole image flags it, because cells explain that score. */
export function selectHeat<Cell extends { readonly score: number }>(
  fired: readonly Signal[],
  cells: readonly Cell[],
): readonly Cell[] {
  return fired.includes('full_image_specialist') && cells.some(({ score }) => score > HEAT_SCALE.low)
    ? cells
    : [];
}
