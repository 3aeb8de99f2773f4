// What a place that keeps images can do.

/** Keeps bytes under keys of the form `acc_.../img_...`, made by this program alone. */
export interface ImageStore {
  /** Resolves once the bytes are durable. */
  put(key: string, bytes: Uint8Array, signal: AbortSignal): Promise<void>;
  /** The bytes; null where there are none. */
  get(key: string): Promise<Buffer | null>;
  /** Deletes the bytes; where there are none it does nothing. */
  delete(key: string): Promise<void>;
  close(): void;
}
