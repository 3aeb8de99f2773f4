// Pages of long lists.

/** Number of rows on a page: more than most accounts have, and only some ten kilobytes. */
export const PAGE_ROWS = 100;

export interface Page<T> {
  readonly rows: readonly T[];
  /** Identifier of the last row, with which the next page is requested; null on the last page. */
  readonly next: string | null;
}

/** Returns a page. Requires one row more than `size`, if there is one, so that the next page is noticed. */
export function cutPage<T extends { readonly id: string }>(
  rows: readonly T[],
  size: number = PAGE_ROWS,
): Page<T> {
  const shown = rows.slice(0, size);
  return { rows: shown, next: rows.length > size ? (shown.at(-1)?.id ?? null) : null };
}
