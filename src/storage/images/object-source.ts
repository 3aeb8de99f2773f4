// Pictures that lie in the operator's own bucket, for scans of a whole prefix.

/** A bucket, read only. */
export interface ObjectSource {
  /**
   * Keys of the objects whose keys begin with `prefix`, in order; kept images of callers are left out. Rejects with
   * CheckError unavailable.
   */
  list(prefix: string): AsyncIterable<string>;
  /**
   * The bytes of an object. Rejects with CheckError unavailable where the store does not answer or answers with a fault of
   * its own, url_fetch_failed where it refuses this object, image_too_large, or the signal's reason.
   */
  read(key: string, signal: AbortSignal): Promise<Uint8Array>;
  close(): void;
}
