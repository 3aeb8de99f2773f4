// State of a request to the console.
import type { RouterContext } from '@koa/router';
import type { RequestState } from '../http/state.js';
import type { Database } from '../../storage/db/database.js';
import { memberActor } from '../http/actor.js';
import type { SignedIn } from '../../accounts/members/sessions.js';
import type { Services } from '../services.js';

/** Koa's `ctx.state` with the signed-in member. */
export interface ConsoleState extends RequestState {
  member?: SignedIn;
}

/** Koa's context with the console's state and path parameters. */
export type ConsoleContext = RouterContext<ConsoleState>;

/** Returns the signed-in member. Requires the middleware `requireMember` before the route. */
export function memberOf(ctx: ConsoleContext): SignedIn {
  if (!ctx.state.member) throw new Error('this route is not behind requireMember');
  return ctx.state.member;
}

/** Returns a database whose audit log names the signed-in member as the author of changes. */
export function asMember(ctx: ConsoleContext, { database, proxies }: Services): Database {
  return database.by(memberActor(ctx, memberOf(ctx), proxies));
}

export type Handler = (ctx: ConsoleContext, input?: unknown) => Promise<void>;

/**
 * Returns a handler that sends the result of `read` as JSON, and no body for undefined. The handler returns
 * the result, too, from which the pages derive their types.
 */
export function answer<T>(read: (ctx: ConsoleContext) => Promise<T>): (ctx: ConsoleContext) => Promise<T> {
  return async (ctx) => {
    const body = await read(ctx);
    if (body !== undefined) ctx.body = body;
    return body;
  };
}
