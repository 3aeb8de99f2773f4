// Authenticates a request by the API key in its Authorization header, and applies the plan's request rate.
import { performance } from 'node:perf_hooks';
import { findKey, isSandbox, recordKeyUse, type Scope, type StoredKey } from '../../../accounts/keys.js';
import { isUsable, readKeyId } from '../../../accounts/key-text.js';
import { narrowPlan, type Plan, type Plans } from '../../../accounts/plans.js';
import type { Database } from '../../../storage/db/database.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { withHeaders } from '../errors/answer-errors.js';
import { countRequest } from './rate-limit.js';
import type { Context, Next } from '../state.js';

/** Milliseconds for which a key is cached, so that a revocation takes effect within a second everywhere. */
const CACHE_MS = 500;
const MAX_CACHED = 10_000;

/**
 * Function that creates middleware, which requires a key with one of these scopes and sets
 * `ctx.state.caller`. Throws CheckError unauthorized, forbidden, plan_required, rate_limited, unavailable.
 */
export type Authenticate = (...scopes: Scope[]) => (ctx: Context, next: Next) => Promise<void>;

/** Creates an `Authenticate` function, which caches keys for half a second. */
export function createAuthenticate(database: Database, plans: Plans): Authenticate {
  const readKey = cacheKeys(database);
  const noted = new WeakSet<StoredKey>();
  /** Records the use of a key, once per reading from the database. A lost record does no harm. */
  const recordUse = (stored: StoredKey): void => {
    if (noted.has(stored)) return;
    noted.add(stored);
    recordKeyUse(database, stored, new Date()).catch(() => undefined);
  };
  return (...scopes) =>
    async (ctx, next) => {
      await ctx.state.stages.time('authenticate', async () => {
        const stored = await identify(ctx.get('authorization'), readKey);
        ctx.state.isSandbox = isSandbox(stored);
        if (!scopes.some((scope) => stored.scopes.includes(scope))) throw scopeMissing(stored, scopes[0]);
        const plan = planOf(stored, plans);
        const { accountId, id: keyId, keepsHashes } = stored;
        ctx.state.caller = { accountId, keyId, plan, keepsHashes };
        recordUse(stored);
        await countRequest(ctx, database, ctx.state.caller);
      });
      await next();
    };
}

function scopeMissing(key: StoredKey, scope: Scope | undefined): CheckError {
  const hint = isSandbox(key) ? ', because a sandbox key can only check images and batches' : '';
  return new CheckError(
    'forbidden',
    `this API key may not be used here: it lacks the scope '${scope}'${hint}`,
  );
}

/** Returns the account's plan, narrowed to the key's smaller plan if the key has one. */
function planOf({ plan, narrowedTo }: StoredKey, plans: Plans): Plan {
  const requirePlan = (name: string, owner: string): Plan => {
    const offeredPlan = plans.get(name);
    if (offeredPlan) return offeredPlan;
    throw new CheckError('plan_required', `the plan ${name} of this ${owner} is no longer offered`);
  };
  const whole = requirePlan(plan, 'account');
  return narrowedTo === null ? whole : narrowPlan(whole, requirePlan(narrowedTo, 'API key'));
}

type ReadKey = (id: string) => Promise<StoredKey | null>;

async function identify(header: string, readKey: ReadKey): Promise<StoredKey> {
  const key = /^Bearer +(\S+)$/i.exec(header)?.[1];
  if (key === undefined) throw unauthorized("Expected the header 'Authorization: Bearer API_KEY'");
  const id = readKeyId(key);
  const stored = id === null ? null : await readKey(id);
  if (isUsable(key, stored, new Date()) && stored) return stored;
  // The message is the same for all keys, so that it never shows which part of a guessed key is right.
  throw unauthorized('The API key is unknown to this service, expired or revoked');
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
    // Clears all entries, to bound the memory that guessed keys can fill. Entries last only half a second.
    if (cached.size >= MAX_CACHED) cached.clear();
    const stored = findKey(database, id);
    cached.set(id, { stored, expiresMs: now + CACHE_MS });
    stored.catch(() => cached.delete(id));
    return stored;
  };
}
