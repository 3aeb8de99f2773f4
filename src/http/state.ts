// What a request carries from one middleware to the next.
import type Koa from 'koa';
import type { Logger } from 'pino';
import type { Scope } from '../accounts/keys.js';
import type { Payer } from '../meter/record-checks.js';
import type { Stages } from './stages.js';

/** Set by `authenticate`: who calls. */
export interface Caller extends Payer {
  readonly scopes: readonly Scope[];
}

/** Koa's `ctx.state`. */
export interface RequestState {
  requestId: string;
  log: Logger;
  stages: Stages;
  /** Absent before `authenticate`, and on public routes. */
  caller?: Caller;
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

/** The rest of the chain. */
export type Next = Koa.Next;
