// Faults of a list as a whole: they stop all of it, while an item's fault stops that item alone.

/** A list that can't be read; its message names the line and is written for the author of the list. */
export class ListFault extends Error {
  override readonly name = 'ListFault';
}

/** Longest line of a list. Chosen: an address has at most 8192 characters, and a row other columns. */
export const MAX_LINE_BYTES = 65_536;

/** The fault of a line that is too long. */
export function lineTooLong(line: number): ListFault {
  return new ListFault(`line ${line} of the list has more than ${MAX_LINE_BYTES} bytes`);
}

/** The fault of a line that is no text. */
export function lineNotUtf8(line: number): ListFault {
  return new ListFault(`line ${line} of the list is not UTF-8`);
}
