// Routes as tables: each row names a path, its middleware, the schema of its input, and its handler.
import type Router from '@koa/router';
import type { Static, TSchema } from '@sinclair/typebox';
import type { ErrorCode } from 'telltale-engine/internal/base/error-codes.js';
import type { Scope } from '../../accounts/keys.js';
import { readQuery } from './body/query.js';
import { readJson } from './body/read-json.js';
import type { Context, Next, RequestState } from './state.js';

export type Middleware = (ctx: Context, next: Next) => Promise<void> | void;

/** Handles a request whose input was validated. */
export type Handler<Input = unknown> = (ctx: Context, input: Input) => Promise<void>;

/** Creates middleware or a handler from the service's parts. */
type From<Parts, Made> = (parts: Parts) => Made;

/** A route with the schema of its query or JSON body. The handler gets the validated value as `input`. */
export interface Route<Parts, Input extends TSchema = TSchema> {
  readonly method: 'get' | 'post' | 'put' | 'delete';
  readonly path: string;
  /** Middleware that runs before the input is read, in this order. */
  readonly before?: readonly From<Parts, Middleware>[];
  readonly query?: Input;
  readonly json?: Input;
  readonly handle: From<Parts, Handler<Static<Input>>>;
}

/** A route whose input has any type, as an element of a table. */
export type AnyRoute<Parts> = Omit<Route<Parts>, 'handle'> & {
  readonly handle: From<Parts, Handler<never>>;
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
  /** Status of a successful response; default: 200. */
  readonly status?: number;
  /** Media type of a successful response; default: JSON. */
  readonly mediaType?: string;
  readonly example?: unknown;
  /** Error codes in addition to those that every request may get. */
  readonly errors: readonly ErrorCode[];
}

/** A route of /v1. */
export type ApiRoute<Parts> = AnyRoute<Parts> & Description;

/** Adds a route to the router, with `first` as the first middleware. */
export function addRoute<Parts>(
  router: Router<RequestState>,
  { method, path, before = [], query, json, handle }: AnyRoute<Parts>,
  parts: Parts,
  first: Middleware,
): void {
  const answer = handle(parts) as Handler;
  const last = async (ctx: Context): Promise<void> => {
    await answer(ctx, query ? readQuery(ctx, query) : json && (await readJson(ctx, json)));
  };
  router[method](path, first, ...before.map((create) => create(parts)), last);
}
