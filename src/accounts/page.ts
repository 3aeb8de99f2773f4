// Pages of long lists.

/** Number of rows on a page: more than most accounts need, and only about ten kilobytes. */
export const PAGE_ROWS = 100;

export interface Page<T> {
  readonly rows: readonly T[];
  /** Identifier of the last row, with which the next page is requested; null on the last page. */
  readonly next: string | null;
}

/** Returns a page. `rows` must have up to `size` + 1 rows, of which the last shows that a page follows. */
export function cutPage<T extends { readonly id: string }>(
  rows: readonly T[],
  size: number = PAGE_ROWS,
): Page<T> {
  const pageRows = rows.slice(0, size);
  return { rows: pageRows, next: rows.length > size ? (pageRows.at(-1)?.id ?? null) : null };
}
