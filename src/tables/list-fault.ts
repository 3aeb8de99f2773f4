// Errors of a list as a whole. They stop the list, while an error of an item stops only that item.

/** Error of an unreadable list. The message names the line, for the author of the list. */
export class ListFault extends Error {
  override readonly name = 'ListFault';
}

/** Maximum bytes of a line. Chosen: an address has at most 8,192 characters, and rows have further columns. */
export const MAX_LINE_BYTES = 65_536;

/** Returns the error of a line above MAX_LINE_BYTES. */
export function lineTooLong(line: number): ListFault {
  return new ListFault(`line ${line} of the list has more than ${MAX_LINE_BYTES} bytes`);
}

/** Returns the error of a line that is not UTF-8. */
export function lineNotUtf8(line: number): ListFault {
  return new ListFault(`line ${line} of the list is not UTF-8`);
}
