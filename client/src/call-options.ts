// Options of every method.

/** Options of every call. */
export interface CallOptions {
  /** Signal that ends the call and its pauses. The call then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}
