// What the console's routes work with: the parts they are built from, and the state of a request.
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

/** The database, for changes of who is signed in. */
export function asMember(ctx: ConsoleContext, { database, proxies }: ConsoleDeps): Database {
  return database.by(memberActor(ctx, memberOf(ctx), proxies));
}

/** Part `name` of the path. */
export function paramOf(ctx: ConsoleContext, name: string): string {
  return ctx.params[name] ?? '';
}

/** What the console works with. */
export interface ConsoleDeps extends RunDeps {
  readonly plans: Plans;
  readonly semaphore: Semaphore;
  /** Bounds the kept images that are sent at once. */
  readonly keptSemaphore: Semaphore;
  /** Null without PostgreSQL. */
  readonly queue: Queue | null;
  /** Null without PostgreSQL. */
  readonly scans: ScanRouteDeps | null;
  /** Bounds the lists that come in at once. */
  readonly listSemaphore: Semaphore;
  /** What webhooks may reach beyond public addresses; null: nothing. */
  readonly allow: FetchAllow | null;
  readonly storeDays: number;
  /** Days that an entry of the audit log stays. */
  readonly auditDays: number;
  /** Null: that of the request. */
  readonly publicUrl: string | null;
  /** Reverse proxies in front of the service. */
  readonly proxies: number;
  /** Null if no provider is configured. */
  readonly openId: OpenId | null;
  /** Why thresholds can't be fitted nor activated here, as half a sentence; null if they can. */
  readonly fixedBy: string | null;
  readonly loadTrust: () => Promise<TrustList>;
  /** The package's version. */
  readonly version: string;
}

/** Handles a request of a route. */
export type Handler = (ctx: ConsoleContext) => Promise<void>;

/** A handler whose JSON is what `read` gives, by which the pages are typed; no body where it gives undefined. */
export function answer<T>(read: (ctx: ConsoleContext) => Promise<T>): (ctx: ConsoleContext) => Promise<T> {
  return async (ctx) => {
    const body = await read(ctx);
    if (body !== undefined) ctx.body = body;
    return body;
  };
}
