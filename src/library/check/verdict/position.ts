// Describing in words where a face or region is in an image.
import type { Box } from '../../engine/types.js';

/** Share of the image's area from which a box is too large for words such as 'in the upper left'. */
const FILLS_SHARE = 0.5;

/** Returns whether a box covers at least half of the image. */
function fillsImage([, , w, h]: Box, image: { readonly width: number; readonly height: number }): boolean {
  return w * h >= FILLS_SHARE * image.width * image.height;
}

const ROWS = ['upper', 'middle', 'lower'] as const;
const COLUMNS = ['left', 'centre', 'right'] as const;

/** Ninth of the image that contains the middle of a box; `fills` for a box that covers half of the image. */
export type Position = `${(typeof ROWS)[number]}_${(typeof COLUMNS)[number]}` | 'fills';

/** Returns where in the image the middle of a box lies. */
export function positionOf(box: Box, image: { readonly width: number; readonly height: number }): Position {
  const [x, y, w, h] = box;
  if (fillsImage(box, image)) return 'fills';
  return `${thirdOf(y + h / 2, image.height, ROWS)}_${thirdOf(x + w / 2, image.width, COLUMNS)}`;
}

/** Returns words such as 'in the upper left', 'on the right' or 'at the centre'. */
export function wordsOfPosition(position: Position): string {
  if (position === 'fills') return 'that fills the image';
  const [row, column] = position.split('_');
  if (row !== 'middle') return `in the ${row} ${column}`;
  return column === 'centre' ? 'at the centre' : `on the ${column}`;
}

function thirdOf<T>(position: number, length: number, names: readonly [T, T, T]): T {
  if (position < length / 3) return names[0];
  return position < (2 * length) / 3 ? names[1] : names[2];
}
