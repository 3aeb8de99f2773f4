// Where in the image a face or another part is, in words.
import type { Box } from '../../engine/types.js';

/** From this share of the image's area on, a place would be no help. Chosen. */
const FILLS_SHARE = 0.5;

/** Whether a box takes half of the image. */
export function fillsImage(
  [, , w, h]: Box,
  image: { readonly width: number; readonly height: number },
): boolean {
  return w * h >= FILLS_SHARE * image.width * image.height;
}

/** 'in the upper left', 'on the right', 'at the centre' ... by the third of the image that the box's middle is in. */
export function describePosition(
  box: Box,
  image: { readonly width: number; readonly height: number },
): string {
  const [x, y, w, h] = box;
  if (fillsImage(box, image)) return 'that fills the image';
  const column = thirdOf(x + w / 2, image.width, ['left', 'centre', 'right'] as const);
  const row = thirdOf(y + h / 2, image.height, ['upper', 'middle', 'lower'] as const);
  if (row !== 'middle') return column === 'centre' ? `in the ${row} centre` : `in the ${row} ${column}`;
  return column === 'centre' ? 'at the centre' : `on the ${column}`;
}

function thirdOf<T>(position: number, length: number, names: readonly [T, T, T]): T {
  if (position < length / 3) return names[0];
  return position < (2 * length) / 3 ? names[1] : names[2];
}
