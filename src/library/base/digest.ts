// SHA-256 of an image, in pieces with a turn of the event loop between them.
import { createHash } from 'node:crypto';
import { setImmediate } from 'node:timers/promises';

const PIECE_BYTES = 1 << 20;

/** The digest as 64 hexadecimal digits. */
export async function digestBytes(bytes: Uint8Array): Promise<string> {
  const hash = createHash('sha256');
  for (let position = 0; position < bytes.byteLength; position += PIECE_BYTES) {
    // Before the first piece, too: somebody may hash many small images one after the other.
    await setImmediate();
    hash.update(bytes.subarray(position, position + PIECE_BYTES));
  }
  return hash.digest('hex');
}
