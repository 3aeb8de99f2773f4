// What a process has opened, and how it is taken down again: the last that was opened first.

/** Functions that close what was opened, in the order in which it was. */
export class Closers {
  readonly #closers: (() => unknown)[] = [];

  /** Remembers how what was just opened is closed; the function may give a promise. */
  add(closer: () => unknown): void {
    this.#closers.push(closer);
  }

  /** Closes everything; safe to call twice. Rejects as the first closer that does. */
  async close(): Promise<void> {
    for (const closer of this.#closers.splice(0).reverse()) await closer();
  }
}

/** What `build` makes of what it opens. If it rejects, all that is closed first. */
export async function buildOrClose<T>(build: (closers: Closers) => Promise<T>): Promise<T> {
  const closers = new Closers();
  try {
    return await build(closers);
  } catch (error) {
    await closers.close();
    throw error;
  }
}
