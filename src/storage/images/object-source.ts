// Pictures that lie in the operator's own bucket, for scans of a whole prefix.

/** A bucket, read only. */
export interface ObjectSource {
  /**
   * Keys of the objects whose keys begin with `prefix`, in order; kept images of callers are left out. Rejects with
   * CheckError unavailable.
   */
  list(prefix: string): AsyncIterable<string>;
  /**
   * The bytes of an object. Rejects with CheckError unavailable if the store does not answer or answers with a fault of
   * its own. Or with url_fetch_failed if it refuses this object, with image_too_large, or with the signal's reason.
   */
  read(key: string, signal: AbortSignal): Promise<Uint8Array>;
  close(): void;
}
