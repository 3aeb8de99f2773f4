// Creates the table of detection services that an account may use, each with a monthly limit. Companies with an image
// generator run these services.
import type { Queries } from '../database.js';

/** A detection service without a row is switched off for the account. */
export async function up(queries: Queries): Promise<void> {
  // `asked` counts the requests in the month `period` (YYYY-MM, UTC). In a new month it starts again from 0.
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
