// Console routes of the account's API keys.
import type { Static } from '@sinclair/typebox';
import { readOverlap, rollKey } from '../../../accounts/key-rolling.js';
import { readExpiry } from '../../../accounts/key-expiry.js';
import { createKey, pageKeys, presentKey, revokeKey } from '../../../accounts/keys.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import { asMember, memberOf, type ConsoleContext } from '../session.js';
import type { Services } from '../../services.js';
import { paramOf } from '../../http/state.js';
import type { KeyBody, PageQuery, RollBody } from '../schemas.js';

/** Handles GET keys: lists the account's keys. Throws CheckError invalid_request. */
export function getKeys({ database }: Services) {
  return async (ctx: ConsoleContext, { before }: Static<typeof PageQuery>) => {
    const { rows, next } = await pageKeys(database, memberOf(ctx).accountId, before);
    return { keys: rows.map(presentKey), next };
  };
}

/** Handles POST keys: creates a key, shown only once. Throws CheckError invalid_request, plan_required. */
export function postKey(deps: Services) {
  return async (ctx: ConsoleContext, { name, scopes, expires, sandbox = false }: Static<typeof KeyBody>) => {
    const { accountName, planName } = memberOf(ctx);
    if (planName === null)
      throw new CheckError('plan_required', 'This account has no plan yet. Ask the operator for a plan');
    const created = await createKey(asMember(ctx, deps), {
      account: accountName,
      name,
      ...(sandbox ? { sandbox } : { scopes }),
      ...(expires !== null && { expiresAt: readExpiry(expires) }),
    });
    return { ...presentKey(created), key: created.key };
  };
}

/** Handles DELETE keys/ID: revokes a key of the account. Throws CheckError not_found. */
export function deleteKey(deps: Services) {
  return async (ctx: ConsoleContext) => {
    const { accountId } = memberOf(ctx);
    return presentKey(await revokeKey(asMember(ctx, deps), paramOf(ctx, 'id'), accountId));
  };
}

/**
 * Handles POST keys/ID/roll: replaces a key by a new one with the same rights. Both are valid for a while.
 * Shows the new key's text once. Throws CheckError not_found, invalid_request.
 */
export function postRoll(deps: Services) {
  return async (ctx: ConsoleContext, { overlap }: Static<typeof RollBody>) => {
    const [id, { accountId }] = [paramOf(ctx, 'id'), memberOf(ctx)];
    const { created, former } = await rollKey(asMember(ctx, deps), id, readOverlap(overlap), accountId);
    return { ...presentKey(created), key: created.key, former: presentKey(former) };
  };
}
