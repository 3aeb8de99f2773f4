// A form's body as a stream of its own, so that the parser of forms never holds the connection.
import type { IncomingHttpHeaders } from 'node:http';
import { Readable } from 'node:stream';

/** Bytes that are handed over at once. Chosen: what Node reads from a socket at once. */
const PIECE_BYTES = 65_536;

/**
 * What the parser takes for the request: its headers, and its body in pieces of one size. The parser keeps views of what
 * it is given, and a sender can make every chunk a single byte.
 */
export class FormBody extends Readable {
  readonly headers: IncomingHttpHeaders;
  #piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
  #filledBytes = 0;

  constructor(headers: IncomingHttpHeaders) {
    super();
    this.headers = headers;
  }

  /** Takes the next chunk, by copy. */
  append(chunk: Buffer): void {
    let rest = chunk;
    while (rest.byteLength > 0) {
      const copied = rest.copy(this.#piece, this.#filledBytes);
      this.#filledBytes += copied;
      rest = rest.subarray(copied);
      if (this.#filledBytes === PIECE_BYTES) this.#flush();
    }
  }

  /** Ends the body. */
  finish(): void {
    this.#flush();
    this.push(null);
  }

  /** Chunks come by `append`. */
  override _read(): void {
    return;
  }

  #flush(): void {
    this.push(this.#piece.subarray(0, this.#filledBytes));
    this.#piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
    this.#filledBytes = 0;
  }
}
