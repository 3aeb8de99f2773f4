// SHA-256 of an image, computed in pieces so that the event loop serves other requests in between.
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';

const PIECE_BYTES = 1 << 20;

/** Returns the SHA-256 of `bytes` as 64 hex digits. */
export async function digestBytes(bytes: Uint8Array): Promise<string> {
  const hash = createHash('sha256');
  for (let position = 0; position < bytes.byteLength; position += PIECE_BYTES) {
    // Lets other events run, even before the first piece, because a caller may hash many small images.
    await setImmediate();
    hash.update(bytes.subarray(position, position + PIECE_BYTES));
  }
  return hash.digest('hex');
}
