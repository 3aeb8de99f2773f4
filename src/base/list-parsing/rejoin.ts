// A stream whose beginning was looked at, whole again.
import { setImmediate } from 'node:timers/promises';

/** The chunks that were read, then the rest. */
export async function* rejoin(read: readonly Buffer[], rest: AsyncIterator<Buffer>): AsyncGenerator<Buffer> {
  try {
    for (const chunk of read) {
      yield chunk;
      // Nothing is waited for here, and megabytes of blank lines would keep everyone else waiting.
      await setImmediate();
    }
    for (;;) {
      const { value, done } = (await rest.next()) as IteratorResult<Buffer, undefined>;
      if (done === true) return;
      yield value;
    }
  } finally {
    await rest.return?.();
  }
}
