// What a place that keeps images can do.
import type { Readable } from 'node:stream';

/** Keeps bytes under keys of the form `acc_.../img_...`, made by this program alone. */
export interface ImageStore {
  /** Resolves once the bytes are durable. */
  put(key: string, bytes: Uint8Array, signal: AbortSignal): Promise<void>;
  /** The bytes, read as they are taken; null where there are none. Whoever does not read to the end destroys the stream. */
  open(key: string): Promise<Readable | null>;
  /** Deletes the bytes; where there are none it does nothing. */
  delete(key: string): Promise<void>;
  close(): void;
}
