// Collecting bytes while they arrive: in one piece of memory, or in pieces of equal size.

/** Initial memory in bytes if no size was announced; it doubles when it is full. */
const FIRST_BYTES = 65_536;

/**
 * Collects bytes in one piece of memory. A list of chunks would be unbounded, because each chunk is a view of a larger
 * network buffer and a sender can make every chunk a single byte.
 */
export class ByteCollector {
  readonly #limitBytes: number;
  #memory: Buffer;
  #sizeBytes = 0;

  /** Accepts at most `limitBytes`. `expectedBytes` is the announced size, which saves growing but need not be true. */
  constructor(limitBytes: number, expectedBytes = FIRST_BYTES) {
    this.#limitBytes = limitBytes;
    // Unwritten pages take no memory.
    this.#memory = Buffer.allocUnsafeSlow(Math.max(0, Math.min(limitBytes, expectedBytes)));
  }

  /** Number of bytes so far. */
  get sizeBytes(): number {
    return this.#sizeBytes;
  }

  /** Adds a chunk. Returns false without adding it if it would exceed the limit. */
  append(chunk: Uint8Array): boolean {
    if (!this.#makeRoom(chunk.byteLength)) return false;
    this.#memory.set(chunk, this.#sizeBytes);
    this.#sizeBytes += chunk.byteLength;
    return true;
  }

  /** Adds the bytes of valid base64 in groups of four. Returns false if they would exceed the limit. */
  appendBase64(text: string): boolean {
    if (!this.#makeRoom(Buffer.byteLength(text, 'base64'))) return false;
    this.#sizeBytes += this.#memory.write(text, this.#sizeBytes, 'base64');
    return true;
  }

  /** Returns the bytes so far without copying them. */
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

/** Bytes per piece. Chosen: Node reads as many from a socket at once. */
const PIECE_BYTES = 65_536;

/** Passes bytes on in copied pieces of equal size, because a reader may keep views of them. */
export class PieceCollector {
  readonly #take: (piece: Buffer) => void;
  #piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
  #filledBytes = 0;

  constructor(take: (piece: Buffer) => void) {
    this.#take = take;
  }

  /** Adds the next chunk. */
  append(chunk: Buffer): void {
    let rest = chunk;
    while (rest.byteLength > 0) {
      const copied = rest.copy(this.#piece, this.#filledBytes);
      this.#filledBytes += copied;
      rest = rest.subarray(copied);
      if (this.#filledBytes === PIECE_BYTES) this.flush();
    }
  }

  /** Passes on the remaining bytes. */
  flush(): void {
    this.#take(this.#piece.subarray(0, this.#filledBytes));
    this.#piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
    this.#filledBytes = 0;
  }
}
