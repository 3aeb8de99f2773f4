// Reading a list that has one entry per line.
import { lineNotUtf8, lineTooLong, MAX_LINE_BYTES } from './list-fault.js';

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
