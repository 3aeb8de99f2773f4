// The interface of image storage, implemented with a folder and with S3.
import type { Readable } from 'node:stream';

/** Stores bytes under keys of the form `acc_.../img_...`, which only this program creates. */
export interface ImageStore {
  /** Resolves once the bytes are durable. */
  put(key: string, bytes: Uint8Array, signal: AbortSignal): Promise<void>;
  /**
   * Returns a stream of the bytes; null if nothing is stored. A reader that stops before the end must destroy the stream.
   */
  open(key: string): Promise<Readable | null>;
  /** Deletes the bytes; does nothing if nothing is stored. */
  delete(key: string): Promise<void>;
  close(): void;
}
