// Errors that make a whole list of images unreadable. An error of one image affects only that image.

/** Error of a list that can't be read. The message names the line, for the list's author. */
export class ListFault extends Error {
  override readonly name = 'ListFault';
}

/** Maximum bytes of a line. An address has at most 8,192 characters, and a row has further columns. */
export const MAX_LINE_BYTES = 65_536;

/** Returns the error for a line that is longer than MAX_LINE_BYTES. */
export function lineTooLong(line: number): ListFault {
  return new ListFault(`line ${line} of the list has more than ${MAX_LINE_BYTES} bytes`);
}

/** Returns the error for a line that is not UTF-8. */
export function lineNotUtf8(line: number): ListFault {
  return new ListFault(`line ${line} of the list is not UTF-8`);
}
