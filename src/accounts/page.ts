// Pages of long lists: so many rows, and the identifier to ask for the next ones by.

/** Rows of a page. Chosen: more than most accounts have, and a few dozen kB. */
export const PAGE_ROWS = 100;

/** One page. */
export interface Page<T> {
  readonly rows: readonly T[];
  /** The last row's identifier, to ask for what follows; null at the end. */
  readonly next: string | null;
}

/** The page of rows that were asked for with a limit of one more than a page has. */
export function cutPage<T extends { readonly id: string }>(
  rows: readonly T[],
  size: number = PAGE_ROWS,
): Page<T> {
  const shown = rows.slice(0, size);
  return { rows: shown, next: rows.length > size ? (shown.at(-1)?.id ?? null) : null };
}
