// Several calls at once, their outcomes in order.

/** Gives `work` of each of `inputs` in their order; `concurrency` of them run at a time, and no more are taken up. */
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
        // Its error is thrown when its turn comes; until then nobody handles it.
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
