// The interface of image storage, implemented with a folder and with S3.
import type { Readable } from 'node:stream';

/** Storage for the bytes of images, under keys such as `acc_.../img_...`. */
export interface ImageStore {
  /** Stores the bytes. Resolves when they are safe from a crash. */
  put(key: string, bytes: Uint8Array, signal: AbortSignal): Promise<void>;
  /** Returns a stream of the bytes, or null. A reader that stops before the end must destroy the stream. */
  open(key: string): Promise<Readable | null>;
  /** Deletes the bytes, if any are stored. */
  delete(key: string): Promise<void>;
  close(): void;
}
