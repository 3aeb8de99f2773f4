// Creates the table of image generators' detection services that an account may use, each with a monthly limit.
import type { Queries } from '../database.js';

/** A service without a row is off for the account. */
export async function up(queries: Queries): Promise<void> {
  // `asked` counts the requests in `period` (YYYY-MM, UTC); a new period starts from 0.
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
