// Moves the plan from the key to its account. A key can then only have a smaller plan.
import type { Queries } from '../database.js';

/** The plans that the package contains, by size. The sizes of an operator's own plans are unknown here. */
const SIZE = `case plan when 'free' then 1 when 'starter' then 2 when 'growth' then 3 when 'scale' then 4 end`;
const LIVE = 'api_keys.account_id = accounts.id and api_keys.revoked_at is null';

/**
 * Adds the column. No key gets smaller limits: an account gets the largest plan among its own and its keys' plans. If
 * a key has that plan, keys with smaller plans keep them. If no key has it, the operator had raised the account's
 * plan, and its keys get that plan.
 */
export async function up(queries: Queries): Promise<void> {
  // Null: the account's plan applies. The column `plan` is only read by the previous version.
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
