// Options that every method of the client accepts.

/** Options that every method accepts. */
export interface CallOptions {
  /** Signal that ends the call and its pauses. The call then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}
