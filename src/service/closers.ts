// Closing everything that a process has opened, newest first.

/** Functions that close opened objects, in the order of opening. */
export class Closers {
  readonly #closers: (() => unknown)[] = [];

  /** Adds a function that closes an opened object; it may return a promise. */
  add(closer: () => unknown): void {
    this.#closers.push(closer);
  }

  /**
   * Closes everything; safe to call twice. An error of a closer does not prevent older ones from running. Rejects at
   * the end with that error, or with an AggregateError of several.
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

/**
 * Returns the result of `build`. If `build` rejects, closes everything it has opened and rejects with the same error.
 */
export async function buildOrClose<T>(build: (closers: Closers) => Promise<T>): Promise<T> {
  const closers = new Closers();
  try {
    return await build(closers);
  } catch (error) {
    // Errors of closing are dropped in favour of the original error.
    await closers.close().catch(() => undefined);
    throw error;
  }
}
