// Concurrent calls with outcomes in order.

/** Runs `work` on up to `concurrency` inputs at a time and yields the outcomes in order. Takes inputs only as needed. */
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
        // An early error would count as unhandled until the loop awaits the outcome.
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
