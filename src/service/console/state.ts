// Dependencies of the console's routes, and the state of a request.
import type { RouterContext } from '@koa/router';
import type { RequestState } from '../http/state.js';
import type { Database } from '../../storage/db/database.js';
import { memberActor } from '../http/actor.js';
import type { SignedIn } from '../../accounts/members/sessions.js';
import type { Plans } from '../../accounts/plans.js';
import type { TrustList } from 'telltale-engine/internal/check/credentials/trust.js';
import type { Semaphore } from 'telltale-engine/internal/base/concurrency/semaphore.js';
import type { RunDeps } from '../http/checks/run-checks.js';
import type { ScanRouteDeps } from '../http/routes/scans.js';
import type { FetchAllow } from '../outbound/fetch-allow.js';
import type { Queue } from '../../storage/queue/queue.js';
import type { OpenId } from './openid.js';

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
export function asMember(ctx: ConsoleContext, { database, proxies }: ConsoleDeps): Database {
  return database.by(memberActor(ctx, memberOf(ctx), proxies));
}

/** Returns the path parameter `name`. */
export function paramOf(ctx: ConsoleContext, name: string): string {
  return ctx.params[name] ?? '';
}

export interface ConsoleDeps extends RunDeps {
  readonly plans: Plans;
  readonly semaphore: Semaphore;
  /** Semaphore that limits how many stored images are sent concurrently. */
  readonly keptSemaphore: Semaphore;
  /** Job queue, or null without PostgreSQL. */
  readonly queue: Queue | null;
  /** Dependencies of scans, or null without PostgreSQL. */
  readonly scans: ScanRouteDeps | null;
  /** Semaphore that limits how many scan lists are received concurrently. */
  readonly listSemaphore: Semaphore;
  /** Rules that allow webhooks to reach some non-public addresses, or null. */
  readonly allow: FetchAllow | null;
  readonly storeDays: number;
  /** Number of days for which the audit log keeps an entry. */
  readonly auditDays: number;
  /** Public address of the service, or null if the request's address is used. */
  readonly publicUrl: string | null;
  /** Number of reverse proxies in front of the service. */
  readonly proxies: number;
  /** OpenID Connect provider for sign-in, or null without one. */
  readonly openId: OpenId | null;
  /** Reason (part of a sentence) why thresholds can't be fitted or activated, or null if they can. */
  readonly fixedBy: string | null;
  readonly loadTrust: () => Promise<TrustList>;
  /** Version of the package. */
  readonly version: string;
}

export type Handler = (ctx: ConsoleContext) => Promise<void>;

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
