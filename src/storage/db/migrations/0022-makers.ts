// Services of image makers that an account may have asked, each with a monthly limit.
import type { Queries } from '../database.js';

/** Adds the table. Without a row a maker is off for the account. */
export async function up(queries: Queries): Promise<void> {
  // `asked` counts the requests of `period` (YYYY-MM, UTC); another period begins with none.
  await queries.raw(
    `create table account_makers (
       account_id text not null references accounts (id),
       maker text not null,
       requests_per_month integer not null,
       period text not null,
       asked integer not null,
       primary key (account_id, maker)
     )`,
  );
}
