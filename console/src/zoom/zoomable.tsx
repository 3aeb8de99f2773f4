// An image that can be zoomed. If it is shown in several frames, they move together.
import type { ComponentChildren, JSX, RefObject } from 'preact';
import { useRef, useState } from 'preact/hooks';
import { useShortcuts } from '../shortcuts.js';
import { useGestures } from './gestures.js';
import { drag, WHOLE, zoom, type Point, type Room, type View } from './view.js';

/** Factor by which one key press or button zooms. Chosen: two presses double the size. */
const STEP = Math.SQRT2;
/** Share of the frame by which an arrow key moves the image. */
const STRIDE = 0.2;

const ARROWS: Readonly<Record<string, Point>> = {
  ArrowLeft: { x: 1, y: 0 },
  ArrowRight: { x: -1, y: 0 },
  ArrowUp: { x: 0, y: 1 },
  ArrowDown: { x: 0, y: -1 },
};

/** Zoom keys and what they do, for the list of shortcut keys. */
export const ZOOM_KEYS: Readonly<Record<string, string>> = {
  '+': 'larger',
  '-': 'smaller',
  0: 'the whole image',
  'arrow keys': 'move the focused image',
};

/**
 * Draws one or more frames. `ratio` is the image's width divided by its height, null if unknown; `panes` are the
 * contents of the frames; `children` lie over all frames.
 */
export function Zoomable(props: {
  name: string;
  ratio: number | null;
  panes: readonly ComponentChildren[];
  children?: ComponentChildren;
}): JSX.Element {
  const { name, ratio, panes, children } = props;
  const box = useRef<HTMLDivElement>(null);
  const { view, isZoomed, change, larger, smaller, showWhole } = useView(box, ratio);
  const press = (event: KeyboardEvent): void => {
    const direction = ARROWS[event.key];
    if (!direction || !isZoomed) return;
    event.preventDefault();
    change((shown, room) =>
      drag(shown, room, {
        x: direction.x * STRIDE * room.pane.width,
        y: direction.y * STRIDE * room.pane.height,
      }),
    );
  };
  const place = {
    ...(ratio !== null && { '--ratio': String(ratio) }),
    '--scale': String(view.scale),
    '--x': `${-100 * view.x}%`,
    '--y': `${-100 * view.y}%`,
  };
  return (
    <div class={`zoomable${isZoomed ? ' zoomed' : ''}`} style={place}>
      <div
        ref={box}
        class="panes"
        role="group"
        aria-label={`${name}: + and - change its size, arrow keys move it`}
        tabIndex={0}
        onKeyDown={press}
      >
        {panes.map((pane, index) => (
          <div key={index} class="pane">
            <div class="frame">{pane}</div>
          </div>
        ))}
      </div>
      {children}
      <div class="zoom-buttons">
        <button type="button" aria-label="Larger" onClick={larger}>
          +
        </button>
        <button type="button" aria-label="Smaller" disabled={!isZoomed} onClick={smaller}>
          −
        </button>
        <button type="button" disabled={!isZoomed} onClick={showWhole}>
          Whole
        </button>
      </div>
    </div>
  );
}

/** Returns the visible part of the image in `box`, and functions that change it. Handles keys and gestures. */
function useView(
  box: RefObject<HTMLDivElement | null>,
  ratio: number | null,
): {
  view: View;
  isZoomed: boolean;
  change: (by: (view: View, room: Room) => View) => void;
  larger: () => void;
  smaller: () => void;
  showWhole: () => void;
} {
  const [view, setView] = useState(WHOLE);
  const change = (by: (view: View, room: Room) => View): void =>
    setView((shown) => {
      const room = box.current && ratio !== null ? measure(box.current, ratio) : null;
      return room ? by(shown, room) : shown;
    });
  const step = (factor: number): void => change((shown, room) => zoom(shown, room, factor, { x: 0, y: 0 }));
  const showWhole = (): void => setView(WHOLE);
  const isZoomed = view.scale > 1;
  useGestures(box, {
    isZoomed,
    zoom: (factor, at) => change((shown, room) => zoom(shown, room, factor, placeIn(box.current, at))),
    drag: (by) => change((shown, room) => drag(shown, room, by)),
  });
  const larger = (): void => step(STEP);
  const smaller = (): void => step(1 / STEP);
  useShortcuts({ '+': larger, '=': larger, '-': smaller, 0: showWhole });
  return { view, isZoomed, change, larger, smaller, showWhole };
}

/** Measures the frame and the image in it. Returns null before they are first drawn. */
function measure(box: HTMLElement, ratio: number): Room | null {
  const pane = box.querySelector('.pane')?.getBoundingClientRect();
  if (!pane?.width || !pane.height) return null;
  const width = Math.min(pane.width, pane.height * ratio);
  return { pane, whole: { width, height: width / ratio } };
}

/** Converts a point of the window to a point measured from the middle of the frame that contains it. */
function placeIn(box: HTMLElement | null, { x, y }: Point): Point {
  const panes = [...(box?.querySelectorAll('.pane') ?? [])].map((pane) => pane.getBoundingClientRect());
  const pane = panes.find(({ left, right, top, bottom }) => x >= left && x < right && y >= top && y < bottom);
  if (!pane) return { x: 0, y: 0 };
  return { x: x - pane.left - pane.width / 2, y: y - pane.top - pane.height / 2 };
}
