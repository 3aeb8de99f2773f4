// Closes everything that a process has opened, last opened first.

/** Functions that close what a process has opened, in the order of opening. */
export class Closers {
  readonly #closers: (() => unknown)[] = [];

  /** Adds a function that closes an opened object; it may return a promise. */
  add(closer: () => unknown): void {
    this.#closers.push(closer);
  }

  /**
   * Closes everything, last opened first; safe to call twice. After an error, still runs the other functions.
   * Then rejects with the error, or with an AggregateError of several errors.
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
 * Returns the result of `build`. If `build` rejects, closes what it has opened and rejects with its error.
 */
export async function buildOrClose<T>(build: (closers: Closers) => Promise<T>): Promise<T> {
  const closers = new Closers();
  try {
    return await build(closers);
  } catch (error) {
    // Ignores errors of closing, so that the caller gets the original error.
    await closers.close().catch(() => undefined);
    throw error;
  }
}
