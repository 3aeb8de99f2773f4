// Options that every method of the client takes, so that any call can be ended.

/** Options of any call. */
export interface CallOptions {
  /** Ends the call, its pauses too; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}
