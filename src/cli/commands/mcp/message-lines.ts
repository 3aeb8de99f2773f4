// Splitting an assistant's input into messages, one per line. A line that is too long gets an error.
import { Transform, type TransformCallback, type Writable } from 'node:stream';
import { MAX_IMAGE_BYTES, MAX_IMAGE_MB } from 'telltale-engine/internal/base/limits.js';

/** Maximum bytes of a message: the largest image in base64, and room for other fields. */
export const MAX_MESSAGE_BYTES = Math.ceil(MAX_IMAGE_BYTES / 3) * 4 + 65_536;
/**
 * Number of bytes to store from the beginning and from the end of an oversized message. One of both parts has
 * the message's identifier.
 */
const EXCERPT_BYTES = 1024;
/** JSON-RPC error code of an invalid request. Source: JSON-RPC 2.0, section 5.1. */
const INVALID_REQUEST = -32_600;
const NEWLINE = 0x0a;

/**
 * Emits each line in one piece, because the protocol's library copies all pieces whenever one arrives. Skips
 * a line above `MAX_MESSAGE_BYTES`, responds to it on `output` and continues with the next line.
 */
export class MessageLines extends Transform {
  readonly #output: Writable;
  #pieces: Buffer[] = [];
  #bytes = 0;
  /** Beginning of an oversized line, or null. */
  #head: Buffer | null = null;

  constructor(output: Writable) {
    super();
    this.#output = output;
  }

  override _transform(chunk: Buffer, _encoding: BufferEncoding, done: TransformCallback): void {
    let rest = chunk;
    for (let end = rest.indexOf(NEWLINE); end >= 0; end = rest.indexOf(NEWLINE)) {
      this.#take(rest.subarray(0, end + 1));
      this.#endLine();
      rest = rest.subarray(end + 1);
    }
    if (rest.byteLength > 0) this.#take(rest);
    done();
  }

  #take(piece: Buffer): void {
    this.#bytes += piece.byteLength;
    this.#pieces.push(piece);
    if (this.#bytes <= MAX_MESSAGE_BYTES) return;
    this.#head ??= Buffer.concat(this.#pieces).subarray(0, EXCERPT_BYTES);
    this.#pieces = [Buffer.concat(this.#pieces.slice(-2)).subarray(-EXCERPT_BYTES)];
  }

  #endLine(): void {
    const line = Buffer.concat(this.#pieces);
    if (this.#head === null) this.push(line);
    else this.#refuse(idOf(this.#head.toString('utf8')) ?? idOf(line.toString('utf8')));
    this.#pieces = [];
    this.#bytes = 0;
    this.#head = null;
  }

  #refuse(id: string | number | null): void {
    const message =
      `the message has more than ${MAX_MESSAGE_BYTES} bytes, and an image may have ${MAX_IMAGE_MB} MB ` +
      '(image_too_large): name a file by its path';
    const error = { code: INVALID_REQUEST, message };
    this.#output.write(`${JSON.stringify({ jsonrpc: '2.0', id, error })}\n`);
  }
}

/** Returns the identifier at the beginning or the end of a message, or null. */
function idOf(excerpt: string): string | number | null {
  const id = /^\{(?:"jsonrpc":"2\.0",)?"id":(\d+|"[^"\\]*")|,"id":(\d+|"[^"\\]*")\}\s*$/.exec(excerpt);
  return id === null ? null : (JSON.parse(id[1] ?? id[2] ?? 'null') as string | number);
}
