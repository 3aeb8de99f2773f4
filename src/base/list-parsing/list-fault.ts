// What is wrong with a list as a whole.

/** A list that can't be read; its message names the line and is written for whoever made the list. */
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
