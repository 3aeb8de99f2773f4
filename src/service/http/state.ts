// The state that a request carries from one middleware to the next, typed for all of them.
import type Koa from 'koa';
import type { Logger } from 'pino';
import type { Payer } from '../../accounts/usage/record-checks.js';
import type { Stages } from './middleware/stages.js';

/** Who calls, and pays: set by `authenticate`, and by the console for a member. */
export type Caller = Payer;

/** Koa's `ctx.state`. */
export interface RequestState {
  requestId: string;
  log: Logger;
  stages: Stages;
  /** Absent before `authenticate`, and on routes where nobody pays. */
  caller?: Caller;
  /** Whether the caller's key is a sandbox key. */
  isSandbox?: boolean;
  /** Who appeals by a link, without a key. */
  appealLink?: { readonly accountId: string; readonly checkId: string };
  /** Code of the error that was answered. */
  errorCode?: string;
}

/** Koa's context with our state. */
export type Context = Koa.ParameterizedContext<RequestState>;
/** Who calls; only on routes behind `authenticate`. */
export function callerOf(ctx: Context): Caller {
  if (!ctx.state.caller) throw new Error('this route is not behind authenticate');
  return ctx.state.caller;
}

/** Answers with a text that is JSON already. */
export function sendJson(ctx: Context, json: string): void {
  ctx.type = 'application/json';
  ctx.body = json;
}

/** The rest of the chain. */
export type Next = Koa.Next;
