// State of a request to the console.
import type { RouterContext } from '@koa/router';
import type { Handler as RouteHandler } from '../http/route.js';
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

/** Handles a request whose input was validated. */
export type Handler<Input = unknown> = RouteHandler<Input, ConsoleContext>;
