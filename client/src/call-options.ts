// What every method of the client takes.

/** What any call takes. */
export interface CallOptions {
  /** Ends the call, its pauses too; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal;
}
