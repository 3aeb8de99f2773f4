// People with time to look: each checks a picture, looks at the answer, checks the next.
import { setMaxListeners } from 'node:events';
import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { summarize, type Latency } from '../statistics.js';
import type { Body } from './bodies.js';

/** Where one of them asks, and as whom. */
export interface Door {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
}

/** What they got since they were counted. */
export interface OnlookersResult {
  readonly checks: number;
  /** Of those that were answered before `stop`. */
  readonly perSecond: number;
  readonly latency: Latency;
  /** Answers other than 200, and requests without one. */
  readonly failures: number;
}

/** Onlookers under way. */
export interface Onlookers {
  /** Counts from now on. */
  restart(): void;
  /** Lets nobody ask again; what is under way is waited for and counts, with the time it takes. */
  stop(): Promise<OnlookersResult>;
}

/** Sends one onlooker to each of `doors`. They begin one after the other, so that they never ask in step. */
export function startOnlookers(doors: readonly Door[], bodies: readonly Body[], thinkMs: number): Onlookers {
  const end = new AbortController();
  setMaxListeners(doors.length + 10, end.signal);
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity, noDelay: true });
  let start = performance.now();
  let times: number[] = [];
  let failures = 0;
  const look = async (door: Door, index: number): Promise<void> => {
    await setTimeout((index * thinkMs) / doors.length, null, { signal: end.signal });
    for (let next = index; ; next += 1) {
      const asked = performance.now();
      const status = await post(door, bodies[next % bodies.length]!, agent);
      if (status === 200) times.push(performance.now() - asked);
      else failures += 1;
      await setTimeout(thinkMs, null, { signal: end.signal });
    }
  };
  // Each of them ends by the signal that wakes him from his look.
  const looking = Promise.allSettled(doors.map(look));
  return {
    restart: () => {
      [start, times, failures] = [performance.now(), [], 0];
    },
    stop: async () => {
      const perSecond = times.length / ((performance.now() - start) / 1000);
      end.abort();
      await looking;
      agent.destroy();
      return { checks: times.length, perSecond, latency: summarize(times), failures };
    },
  };
}

/** The status of the answer, which is read to its end; 0 if none came. */
function post({ url, headers }: Door, body: Body, agent: Agent): Promise<number> {
  return new Promise((resolve) => {
    const options = {
      method: 'POST',
      agent,
      headers: { ...headers, 'content-type': body.type, 'content-length': body.content.length },
    };
    let status = 0;
    const outgoing = request(url, options, (response) => {
      status = response.statusCode ?? 0;
      response.resume();
      response.on('error', () => resolve(0));
      response.on('close', () => resolve(status));
    });
    outgoing.on('error', () => resolve(status));
    outgoing.end(body.content);
  });
}
