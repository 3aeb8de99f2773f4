// State of a request that all middleware shares.
import type { RouterContext } from '@koa/router';
import type Koa from 'koa';
import type { Logger } from 'pino';
import type { AppealLink } from '../../accounts/appeals/links.js';
import type { Payer } from '../../accounts/usage/record-checks.js';
import type { Stages } from './middleware/stages.js';

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
