// Routes as tables, for /v1 and the console: each row has a path, its middleware, the schema of its input, and its handler.
import type Router from '@koa/router';
import type { Static, TSchema } from '@sinclair/typebox';
import type { ErrorCode } from 'telltale-engine/internal/base/error-codes.js';
import type { Scope } from '../../accounts/keys.js';
import type { Services } from '../services.js';
import { readQuery, readJson } from './body/small-input.js';
import type { Context, Next, RequestState } from './state.js';

export type Middleware<Ctx = Context> = (ctx: Ctx, next: Next) => Promise<void> | void;

/**
 * Handles a request whose input was validated. The result, if any, is sent as JSON. Without a result and without a
 * `ctx.body`, the response has status 204.
 */
export type Handler<Input = unknown, Ctx = Context> = (ctx: Ctx, input: Input) => Promise<unknown>;

/** A route with the schema of its query or JSON body. The handler gets the validated value as `input`. */
export interface Route<Input extends TSchema = TSchema, Ctx = Context> {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  readonly path: string;
  /** Middleware that runs before the input is read, in this order. */
  readonly before?: readonly ((services: Services) => Middleware<Ctx>)[];
  readonly query?: Input;
  readonly json?: Input;
  /** Status of a successful response with a body; default: 200. */
  readonly status?: number;
  readonly handle: (services: Services) => Handler<Static<Input>, Ctx>;
}

/** A route whose input has any type, as an element of a table. */
export type AnyRoute<Ctx = Context> = Omit<Route<TSchema, Ctx>, 'handle'> & {
  readonly handle: (services: Services) => Handler<never, Ctx>;
};

/** Description of a route in /openapi.json. */
export interface Description {
  /** Tag and operationId. */
  readonly operation: readonly [tag: string, id: string];
  readonly summary: string;
  readonly description?: string;
  /** Scopes of keys that may use the route. `appeal-link` allows the token of an appeal link, too. */
  readonly scopes: readonly (Scope | 'appeal-link')[];
  /** Schemas of a body that the handler itself reads and validates, because it contains images or lists. */
  readonly upload?: { readonly form: TSchema; readonly json?: TSchema };
  /** True if the route accepts the header Idempotency-Key. */
  readonly isIdempotent?: true;
  readonly response: TSchema;
  /** Media type of a successful response; default: JSON. */
  readonly mediaType?: string;
  readonly example?: unknown;
  /** Error codes in addition to those that every request may get. */
  readonly errors: readonly ErrorCode[];
}

/** A route of /v1. */
export type ApiRoute = AnyRoute & Description;

/** Adds a route to the router, with `first` as the first middleware. */
export function addRoute<Ctx extends Context>(
  router: Router<RequestState>,
  { method, path, before = [], query, json, status, handle }: AnyRoute<Ctx>,
  services: Services,
  first: readonly Middleware<Ctx>[],
): void {
  const answer = handle(services) as Handler;
  const last = async (ctx: Ctx): Promise<void> => {
    const input: unknown = query ? readQuery(ctx, query) : json && (await readJson(ctx, json));
    if (status !== undefined) ctx.status = status;
    const body = await answer(ctx, input);
    if (body !== undefined) ctx.body = body;
    else if (ctx.body === undefined) ctx.status = 204;
  };
  const middleware = [...first, ...before.map((create) => create(services)), last];
  router[method](path, ...(middleware as Middleware[]));
}
