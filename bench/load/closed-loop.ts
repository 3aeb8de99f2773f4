// Repeating checks within one process. Each caller starts its next check when the previous one ends (closed loop).
import { performance } from 'node:perf_hooks';
import { summarize, type Latency } from '../statistics.js';

export interface ClosedLoopResult {
  readonly checks: number;
  readonly seconds: number;
  readonly perSecond: number;
  readonly latency: Latency;
}

export interface ClosedLoop {
  readonly concurrency: number;
  readonly seconds: number;
  /** Seconds at the start that are not counted, in which caches fill and code is compiled. */
  readonly warmUpSeconds: number;
  /** Starts check number `index`, counted from 0. */
  readonly ask: (index: number) => Promise<unknown>;
}

/**
 * Repeats checks until the time is over. Checks that are still running then are awaited and counted with their full
 * duration.
 */
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
