// Console routes of the account's API keys.
import { readOverlap, rollKey } from '../../../accounts/key-rolling.js';
import { readExpiry } from '../../../accounts/key-expiry.js';
import { createKey, pageKeys, presentKey, revokeKey } from '../../../accounts/keys.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { readJson } from '../../http/body/read-json.js';
import { readQuery } from '../../http/body/query.js';
import { answer, asMember, memberOf } from '../state.js';
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
    const { accountName, planName } = memberOf(ctx);
    if (planName === null)
      throw new CheckError('plan_required', 'This account has no plan yet. Ask the operator for a plan');
    const created = await createKey(asMember(ctx, deps), {
      account: accountName,
      name,
      ...(sandbox ? { sandbox } : { scopes }),
      ...(expires !== null && { expiresAt: readExpiry(expires) }),
    });
    ctx.status = 201;
    return { ...presentKey(created), key: created.key };
  });
}

/** Handles DELETE keys/ID: revokes a key of the account. Throws CheckError not_found. */
export function deleteKey(deps: Services) {
  return answer(async (ctx) => {
    const { accountId } = memberOf(ctx);
    return presentKey(await revokeKey(asMember(ctx, deps), paramOf(ctx, 'id'), accountId));
  });
}

/**
 * Handles POST keys/ID/roll: replaces a key by a new one with the same rights. Both are valid for a while.
 * Shows the new key's text once. Throws CheckError not_found, invalid_request.
 */
export function postRoll(deps: Services) {
  return answer(async (ctx) => {
    const { overlap } = await readJson(ctx, RollBody);
    const [id, { accountId }] = [paramOf(ctx, 'id'), memberOf(ctx)];
    const { created, former } = await rollKey(asMember(ctx, deps), id, readOverlap(overlap), accountId);
    ctx.status = 201;
    return { ...presentKey(created), key: created.key, former: presentKey(former) };
  });
}
