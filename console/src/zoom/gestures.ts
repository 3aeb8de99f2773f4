// Handles gestures on an image: wheel, dragging with the mouse, one finger or two.
import type { RefObject } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { Point } from './view.js';

/** Functions that gestures call. Positions are in pixels of the window. */
export interface GestureHandlers {
  /** True if the image is larger than its frame. One finger then moves the image instead of the page. */
  readonly isZoomed: boolean;
  readonly zoom: (factor: number, at: Point) => void;
  readonly drag: (by: Point) => void;
}

/** Number of times that the size doubles per wheel pixel. Chosen: three steps of a common wheel double it once. */
const DOUBLINGS_A_PIXEL = 1 / 300;
/** Number of pixels that a line counts, for wheels that report lines. */
const LINE_PX = 16;

/** Handles gestures on `target` while the component is shown. */
export function useGestures(target: RefObject<HTMLElement | null>, handlers: GestureHandlers): void {
  const current = useRef(handlers);
  current.current = handlers;
  useEffect(() => {
    const element = target.current;
    if (!element) return undefined;
    const ends = [
      listenToWheel(element, () => current.current),
      listenToMouse(element, () => current.current),
      listenToFingers(element, () => current.current),
    ];
    return () => ends.forEach((end) => end());
  }, []);
}

type Read = () => GestureHandlers;

/** Zooms if the image is focused or zoomed, or the page is at its top. Otherwise the page scrolls. */
function listenToWheel(element: HTMLElement, read: Read): () => void {
  const zoomByWheel = (event: WheelEvent): void => {
    const { isZoomed, zoom } = read();
    const isMeant =
      event.ctrlKey ||
      isZoomed ||
      (event.deltaY < 0 && (element.contains(document.activeElement) || window.scrollY === 0));
    if (!isMeant) return;
    event.preventDefault();
    const pixels = event.deltaMode === WheelEvent.DOM_DELTA_PIXEL ? event.deltaY : event.deltaY * LINE_PX;
    zoom(2 ** (-pixels * DOUBLINGS_A_PIXEL), { x: event.clientX, y: event.clientY });
  };
  element.addEventListener('wheel', zoomByWheel, { passive: false });
  return () => element.removeEventListener('wheel', zoomByWheel);
}

/** Moves the image while the main mouse button is pressed, even outside the frame. */
function listenToMouse(element: HTMLElement, read: Read): () => void {
  let last: Point | null = null;
  const press = (event: PointerEvent): void => {
    if (event.pointerType === 'touch' || event.button !== 0) return;
    last = placeOf(event);
    element.setPointerCapture(event.pointerId);
  };
  const move = (event: PointerEvent): void => {
    if (last === null) return;
    const next = placeOf(event);
    read().drag({ x: next.x - last.x, y: next.y - last.y });
    last = next;
  };
  const release = (): void => {
    last = null;
  };
  element.addEventListener('pointerdown', press);
  element.addEventListener('pointermove', move);
  element.addEventListener('pointerup', release);
  element.addEventListener('pointercancel', release);
  return () => {
    element.removeEventListener('pointerdown', press);
    element.removeEventListener('pointermove', move);
    element.removeEventListener('pointerup', release);
    element.removeEventListener('pointercancel', release);
  };
}

/** Zooms and moves with two fingers. One finger moves a zoomed image, otherwise the page scrolls. */
function listenToFingers(element: HTMLElement, read: Read): () => void {
  let last: readonly Point[] = [];
  const put = (event: TouchEvent): void => {
    last = [...event.touches].map(placeOf);
  };
  const move = (event: TouchEvent): void => {
    const next = [...event.touches].map(placeOf);
    const { isZoomed, zoom, drag } = read();
    if (next.length !== last.length || (next.length === 1 && !isZoomed)) return;
    event.preventDefault();
    const from = middleOf(last);
    const to = middleOf(next);
    drag({ x: to.x - from.x, y: to.y - from.y });
    if (next.length > 1) zoom(spreadOf(next) / Math.max(1, spreadOf(last)), to);
    last = next;
  };
  element.addEventListener('touchstart', put, { passive: true });
  element.addEventListener('touchmove', move, { passive: false });
  element.addEventListener('touchend', put);
  element.addEventListener('touchcancel', put);
  return () => {
    element.removeEventListener('touchstart', put);
    element.removeEventListener('touchmove', move);
    element.removeEventListener('touchend', put);
    element.removeEventListener('touchcancel', put);
  };
}

function placeOf({ clientX: x, clientY: y }: { readonly clientX: number; readonly clientY: number }): Point {
  return { x, y };
}

function middleOf([first, second]: readonly Point[]): Point {
  const firstPoint = first ?? { x: 0, y: 0 };
  const secondPoint = second ?? firstPoint;
  return { x: (firstPoint.x + secondPoint.x) / 2, y: (firstPoint.y + secondPoint.y) / 2 };
}

function spreadOf([first, second]: readonly Point[]): number {
  return first && second ? Math.hypot(first.x - second.x, first.y - second.y) : 0;
}
