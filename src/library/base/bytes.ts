// Collecting bytes that arrive in chunks, such as a request body, and hashing bytes in pieces.
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';

/** Initial size of the buffer in bytes if the sender announced no size. A full buffer doubles. */
const FIRST_BYTES = 65_536;

/**
 * Collects bytes in one buffer. A list of the received chunks would take unbounded memory, because a chunk of
 * a single byte can hold a whole network buffer in memory.
 */
export class ByteCollector {
  readonly #limitBytes: number;
  #memory: Buffer;
  #sizeBytes = 0;

  /**
   * Accepts at most `limitBytes`. `expectedBytes` is the size that the sender announced, which may be wrong.
   * If it is right, the buffer never has to grow.
   */
  constructor(limitBytes: number, expectedBytes = FIRST_BYTES) {
    this.#limitBytes = limitBytes;
    // Memory that was never written takes no RAM, so a large announced size is harmless.
    this.#memory = Buffer.allocUnsafeSlow(Math.max(0, Math.min(limitBytes, expectedBytes)));
  }

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

  /** Decodes and adds valid base64, in groups of four. Returns false if it exceeds the limit. */
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

/** Bytes per piece, the most that Node reads from a socket in one step. */
const PIECE_BYTES = 65_536;

/**
 * Copies bytes into pieces of equal size. Readers may hold on to parts of a piece; a part of a received chunk
 * would hold a whole network buffer in memory.
 */
export class PieceCollector {
  readonly #take: (piece: Buffer) => void;
  #piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
  #filledBytes = 0;

  constructor(take: (piece: Buffer) => void) {
    this.#take = take;
  }

  append(chunk: Buffer): void {
    let rest = chunk;
    while (rest.byteLength > 0) {
      const copied = rest.copy(this.#piece, this.#filledBytes);
      this.#filledBytes += copied;
      rest = rest.subarray(copied);
      if (this.#filledBytes === PIECE_BYTES) this.flush();
    }
  }

  /** Passes on the last piece, which may be partly filled. */
  flush(): void {
    this.#take(this.#piece.subarray(0, this.#filledBytes));
    this.#piece = Buffer.allocUnsafeSlow(PIECE_BYTES);
    this.#filledBytes = 0;
  }
}

const HASHED_BYTES = 1 << 20;

/** Returns the SHA-256 of `bytes` as 64 hex digits. */
export async function digestBytes(bytes: Uint8Array): Promise<string> {
  const hash = createHash('sha256');
  for (let position = 0; position < bytes.byteLength; position += HASHED_BYTES) {
    // Lets other events run, even before the first piece, because a caller may hash many small images.
    await setImmediate();
    hash.update(bytes.subarray(position, position + HASHED_BYTES));
  }
  return hash.digest('hex');
}
