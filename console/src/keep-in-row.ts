// Scrolls rows that are wider than the page, such as a list of small images.

/** Width in pixels over which the end of a row fades out. The style sheet has the same value. */
const FADE_PX = 48;

/** Scrolls the row until the element is fully visible. The page itself does not scroll. */
export function keepInRow(element: Element | null | undefined): void {
  const row = element?.parentElement;
  if (!element || !row) return;
  const [inner, outer] = [element.getBoundingClientRect(), row.getBoundingClientRect()];
  if (inner.left < outer.left + FADE_PX) row.scrollLeft -= outer.left + FADE_PX - inner.left;
  else if (inner.right > outer.right - FADE_PX) row.scrollLeft += inner.right - outer.right + FADE_PX;
}

/** Fades out the ends of `row` behind which there is more content. Returns a function that stops this. */
export function fadeEnds(row: HTMLElement): () => void {
  const updateFades = (): void => {
    row.classList.toggle('more-before', row.scrollLeft > 1);
    row.classList.toggle('more-after', row.scrollLeft + row.clientWidth < row.scrollWidth - 1);
  };
  const observer = new ResizeObserver(updateFades);
  observer.observe(row);
  row.addEventListener('scroll', updateFades);
  return () => {
    observer.disconnect();
    row.removeEventListener('scroll', updateFades);
  };
}
