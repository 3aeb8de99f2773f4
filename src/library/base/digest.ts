// SHA-256 of an image, computed in pieces that yield to the event loop.
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';

const PIECE_BYTES = 1 << 20;

/** Returns the digest as 64 hex digits. */
export async function digestBytes(bytes: Uint8Array): Promise<string> {
  const hash = createHash('sha256');
  for (let position = 0; position < bytes.byteLength; position += PIECE_BYTES) {
    // Yields before the first piece, too, because a caller may hash many small images.
    await setImmediate();
    hash.update(bytes.subarray(position, position + PIECE_BYTES));
  }
  return hash.digest('hex');
}
