// Console routes of the account's API keys.
import { DAY_MS } from 'telltale-engine/internal/base/numbers.js';
import { readOverlap, rollKey } from '../../../accounts/key-rolling.js';
import { createKey, findKey, pageKeys, revokeKey, type ApiKey } from '../../../accounts/keys.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { readDay } from '../../../accounts/usage/period.js';
import { presentKey, refuseFault } from '../present.js';
import { readJson } from '../../http/body/read-json.js';
import { readQuery } from '../../http/body/query.js';
import { answer, asMember, type ConsoleContext, memberOf } from '../state.js';
import type { Services } from '../../services.js';
import { paramOf } from '../../http/state.js';
import { KeyBody, PlaceQuery, RollBody } from '../schemas.js';

/** Handles GET keys: lists the account's keys. Throws CheckError invalid_request. */
export function getKeys({ database }: Services) {
  return answer(async (ctx) => {
    const { rows, next } = await pageKeys(
      database,
      memberOf(ctx).accountId,
      readQuery(ctx, PlaceQuery).before,
    );
    return { keys: rows.map(presentKey), next };
  });
}

/** Handles POST keys: creates a key, shown only once. Throws CheckError invalid_request, plan_required. */
export function postKey(deps: Services) {
  return answer(async (ctx) => {
    const { name, scopes, expires, sandbox = false } = await readJson(ctx, KeyBody);
    if (!sandbox && scopes.length === 0)
      throw new CheckError('invalid_request', "Expected at least one of 'scopes'", { param: 'scopes' });
    const { accountName, planName } = memberOf(ctx);
    if (planName === null)
      throw new CheckError('plan_required', 'This account has no plan yet. Ask the operator for a plan');
    const expiresAt = expires === null ? null : readExpiry(expires);
    const created = await createKey(asMember(ctx, deps), {
      account: accountName,
      name,
      ...(sandbox ? { sandbox } : { scopes }),
      ...(expiresAt && { expiresAt }),
    }).catch(refuseFault);
    ctx.status = 201;
    return { ...presentKey(created), key: created.key };
  });
}

/** Handles DELETE keys/ID: revokes a key of the account. Throws CheckError not_found. */
export function deleteKey(deps: Services) {
  return answer(async (ctx) => {
    const { id } = await requireKey(ctx, deps);
    return presentKey(await revokeKey(asMember(ctx, deps), id));
  });
}

/**
 * Handles POST keys/ID/roll: replaces a key by a new one with the same rights. Both are valid for a while.
 * Shows the new key's text once. Throws CheckError not_found, invalid_request.
 */
export function postRoll(deps: Services) {
  return answer(async (ctx) => {
    const { overlap } = await readJson(ctx, RollBody);
    const { id } = await requireKey(ctx, deps);
    try {
      const { created, former } = await rollKey(asMember(ctx, deps), id, readOverlap(overlap));
      ctx.status = 201;
      return { ...presentKey(created), key: created.key, former: presentKey(former) };
    } catch (error) {
      refuseFault(error);
    }
  });
}

/** Returns the key named in the path. Throws CheckError not_found if the account has no such key. */
async function requireKey(ctx: ConsoleContext, { database }: Services): Promise<ApiKey> {
  const key = await findKey(database, paramOf(ctx, 'id'));
  if (key?.accountId === memberOf(ctx).accountId) return key;
  throw new CheckError('not_found', 'this account has no such key');
}

/** Returns the end of the key's last day. Throws CheckError invalid_request. */
function readExpiry(text: string): Date {
  const day = readDay(text);
  const expiresAt = new Date((day?.getTime() ?? NaN) + DAY_MS);
  if (expiresAt > new Date()) return expiresAt;
  throw new CheckError('invalid_request', "Expected a day that is not past, as YYYY-MM-DD, for 'expires'");
}
