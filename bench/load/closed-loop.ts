// A closed loop in one process: so many callers, each of whom asks again when it is answered.
import { performance } from 'node:perf_hooks';
import { summarize, type Latency } from '../statistics.js';

/** What a closed loop gives. */
export interface ClosedLoopResult {
  readonly checks: number;
  readonly seconds: number;
  readonly perSecond: number;
  readonly latency: Latency;
}

/** How it is run. */
export interface ClosedLoop {
  readonly concurrency: number;
  readonly seconds: number;
  /** Runs uncounted before: caches fill, code is compiled. */
  readonly warmUpSeconds: number;
  /** Request number `index`, from 0. */
  readonly ask: (index: number) => Promise<unknown>;
}

/** Asks until the time is over. What is under way then is waited for and counts, with the time it takes. */
export async function runClosedLoop(loop: ClosedLoop): Promise<ClosedLoopResult> {
  await askFor(loop, loop.warmUpSeconds);
  const start = performance.now();
  const times = await askFor(loop, loop.seconds);
  const seconds = (performance.now() - start) / 1000;
  return { checks: times.length, seconds, perSecond: times.length / seconds, latency: summarize(times) };
}

async function askFor({ concurrency, ask }: ClosedLoop, seconds: number): Promise<number[]> {
  const end = performance.now() + seconds * 1000;
  const times: number[] = [];
  let next = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() < end) {
      const start = performance.now();
      await ask(next++);
      times.push(performance.now() - start);
    }
  };
  await Promise.all(Array.from({ length: concurrency }, caller));
  return times;
}
