// Sending requests over HTTP with autocannon: each connection sends the next request when the response arrives (closed
// loop). Meanwhile the service's health is requested.
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { summarize } from '../statistics.js';
import type { ClosedLoopResult } from './closed-loop.js';
import type { Body } from './http-bodies.js';

import autocannon from 'autocannon';

export interface HttpTarget {
  readonly url: string;
  /** API key. Null if the service needs none. */
  readonly key: string | null;
}

export interface HttpLoopResult extends ClosedLoopResult {
  /** Number of responses with a status other than 200, and of requests without a response. */
  readonly failures: number;
}

/** Sends the `bodies` one after the other on each connection. Each connection starts at a different body. */
export async function runHttpClosedLoop(
  target: HttpTarget,
  bodies: readonly Body[],
  { connections, seconds, warmUpSeconds }: { connections: number; seconds: number; warmUpSeconds: number },
): Promise<HttpLoopResult> {
  if (warmUpSeconds > 0) await cannonade(target, bodies, connections, warmUpSeconds);
  return cannonade(target, bodies, connections, seconds);
}

async function cannonade(
  { url, key }: HttpTarget,
  bodies: readonly Body[],
  connections: number,
  seconds: number,
): Promise<HttpLoopResult> {
  const requests = bodies.map(({ type, content }) => ({
    method: 'POST' as const,
    path: '/v1/check',
    headers: { 'content-type': type, ...(key !== null && { authorization: `Bearer ${key}` }) },
    body: content,
  }));
  const times: number[] = [];
  let failures = 0;
  let client = 0;
  const options: autocannon.Options = {
    url,
    connections,
    duration: seconds,
    timeout: 60,
    requests,
    setupClient: (connection) => {
      const first = (client++ * 7) % requests.length;
      connection.setRequests([...requests.slice(first), ...requests.slice(0, first)]);
    },
  };
  const result = await new Promise<autocannon.Result>((resolve, reject) => {
    const run = autocannon(options, (error: Error | null, done) => (error ? reject(error) : resolve(done)));
    run.on('response', (_client, statusCode, _bytes, responseTime) => {
      if (statusCode === 200) times.push(responseTime);
      else failures += 1;
    });
  });
  return {
    checks: times.length,
    seconds: result.duration,
    perSecond: times.length / result.duration,
    latency: summarize(times),
    failures: failures + result.errors + result.timeouts,
  };
}

/**
 * Milliseconds between two health requests. Chosen: enough requests for a 99th percentile within seconds, without a
 * noticeable load.
 */
const PERIOD_MS = 25;

/** Health requests that are being sent. */
export interface HealthWatch {
  /** Stops sending. Returns the milliseconds of each response, and the number of requests without a response. */
  stop(): Promise<{ readonly timesMs: readonly number[]; readonly failures: number }>;
}

/** Requests `url`/healthz again and again, one request at a time. */
export function watchHealth(url: string): HealthWatch {
  const timesMs: number[] = [];
  let failures = 0;
  const end = new AbortController();
  const asking = (async () => {
    while (!end.signal.aborted) {
      const start = performance.now();
      try {
        await (await fetch(`${url}/healthz`)).arrayBuffer();
        timesMs.push(performance.now() - start);
      } catch {
        failures += 1;
      }
      await setTimeout(PERIOD_MS);
    }
  })();
  return {
    stop: async () => {
      end.abort();
      await asking;
      return { timesMs, failures };
    },
  };
}
