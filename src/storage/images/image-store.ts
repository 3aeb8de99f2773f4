// A store of images, so that a folder and S3 can stand in for each other.
import type { Readable } from 'node:stream';

/** Keeps bytes under keys of the form `acc_.../img_...`, made by this program alone. */
export interface ImageStore {
  /** Resolves once the bytes are durable. */
  put(key: string, bytes: Uint8Array, signal: AbortSignal): Promise<void>;
  /**
   * The bytes, read as they are taken; null if there are none. A reader that stops before the end destroys the stream.
   */
  open(key: string): Promise<Readable | null>;
  /** Deletes the bytes; if there are none it does nothing. */
  delete(key: string): Promise<void>;
  close(): void;
}
