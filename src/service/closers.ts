// Closes everything that a process has opened, newest first.

/** Functions that close what was opened, in the order in which it was. */
export class Closers {
  readonly #closers: (() => unknown)[] = [];

  /** Remembers how what was just opened is closed; the function may give a promise. */
  add(closer: () => unknown): void {
    this.#closers.push(closer);
  }

  /**
   * Closes everything; safe to call twice. A closer that fails does not keep the older ones from running. Rejects at the
   * end with the error of the closer that failed, or with an AggregateError if several did.
   */
  async close(): Promise<void> {
    const errors: unknown[] = [];
    for (const closer of this.#closers.splice(0).reverse()) {
      try {
        await closer();
      } catch (error) {
        errors.push(error);
      }
    }
    if (errors.length > 1)
      throw new AggregateError(errors, `${errors.length} parts of the process did not close`);
    if (errors.length > 0) throw errors[0];
  }
}

/** Gives what `build` makes. If it rejects, closes what it has opened first and rejects with the same error. */
export async function buildOrClose<T>(build: (closers: Closers) => Promise<T>): Promise<T> {
  const closers = new Closers();
  try {
    return await build(closers);
  } catch (error) {
    // The cause of the failed start counts; closing half-opened parts may fail for the same reason.
    await closers.close().catch(() => undefined);
    throw error;
  }
}
