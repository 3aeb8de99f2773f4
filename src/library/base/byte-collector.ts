// Puts bytes together as they come: in one piece of memory, or in pieces of one size.

/** Memory to begin with if nobody announced a size; it doubles when it is full. */
const FIRST_BYTES = 65_536;

/**
 * Bytes in a row, copied out of the chunks they came in. A list of chunks would have no bound. Each is a view of a
 * larger network buffer, and a sender can make every one of them a single byte.
 */
export class ByteCollector {
  readonly #limitBytes: number;
  #memory: Buffer;
  #sizeBytes = 0;

  /** Takes at most `limitBytes`; `expectedBytes` is what was announced, true or not, and saves growing. */
  constructor(limitBytes: number, expectedBytes = FIRST_BYTES) {
    this.#limitBytes = limitBytes;
    // Pages that nothing is written to take no memory.
    this.#memory = Buffer.allocUnsafeSlow(Math.max(0, Math.min(limitBytes, expectedBytes)));
  }

  /** Bytes so far. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Adds a chunk; false, and nothing is added, if it would pass the limit. */
  append(chunk: Uint8Array): boolean {
    if (!this.#makeRoom(chunk.byteLength)) return false;
    this.#memory.set(chunk, this.#sizeBytes);
    this.#sizeBytes += chunk.byteLength;
    return true;
  }

  /** Adds what valid base64 in whole groups of four stands for; false if it would pass the limit. */
  appendBase64(text: string): boolean {
    if (!this.#makeRoom(Buffer.byteLength(text, 'base64'))) return false;
    this.#sizeBytes += this.#memory.write(text, this.#sizeBytes, 'base64');
    return true;
  }

  /** The bytes so far, not copied. */
  view(): Buffer {
    return this.#memory.subarray(0, this.#sizeBytes);
  }

  #makeRoom(addedBytes: number): boolean {
    const neededBytes = this.#sizeBytes + addedBytes;
    if (neededBytes > this.#limitBytes) return false;
    if (neededBytes > this.#memory.byteLength) {
      const doubled = Math.max(neededBytes, 2 * this.#memory.byteLength, FIRST_BYTES);
      const larger = Buffer.allocUnsafeSlow(Math.min(this.#limitBytes, doubled));
      larger.set(this.view());
      this.#memory = larger;
    }
    return true;
  }
}

/** Bytes that are handed over at once. Chosen: what Node reads from a socket at once. */
const PIECE_BYTES = 65_536;

/** Hands bytes on in pieces of one size, copied: a reader may keep views of what it is given. */
export class PieceCollector {
  readonly #take: (piece: Buffer) => void;
  #piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
  #filledBytes = 0;

  constructor(take: (piece: Buffer) => void) {
    this.#take = take;
  }

  /** Takes the next chunk. */
  append(chunk: Buffer): void {
    let rest = chunk;
    while (rest.byteLength > 0) {
      const copied = rest.copy(this.#piece, this.#filledBytes);
      this.#filledBytes += copied;
      rest = rest.subarray(copied);
      if (this.#filledBytes === PIECE_BYTES) this.flush();
    }
  }

  /** Hands over what is left. */
  flush(): void {
    this.#take(this.#piece.subarray(0, this.#filledBytes));
    this.#piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
    this.#filledBytes = 0;
  }
}
