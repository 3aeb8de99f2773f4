// State of a request that all middleware shares, and the times of its stages. Source: W3C Server Timing.
import type { RouterContext } from '@koa/router';
import type Koa from 'koa';
import type { Logger } from 'pino';
import type { AppealLink } from '../../accounts/appeals/links.js';
import type { Payer } from '../../accounts/usage/record-checks.js';
import { performance } from 'node:perf_hooks';
import { NO_SPAN, within, type Span } from '../traces/span.js';

/** Caller that pays for a request. Set by `authenticate`, and by the console for a member. */
export type Caller = Payer;

/** Type of Koa's `ctx.state`. */
export interface RequestState {
  requestId: string;
  log: Logger;
  stages: Stages;
  /** Caller; missing before `authenticate` and on routes that charge nothing. */
  caller?: Caller;
  /** True if the caller's key is a sandbox key. */
  isSandbox?: boolean;
  /** Appeal link that the caller uses instead of a key. */
  appealLink?: AppealLink;
  /** Error code of the response, for the log. */
  errorCode?: string;
}

/** Koa's context with this state. */
export type Context = Koa.ParameterizedContext<RequestState>;
/** Returns the caller. Requires the middleware `authenticate` before the route. */
export function callerOf(ctx: Context): Caller {
  if (!ctx.state.caller) throw new Error('this route is not behind authenticate');
  return ctx.state.caller;
}

/** Returns the path parameter `name`. */
export function paramOf(ctx: Context, name: string): string {
  return (ctx as RouterContext<RequestState>).params[name] ?? '';
}

/** Sends a text that is already JSON. */
export function sendJson(ctx: Context, json: string): void {
  ctx.type = 'application/json';
  ctx.body = json;
}

/** Function that runs the rest of the middleware chain. */
export type Next = Koa.Next;

/** Milliseconds spent in each stage of a request, in the order in which stages first ended. */
export class Stages {
  readonly #startMs = performance.now();
  readonly #durations = new Map<string, number>();

  /** `span` is the request's span in its trace. */
  constructor(readonly span: Span = NO_SPAN) {}

  /** Milliseconds since the request arrived. */
  get elapsedMs(): number {
    return performance.now() - this.#startMs;
  }

  /** Runs `work` in a child span and adds its time to the stage `name`, also after an error. */
  async time<T>(name: string, work: () => Promise<T>): Promise<T> {
    const startMs = performance.now();
    try {
      return await within(this.span.begin(name), work);
    } finally {
      this.add(name, performance.now() - startMs);
    }
  }

  /** Adds milliseconds to the stage `name`. */
  add(name: string, durationMs: number): void {
    this.#durations.set(name, (this.#durations.get(name) ?? 0) + durationMs);
  }

  /** Milliseconds by stage. */
  get durations(): ReadonlyMap<string, number> {
    return this.#durations;
  }

  /** Returns the value of the Server-Timing header: `queue;dur=0.1, receive;dur=3.2, total;dur=40.0`. */
  toHeader(): string {
    const entries = [...this.#durations, ['total', this.elapsedMs] as const];
    return entries.map(([name, durationMs]) => `${name};dur=${durationMs.toFixed(1)}`).join(', ');
  }
}
