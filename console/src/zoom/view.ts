// Calculates which part of a zoomed image is visible. Works with numbers only, independent of the page.

/** Visible part of an image. `scale` 1 shows the whole image; `x` and `y` are the point in the middle, from 0 to 1. */
export interface View {
  readonly scale: number;
  readonly x: number;
  readonly y: number;
}

/** Sizes in CSS pixels of the frame, and of the image in it at scale 1. */
export interface Room {
  readonly pane: Size;
  readonly whole: Size;
}

/** Size in CSS pixels. */
export interface Size {
  readonly width: number;
  readonly height: number;
}

/** Point in CSS pixels, measured from the middle of the frame. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** View that shows the whole image. */
export const WHOLE: View = { scale: 1, x: 0.5, y: 0.5 };
/** Maximum scale. Chosen: single pixels of a 20-megapixel photograph are visible on a desktop screen. */
const MAX_SCALE = 16;

/** Scales by `factor`. The point of the image that is at `at` does not move. */
export function zoom(view: View, room: Room, factor: number, at: Point): View {
  const scale = Math.min(MAX_SCALE, Math.max(1, view.scale * factor));
  const follow = (middle: number, place: number, length: number): number =>
    middle + place / (view.scale * length) - place / (scale * length);
  const { width, height } = room.whole;
  return hold({ scale, x: follow(view.x, at.x, width), y: follow(view.y, at.y, height) }, room);
}

/** Moves the image by `by` (right, down) in CSS pixels. */
export function drag(view: View, room: Room, by: Point): View {
  const { width, height } = room.whole;
  const { scale, x, y } = view;
  return hold({ scale, x: x - by.x / (scale * width), y: y - by.y / (scale * height) }, room);
}

/** Limits the view. A large image leaves no gap in its frame, and a small image stays in the middle. */
function hold({ scale, x, y }: View, { pane, whole }: Room): View {
  const within = (middle: number, shown: number, length: number): number => {
    const half = Math.min(0.5, shown / (2 * scale * length));
    return Math.min(1 - half, Math.max(half, middle));
  };
  return { scale, x: within(x, pane.width, whole.width), y: within(y, pane.height, whole.height) };
}
