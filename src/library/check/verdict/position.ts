// Where in the image a face or another part is, in words.
import type { Box } from '../../engine/types.js';

/** From this share of the image's area on, a place would be no help. Chosen. */
const FILLS_SHARE = 0.5;

/** Whether a box takes half of the image. */
function fillsImage([, , w, h]: Box, image: { readonly width: number; readonly height: number }): boolean {
  return w * h >= FILLS_SHARE * image.width * image.height;
}

const ROWS = ['upper', 'middle', 'lower'] as const;
const COLUMNS = ['left', 'centre', 'right'] as const;

/** By the third of the image that the box's middle is in; `fills` for a box of half of the image or more. */
export type Position = `${(typeof ROWS)[number]}_${(typeof COLUMNS)[number]}` | 'fills';

/** Where a box is. */
export function positionOf(box: Box, image: { readonly width: number; readonly height: number }): Position {
  const [x, y, w, h] = box;
  if (fillsImage(box, image)) return 'fills';
  return `${thirdOf(y + h / 2, image.height, ROWS)}_${thirdOf(x + w / 2, image.width, COLUMNS)}`;
}

/** 'in the upper left', 'on the right', 'at the centre' ... */
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
