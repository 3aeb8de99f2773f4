// Adds indexes that make erasing fast: stored responses by the checks that they mention, and checks by account, image
// and API key.
import type { Queries } from '../database.js';

/** Number of stored responses read in one statement. */
const PAGE = 100;
/** Matches identifiers of checks in a response. */
const CHECKS = /"(chk_[0-9A-Z]{26})"/g;

const INDEXES = [
  // Finds an account's images when the account is erased.
  'create index images_of_an_account on images (account_id, expires_at)',
  // Lists an account's checks, which are sorted by identifier.
  'create index checks_of_an_account on checks (account_id, id)',
  // Shows whether a stored image is still used by a check.
  'create index checks_by_image on checks (image_id) where image_id is not null',
  // Finds the checks of an API key. The database needs them when it deletes the key.
  'create index checks_by_key on checks (key_id) where key_id is not null',
];

/** Creates the table and the indexes, and fills the table from responses that are already stored. */
export async function up(queries: Queries): Promise<void> {
  await queries.raw(
    `create table answered_checks (
       account_id text not null,
       key text not null,
       check_id text not null,
       primary key (account_id, key, check_id),
       foreign key (account_id, key) references idempotency_keys (account_id, key) on delete cascade
     )`,
  );
  await queries.raw('create index answered_checks_by_check on answered_checks (account_id, check_id)');
  for (const index of INDEXES) await queries.raw(index);
  // Amount of data that the account had, as JSON, while it is being erased; otherwise null.
  await queries.raw('alter table accounts add column erasing text');
  const { client } = (queries.client as { config: { client: string } }).config;
  // Finds a check's entry in the results of its scan. The tables of scans are empty on SQLite.
  if (client === 'pg')
    await queries.raw(
      `create index scan_items_by_check on scan_items (scan_id, (substring(body from '"id":"(chk_[0-9A-Z]{26})"')))
       where body is not null`,
    );
  await listStored(queries);
}

async function listStored(queries: Queries): Promise<void> {
  let after: readonly string[] = ['', ''];
  for (;;) {
    const rows = await queries<{ account_id: string; key: string; answer: string | null }>('idempotency_keys')
      .whereRaw('(account_id, key) > (?, ?)', [...after])
      .orderBy(['account_id', 'key'])
      .limit(PAGE);
    const last = rows.at(-1);
    if (!last) return;
    for (const { account_id, key, answer } of rows) {
      const named = new Set(Array.from((answer ?? '').matchAll(CHECKS), ([, id]) => id));
      const references = [...named].map((check_id) => ({ account_id, key, check_id }));
      if (references.length > 0) await queries('answered_checks').insert(references);
    }
    after = [last.account_id, last.key];
  }
}
