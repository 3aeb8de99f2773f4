// How an image is looked at: how large, and which of its points stands in the middle. Plain numbers, no page.

/** `scale`: 1 shows the whole. `x`, `y`: the point in the middle, each 0..1 of the image. */
export interface View {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

/** Pixels of the page: the pane, and the image in it at scale 1. */
export interface Room {
  readonly pane: Size;
  readonly whole: Size;
}

/** Pixels of the page. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Pixels of the page; a place is counted from the middle of the pane. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The whole image. */
export const WHOLE: View = { scale: 1, x: 0.5, y: 0.5 };
/** Chosen: the pixels of a photograph of 20 megapixels can be counted in a pane of a desk. */
const MAX_SCALE = 16;

/** `factor` times as large, while the point of the image at `at` stays where it is. */
export function zoom(view: View, room: Room, factor: number, at: Point): View {
  const scale = Math.min(MAX_SCALE, Math.max(1, view.scale * factor));
  const follow = (middle: number, place: number, length: number): number =>
    middle + place / (view.scale * length) - place / (scale * length);
  const { width, height } = room.whole;
  return hold({ scale, x: follow(view.x, at.x, width), y: follow(view.y, at.y, height) }, room);
}

/** The image follows the hand: `by` to the right and down. */
export function drag(view: View, room: Room, by: Point): View {
  const { width, height } = room.whole;
  const { scale, x, y } = view;
  return hold({ scale, x: x - by.x / (scale * width), y: y - by.y / (scale * height) }, room);
}

/** No gap shows beside an image that is larger than the pane; a smaller one stays in the middle. */
function hold({ scale, x, y }: View, { pane, whole }: Room): View {
  const within = (middle: number, shown: number, length: number): number => {
    const half = Math.min(0.5, shown / (2 * scale * length));
    return Math.min(1 - half, Math.max(half, middle));
  };
  return { scale, x: within(x, pane.width, whole.width), y: within(y, pane.height, whole.height) };
}
