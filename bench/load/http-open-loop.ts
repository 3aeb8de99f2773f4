// Sending requests over HTTP at fixed times, without waiting for earlier responses (open loop).
import { Agent, request } from 'node:http';
import { performance } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { summarize, type Latency } from '../statistics.js';
import type { Body } from './http-bodies.js';
import type { HttpTarget } from './http-closed-loop.js';

export interface OpenLoopResult {
  readonly sent: number;
  readonly ratePerSecond: number;
  /** Number of responses with status 200, and their rate per second while requests were being sent. */
  readonly checks: number;
  readonly goodputPerSecond: number;
  /** Time from the planned start of each request to its response. */
  readonly latency: Latency;
  /** Number of responses with status 429 or 503. */
  readonly refusals: number;
  readonly refusalLatency: Latency;
  /** Number of other responses, and of requests without a response. */
  readonly failures: number;
}

interface Answer {
  readonly status: number;
  readonly timeMs: number;
  readonly atMs: number;
}

/** Sends requests for `seconds`, then waits for every response. */
export async function runHttpOpenLoop(
  target: HttpTarget,
  bodies: readonly Body[],
  { ratePerSecond, seconds }: { ratePerSecond: number; seconds: number },
): Promise<OpenLoopResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: Infinity, noDelay: true });
  const start = performance.now();
  const answers = await Promise.all(
    planArrivals(ratePerSecond, seconds).map(async (dueMs, index): Promise<Answer> => {
      await setTimeout(Math.max(0, start + dueMs - performance.now()));
      const status = await post(target, bodies[index % bodies.length]!, agent);
      const atMs = performance.now() - start;
      return { status, timeMs: atMs - dueMs, atMs };
    }),
  );
  agent.destroy();
  const good = answers.filter(({ status }) => status === 200);
  const refused = answers.filter(({ status }) => status === 429 || status === 503);
  const inTime = good.filter(({ atMs }) => atMs <= seconds * 1000).length;
  return {
    sent: answers.length,
    ratePerSecond,
    checks: good.length,
    goodputPerSecond: inTime / seconds,
    latency: summarize(good.map(({ timeMs }) => timeMs)),
    refusals: refused.length,
    refusalLatency: summarize(refused.map(({ timeMs }) => timeMs)),
    failures: answers.length - good.length - refused.length,
  };
}

/**
 * Sends a request and returns the status of the response. Returns 0 without a response. A response counts even if the
 * service sent it before reading the whole body.
 */
function post({ url, key }: HttpTarget, body: Body, agent: Agent): Promise<number> {
  return new Promise((resolve) => {
    const headers = {
      'content-type': body.type,
      'content-length': body.content.length,
      ...(key !== null && { authorization: `Bearer ${key}` }),
    };
    let status = 0;
    const outgoing = request(`${url}/v1/check`, { method: 'POST', agent, headers }, (response) => {
      status = response.statusCode ?? 0;
      response.resume();
      response.on('close', () => resolve(status));
    });
    outgoing.on('error', () => resolve(status));
    outgoing.end(body.content);
  });
}

/**
 * Returns the times at which requests should be sent, in milliseconds from the start. Requires `ratePerSecond` > 0.
 */
export function planArrivals(ratePerSecond: number, seconds: number): number[] {
  const count = Math.floor(ratePerSecond * seconds + 1e-9);
  return Array.from({ length: count }, (_, index) => (index * 1000) / ratePerSecond);
}
