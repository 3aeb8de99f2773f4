// Reading lists that have one entry per line, in UTF-8 or UTF-16.
/** A line of a list. */
interface Line {
  /** Number of the line, from 1. */
  readonly number: number;
  /** Text of the line, without spaces around it; never empty. */
  readonly text: string;
}

/** Yields all lines that are not empty. Throws ListFault for a line that is not UTF-8 or too long. */
export async function* readLines(source: AsyncIterable<Buffer>): AsyncGenerator<Line> {
  const decoder = new TextDecoder('utf-8', { fatal: true });
  let rest: Buffer = Buffer.alloc(0);
  let number = 0;
  const read = (bytes: Buffer): string => {
    number += 1;
    if (bytes.byteLength > MAX_LINE_BYTES) throw lineTooLong(number);
    try {
      return decoder.decode(bytes).trim();
    } catch {
      throw lineNotUtf8(number);
    }
  };
  for await (const chunk of source) {
    rest = rest.byteLength === 0 ? chunk : Buffer.concat([rest, chunk]);
    let from = 0;
    for (let end = rest.indexOf(10); end !== -1; end = rest.indexOf(10, from)) {
      const text = read(rest.subarray(from, end));
      from = end + 1;
      if (text !== '') yield { number, text };
    }
    rest = rest.subarray(from);
    if (rest.byteLength > MAX_LINE_BYTES) throw lineTooLong(number + 1);
  }
  const text = rest.byteLength > 0 ? read(rest) : '';
  if (text !== '') yield { number, text };
}

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

/** Number of bytes of the longest byte order mark. */
const MARK_BYTES = 3;

/**
 * Yields the bytes of `source` as UTF-8 without a byte order mark. Recognises UTF-16 by its mark or by an
 * ASCII character at the beginning. Throws ListFault for invalid UTF-16, and for binary files, which contain
 * zero bytes.
 */
export async function* asUtf8(source: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let head: Buffer = Buffer.alloc(0);
  let encode: Encode | null = null;
  for await (const chunk of source) {
    if (encode !== null) {
      yield encode(chunk, { isLast: false });
      continue;
    }
    head = Buffer.concat([head, chunk]);
    if (head.byteLength < MARK_BYTES) continue;
    encode = encoderOf(head);
    yield encode(head, { isLast: false });
  }
  // If the whole list is shorter than a byte order mark, `head` still contains it.
  yield encode === null ? encoderOf(head)(head, { isLast: true }) : encode(Buffer.alloc(0), { isLast: true });
}

type Encode = (chunk: Buffer, options: { readonly isLast: boolean }) => Buffer;

function encoderOf(head: Buffer): Encode {
  const encoding = encodingOf(head);
  if (encoding === null) return withoutMark();
  const decoder = new TextDecoder(encoding, { fatal: true });
  return (chunk, { isLast }) => {
    try {
      return Buffer.from(decoder.decode(chunk, { stream: !isLast }));
    } catch {
      throw new ListFault('The list begins as UTF-16 but is not valid UTF-16. Save it as UTF-8.');
    }
  };
}

function encodingOf(head: Buffer): 'utf-16le' | 'utf-16be' | null {
  const [first, second] = head;
  if (first === 0xff && second === 0xfe) return 'utf-16le';
  if (first === 0xfe && second === 0xff) return 'utf-16be';
  if (second === 0 && first !== 0 && first !== undefined) return 'utf-16le';
  return first === 0 && second !== undefined && second !== 0 ? 'utf-16be' : null;
}

function withoutMark(): (chunk: Buffer) => Buffer {
  let isFirst = true;
  return (chunk) => {
    if (chunk.includes(0))
      throw new ListFault('The list is a binary file, not text. Save a spreadsheet as CSV in UTF-8.');
    const hasMark = isFirst && chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf;
    isFirst = false;
    return hasMark ? chunk.subarray(MARK_BYTES) : chunk;
  };
}
