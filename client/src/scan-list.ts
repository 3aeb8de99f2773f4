// Converts the list of images of a scan to the file that is sent to the service.
import { chunksOf, readImage } from './image.js';

/** An image in the list of a scan: its address, optionally with a reference that the result repeats. */
export type ScanItem = string | URL | { readonly url: string | URL; readonly ref?: string };

/**
 * The list of images of a scan: items, or a JSON lines or CSV file as a path, bytes, a Blob or File or a
 * stream. `s3://bucket/prefix` lists objects of the service's own storage.
 */
export type ScanInput =
  | Iterable<ScanItem>
  | AsyncIterable<ScanItem>
  | AsyncIterable<Uint8Array>
  | ReadableStream<Uint8Array>
  | string
  | URL
  | Blob
  | ArrayBuffer
  | Uint8Array;

/** Number of characters joined into one part of a Blob. A million parts of one line would be slow. */
const PIECE_CHARACTERS = 1_000_000;

/**
 * Returns the list as a file, or the `s3://` address. Rejects with the file system's error if a path can't be
 * read, and with TypeError for other types.
 */
export async function toListFile(input: ScanInput): Promise<Blob | string> {
  if (typeof input === 'string' && /^s3:\/\//i.test(input)) return input;
  if (/^https?:/i.test(typeof input === 'string' || input instanceof URL ? String(input) : ''))
    throw new TypeError('Expected a list; one address is a list of its own: [address]');
  if (typeof input !== 'string' && (typeof input !== 'object' || (input as unknown) === null))
    throw new TypeError('Expected items, or a list as a path, bytes, a Blob or a stream');
  if (typeof input === 'string' || input instanceof URL || input instanceof Blob || isBytes(input)) {
    const read = await readImage(input);
    if (read.kind === 'url') throw new TypeError('Expected a list');
    return read.blob;
  }
  if (Symbol.iterator in input || Symbol.asyncIterator in input) return writeLines(input);
  if ('getReader' in input) return writeLines(chunksOf(input));
  throw new TypeError('Expected items, or a list as a path, bytes, a Blob or a stream');
}

function isBytes(input: unknown): input is ArrayBuffer | Uint8Array {
  return input instanceof ArrayBuffer || ArrayBuffer.isView(input);
}

async function writeLines(
  input: AsyncIterable<ScanItem | Uint8Array> | Iterable<ScanItem | Uint8Array>,
): Promise<Blob> {
  const pieces: BlobPart[] = [];
  let lines = '';
  for await (const item of input) {
    if (item instanceof Uint8Array) pieces.push(new Uint8Array(item));
    else lines += `${JSON.stringify(toLine(item))}\n`;
    if (lines.length < PIECE_CHARACTERS) continue;
    pieces.push(lines);
    lines = '';
  }
  return new Blob([...pieces, lines]);
}

function toLine(item: ScanItem): { url: string; ref?: string } {
  if (typeof item === 'string' || item instanceof URL) return { url: String(item) };
  const { url, ref } = item;
  return { url: String(url), ...(ref !== undefined && { ref }) };
}
