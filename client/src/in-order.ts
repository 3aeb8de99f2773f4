// Runs several calls concurrently and returns their results in order.

/**
 * Runs `work` on up to `concurrency` inputs concurrently and yields the results in the order of the inputs.
 * Reads inputs only as needed.
 */
export async function* mapInOrder<T, R>(
  inputs: Iterable<T> | AsyncIterable<T>,
  concurrency: number,
  work: (input: T) => Promise<R>,
): AsyncGenerator<R> {
  const iterator =
    Symbol.asyncIterator in inputs ? inputs[Symbol.asyncIterator]() : inputs[Symbol.iterator]();
  const running: Promise<R>[] = [];
  try {
    for (;;) {
      while (running.length < concurrency) {
        const next = await iterator.next();
        if (next.done === true) break;
        const outcome = work(next.value);
        // Prevents a warning about an unhandled rejection if a call fails before its result is awaited.
        outcome.catch(() => undefined);
        running.push(outcome);
      }
      const first = running.shift();
      if (first === undefined) return;
      yield await first;
    }
  } finally {
    await iterator.return?.();
  }
}
