// The state of a console's request, typed: routes get the member without asking the database again.
import type { RouterContext } from '@koa/router';
import type { RequestState } from '../http/state.js';
import type { SignedIn } from '../../accounts/members/sessions.js';

/** Koa's `ctx.state`, with who is signed in. */
export interface ConsoleState extends RequestState {
  member?: SignedIn;
}

/** Koa's context with the console's state and the parts of the path. */
export type ConsoleContext = RouterContext<ConsoleState>;

/** Who is signed in; only on routes behind `requireMember`. */
export function memberOf(ctx: ConsoleContext): SignedIn {
  if (!ctx.state.member) throw new Error('this route is not behind requireMember');
  return ctx.state.member;
}

/** Part `name` of the path. */
export function paramOf(ctx: ConsoleContext, name: string): string {
  return ctx.params[name] ?? '';
}
