// The plan is the account's; a key may only narrow it. Before, each key had a plan of its own.
import type { Queries } from '../database.js';

/** The plans that the package ships, by size: of an operator's own plans only he knows which is the larger. */
const SIZE = `case plan when 'free' then 1 when 'starter' then 2 when 'growth' then 3 when 'scale' then 4 end`;
const LIVE = 'api_keys.account_id = accounts.id and api_keys.revoked_at is null';

/**
 * Adds the column. No key allows less afterwards: an account gets the largest plan of its own and its keys' plans. Where
 * a key has that plan, those with smaller ones stay narrowed to theirs; where none has, the operator had raised the
 * account, and its keys follow.
 */
export async function up(queries: Queries): Promise<void> {
  // Null: the key has the account's plan. The column `plan` is for the version before, which reads no other.
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
