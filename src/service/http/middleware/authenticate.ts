// Who calls: the API key of the Authorization header, its plan, and the plan's requests a second.
import { performance } from 'node:perf_hooks';
import {
  findKey,
  isSandbox,
  isUsable,
  noteKeyUse,
  readKeyId,
  type Scope,
  type StoredKey,
} from '../../../accounts/keys.js';
import { narrowPlan, type Plan, type Plans } from '../../../accounts/plans.js';
import type { Database } from '../../../storage/db/database.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { withHeaders } from '../errors/answer-errors.js';
import { countRequest } from './rate-limit.js';
import type { Context, Next } from '../state.js';

/** How long a key that was read is trusted: a revocation takes effect within a second on every process. */
const CACHE_MS = 500;
const MAX_CACHED = 10_000;

/**
 * Middleware for keys with any of these scopes: sets `ctx.state.caller`. Errors: unauthorized, forbidden, plan_required,
 * rate_limited, unavailable.
 */
export type Authenticate = (...scopes: Scope[]) => (ctx: Context, next: Next) => Promise<void>;

/** Makes the middleware; keys are read from the database and remembered for half a second. */
export function createAuthenticate(database: Database, plans: Plans): Authenticate {
  const readKey = cacheKeys(database);
  const noted = new WeakSet<StoredKey>();
  /** Once for each reading of the key; a note that is lost costs nobody anything. */
  const noteUse = (stored: StoredKey): void => {
    if (noted.has(stored)) return;
    noted.add(stored);
    noteKeyUse(database, stored, new Date()).catch(() => undefined);
  };
  return (...scopes) =>
    async (ctx, next) => {
      await ctx.state.stages.time('authenticate', async () => {
        const stored = await identify(ctx.get('authorization'), readKey);
        ctx.state.isSandbox = isSandbox(stored);
        if (!scopes.some((scope) => stored.scopes.includes(scope))) throw lacksScope(stored, scopes[0]);
        const plan = planOf(stored, plans);
        const { accountId, id: keyId, keepsHashes } = stored;
        ctx.state.caller = { accountId, keyId, plan, keepsHashes };
        noteUse(stored);
        await countRequest(ctx, database, ctx.state.caller);
      });
      await next();
    };
}

function lacksScope(key: StoredKey, scope: Scope | undefined): CheckError {
  const instead = isSandbox(key) ? ', as a sandbox key only checks images, alone or in a batch' : '';
  return new CheckError(
    'forbidden',
    `this API key may not be used here: it lacks the scope '${scope}'${instead}`,
  );
}

/** The account's plan, which the key may narrow. */
function planOf({ plan, narrowedTo }: StoredKey, plans: Plans): Plan {
  const offered = (name: string, whose: string): Plan => {
    const found = plans.get(name);
    if (found) return found;
    throw new CheckError('plan_required', `the plan ${name} of this ${whose} is no longer offered`);
  };
  const whole = offered(plan, 'account');
  return narrowedTo === null ? whole : narrowPlan(whole, offered(narrowedTo, 'API key'));
}

type ReadKey = (id: string) => Promise<StoredKey | null>;

async function identify(header: string, readKey: ReadKey): Promise<StoredKey> {
  const key = /^Bearer +(\S+)$/i.exec(header)?.[1];
  const id = key === undefined ? null : readKeyId(key);
  const stored = id === null ? null : await readKey(id);
  if (key !== undefined && isUsable(key, stored, new Date()) && stored) return stored;
  // One message for all: it tells nobody which part of a guess was right.
  throw unauthorized("send 'Authorization: Bearer API_KEY' with a valid API key");
}

function unauthorized(message: string): CheckError {
  return withHeaders(new CheckError('unauthorized', message), { 'WWW-Authenticate': 'Bearer' });
}

function cacheKeys(database: Database): ReadKey {
  const cached = new Map<
    string,
    { readonly stored: Promise<StoredKey | null>; readonly expiresMs: number }
  >();
  return (id) => {
    const now = performance.now();
    const entry = cached.get(id);
    if (entry && entry.expiresMs > now) return entry.stored;
    // Entries live for half a second: emptying all at once costs a read each, and bounds what guesses can fill.
    if (cached.size >= MAX_CACHED) cached.clear();
    const stored = findKey(database, id);
    cached.set(id, { stored, expiresMs: now + CACHE_MS });
    stored.catch(() => cached.delete(id));
    return stored;
  };
}
