// Rows that are wider than the page and scroll by themselves.

/** Scrolls the row that `element` stands in until all of it is seen; the page stays where it is. */
export function keepInRow(element: Element | null | undefined): void {
  const row = element?.parentElement;
  if (!element || !row) return;
  const [inner, outer] = [element.getBoundingClientRect(), row.getBoundingClientRect()];
  if (inner.left < outer.left) row.scrollLeft -= outer.left - inner.left;
  else if (inner.right > outer.right) row.scrollLeft += inner.right - outer.right;
}
