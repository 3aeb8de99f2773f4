// Moves the plan from API keys to their account. A key can then only have a smaller plan than its account.
import type { Queries } from '../database.js';

/** SQL that sorts the plans of the package by size. The sizes of an operator's own plans are unknown here. */
const SIZE = `case plan when 'free' then 1 when 'starter' then 2 when 'growth' then 3 when 'scale' then 4 end`;
const LIVE = 'api_keys.account_id = accounts.id and api_keys.revoked_at is null';

/**
 * Moves the plans so that no key gets smaller limits. An account gets the largest plan among its own and its keys'
 * plans. If a key has that plan, keys with smaller plans keep them. If no key has it, the operator had raised the
 * account's plan, and its keys get that plan.
 */
export async function up(queries: Queries): Promise<void> {
  // Null means that the account's plan applies. Only the previous version still reads the column `plan`.
  await queries.raw('alter table api_keys add column narrowed_to text');
  await queries.raw(
    `update accounts set plan = (select plan from api_keys where ${LIVE} order by ${SIZE} desc limit 1)
     where (select max(${SIZE}) from api_keys where ${LIVE}) > (select ${SIZE})`,
  );
  await queries.raw(
    `update api_keys set narrowed_to = plan
     where plan <> (select accounts.plan from accounts where accounts.id = api_keys.account_id)
       and exists (select 1 from api_keys as others join accounts on accounts.id = others.account_id
                   where others.account_id = api_keys.account_id and others.revoked_at is null
                     and others.plan = accounts.plan)`,
  );
}
