// State of a request, shared by all middleware.
import type Koa from 'koa';
import type { Logger } from 'pino';
import type { Payer } from '../../accounts/usage/record-checks.js';
import type { Stages } from './middleware/stages.js';

/** The paying caller: set by `authenticate`, and by the console for a member. */
export type Caller = Payer;

/** Koa's `ctx.state`. */
export interface RequestState {
  requestId: string;
  log: Logger;
  stages: Stages;
  /** Caller; absent before `authenticate` and on routes without a charge. */
  caller?: Caller;
  /** True if the caller's key is a sandbox key. */
  isSandbox?: boolean;
  /** Account and check of an appeal link, for a caller without a key. */
  appealLink?: { readonly accountId: string; readonly checkId: string };
  /** Code of the error response. */
  errorCode?: string;
}

/** Koa's context with this state. */
export type Context = Koa.ParameterizedContext<RequestState>;
/** Returns the caller. Requires a route behind `authenticate`. */
export function callerOf(ctx: Context): Caller {
  if (!ctx.state.caller) throw new Error('this route is not behind authenticate');
  return ctx.state.caller;
}

/** Sends a text that is already JSON. */
export function sendJson(ctx: Context, json: string): void {
  ctx.type = 'application/json';
  ctx.body = json;
}

/** The rest of the middleware chain. */
export type Next = Koa.Next;
