// The account's API keys.
import { createKey, findKey, pageKeys, revokeKey } from '../../../accounts/keys.js';
import { CheckError } from '../../../base/errors.js';
import { readDay } from '../../../accounts/usage/period.js';
import { presentKey, refuseFault } from '../present.js';
import { readJson } from '../../http/body/read-json.js';
import { readQuery } from '../../http/body/query.js';
import { answer, asMember, type ConsoleDeps, memberOf, paramOf } from '../state.js';
import { KeyBody, PlaceQuery } from '../schemas.js';

const DAY_MS = 86_400_000;

/** Handles GET keys. Errors: invalid_request. */
export function getKeys({ database }: ConsoleDeps) {
  return answer(async (ctx) => {
    const { rows, next } = await pageKeys(
      database,
      memberOf(ctx).accountId,
      readQuery(ctx, PlaceQuery).before,
    );
    return { keys: rows.map(presentKey), next };
  });
}

/** Handles POST keys: the answer holds the key's text, this once. Errors: invalid_request, plan_required. */
export function postKey(deps: ConsoleDeps) {
  return answer(async (ctx) => {
    const { name, scopes, expires, sandbox = false } = await readJson(ctx, KeyBody);
    if (!sandbox && scopes.length === 0)
      throw new CheckError('invalid_request', "Expected at least one of 'scopes'", { param: 'scopes' });
    const { accountName, planName } = memberOf(ctx);
    if (planName === null)
      throw new CheckError('plan_required', 'this account has no plan yet; an operator gives it one');
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

/** Handles DELETE keys/ID: revokes a key of the account. Errors: not_found. */
export function deleteKey(deps: ConsoleDeps) {
  return answer(async (ctx) => {
    const key = await findKey(deps.database, paramOf(ctx, 'id'));
    if (key?.accountId !== memberOf(ctx).accountId)
      throw new CheckError('not_found', 'this account has no such key');
    return presentKey(await revokeKey(asMember(ctx, deps), key.id));
  });
}

/** The moment after the last day. */
function readExpiry(text: string): Date {
  const day = readDay(text);
  const expiresAt = new Date((day?.getTime() ?? NaN) + DAY_MS);
  if (expiresAt > new Date()) return expiresAt;
  throw new CheckError('invalid_request', "Expected a day that is not past, as YYYY-MM-DD, for 'expires'");
}
