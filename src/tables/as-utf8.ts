// Converting a list of images to UTF-8, because spreadsheets and PowerShell write UTF-16.
import { ListFault } from './list-fault.js';

/** Number of bytes of the longest byte order mark. */
const MARK_BYTES = 3;

/**
 * Yields the bytes of `source` as UTF-8 without a byte order mark. Recognises UTF-16 by its mark or by an
 * ASCII character at the beginning. Passes other bytes on unchanged. Throws ListFault for invalid UTF-16.
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
    const hasMark = isFirst && chunk[0] === 0xef && chunk[1] === 0xbb && chunk[2] === 0xbf;
    isFirst = false;
    return hasMark ? chunk.subarray(MARK_BYTES) : chunk;
  };
}
