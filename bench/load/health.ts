// Asks a service under load for its health, as an orchestrator does.
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';

/** Chosen: often enough for a 99th percentile within seconds, rarely enough to weigh nothing. */
const PERIOD_MS = 25;

/** A watch under way. */
export interface HealthWatch {
  /** Milliseconds of each answer. */
  stop(): Promise<number[]>;
}

/** Asks `url`/healthz again and again, one question at a time. */
export function watchHealth(url: string): HealthWatch {
  const times: number[] = [];
  const end = new AbortController();
  const asking = (async () => {
    while (!end.signal.aborted) {
      const start = performance.now();
      await (await fetch(`${url}/healthz`)).arrayBuffer();
      times.push(performance.now() - start);
      await setTimeout(PERIOD_MS);
    }
  })();
  return {
    stop: async () => {
      end.abort();
      await asking;
      return times;
    },
  };
}
