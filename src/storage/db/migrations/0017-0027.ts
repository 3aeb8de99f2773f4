// Migrations 0017 to 0027, one function each.
import type { Queries } from '../database.js';
import type { Knex } from 'knex';

/**
 * Thresholds have the value 2 in `at_work` while they wait or are computed; with 1, the previous version would compute
 * a correction instead. Their `adaptation` is copied from the correction on whose scores they are based, or null.
 */
/** Adds thresholds fitted to an account's own images, in the table `corrections`. Times within JSON are RFC 3339. */
export async function addOwnThresholds(queries: Queries): Promise<void> {
  // Wanted false-positive rates and the checks to use, as JSON; null for a correction.
  await queries.raw('alter table corrections add column wanted text');
}

/** SQL that sorts the plans of the package by size. The sizes of an operator's own plans are unknown here. */
const SIZE = `case plan when 'free' then 1 when 'starter' then 2 when 'growth' then 3 when 'scale' then 4 end`;
const LIVE = 'api_keys.account_id = accounts.id and api_keys.revoked_at is null';

/**
 * Moves the plans so that no key gets smaller limits. An account gets the largest plan among its own and its keys'
 * plans. If a key has that plan, keys with smaller plans keep them. If no key has it, the operator had raised the
 * account's plan, and its keys get that plan.
 */
/** Moves the plan from API keys to their account. A key can then only have a smaller plan than its account. */
export async function addPlansOfAccounts(queries: Queries): Promise<void> {
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

/**
 * Also deletes thresholds fitted to the scores of a correction. If such thresholds are active, `correction_in_force`
 * still names them. The first process that does not find them logs this and returns to the shipped model.
 */
/** Deletes the corrections of migration 0010, which no version can use any more. */
export async function dropCorrections(queries: Queries): Promise<void> {
  await queries('corrections').whereNull('wanted').orWhereNotNull('adaptation').delete();
}

/** Columns of the index that finds similar hashes, see src/accounts/seen/scene-index.ts. */
const KEYS = ['key_0', 'key_1', 'key_2', 'key_3'];

function addHash(table: Knex.CreateTableBuilder): void {
  // The hash as hexadecimal digits.
  table.text('bits').notNullable();
  for (const key of KEYS) table.integer(key).notNullable();
}

/** Adds an index for each key, with all columns that a search reads, so that it need not read the rows. */
export async function addIndexes(queries: Queries, name: string, whose: readonly string[]): Promise<void> {
  await queries.schema.alterTable(name, (table) => {
    for (const key of KEYS) table.index([...whose, key, 'bits', 'id'], `${name}_${key}_index`);
  });
}

/** Creates the tables of perceptual hashes: of checked images, for accounts that store them, and of images known to the operator. */
export async function addSeen(queries: Queries): Promise<void> {
  // Accounts that store perceptual hashes.
  await queries.schema.createTable('seen_accounts', (table) => {
    table.text('account_id').primary().references('accounts.id');
    table.bigInteger('since').notNullable();
  });
  await queries.schema.createTable('seen_images', (table) => {
    // The check's identifier. The hash is deleted together with the check.
    table.text('id').primary().references('checks.id').onDelete('cascade');
    table.text('account_id').notNullable().references('accounts.id');
    addHash(table);
  });
  await addIndexes(queries, 'seen_images', ['account_id']);
  await queries.schema.createTable('known_images', (table) => {
    table.text('id').primary();
    table.text('label').notNullable();
    table.text('note').notNullable();
    table.text('source');
    table.bigInteger('created_at').notNullable();
    addHash(table);
  });
  await addIndexes(queries, 'known_images', []);
}

/** Creates the tables of appeals against verdicts, and of links by which people without an account can appeal. Appeals and links are deleted together with their check. Times are milliseconds since 1970 in UTC. */
export async function addAppeals(queries: Queries): Promise<void> {
  await queries.schema.createTable('appeals', (table) => {
    table.text('id').primary();
    table.text('check_id').notNullable().references('checks.id').onDelete('cascade').index();
    table.text('account_id').notNullable().references('accounts.id').index();
    table.bigInteger('created_at').notNullable();
    // Submitted by: `account` or `link`.
    table.text('by').notNullable();
    table.text('remark').notNullable();
    // Similarity of the original and the checked image, and the detectors' results for the original, as JSON.
    table.text('findings').notNullable();
    // The signed record of the appeal, as JSON. It is signed again with the decision.
    table.text('record').notNullable();
    // `verdict_confirmed` or `verdict_overturned`, with a remark and the member; null before the decision.
    table.text('decision');
    table.text('decision_remark');
    table.bigInteger('decided_at');
    table.text('decided_by');
  });
  await queries.schema.createTable('appeal_links', (table) => {
    table.text('id').primary();
    table.text('token_hash').notNullable().unique();
    table.text('check_id').notNullable().references('checks.id').onDelete('cascade').index();
    table.text('account_id').notNullable().references('accounts.id').index();
    table.bigInteger('expires_at').notNullable().index();
  });
}

/** Creates the table of detection services that an account may use, each with a monthly limit. Companies with an image generator run these services. A detection service without a row is switched off for the account. */
export async function addMakers(queries: Queries): Promise<void> {
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

/** Creates the audit log. Times are milliseconds since 1970 in UTC. */
export async function addAuditLog(queries: Queries): Promise<void> {
  await queries.schema.createTable('audit_log', (table) => {
    // Begins with the time, so that entries can be sorted and deleted by time.
    table.text('id').primary();
    // The account that was changed; null if the change concerns the whole installation. Without a foreign key, because
    // the previous version deletes accounts but not their audit entries.
    table.text('account_id');
    table.text('what').notNullable();
    table.text('subject').notNullable();
    table.text('actor_kind').notNullable();
    table.text('actor_name');
    table.text('actor_account_id');
    table.text('address');
    // Properties before and after the change, as JSON objects.
    table.text('before');
    table.text('after');
    table.bigInteger('created_at').notNullable();
    table.index(['account_id', 'id']);
  });
}

const COLUMNS = [
  // Percentage of the quota of the last warning; 0 if none was sent.
  ['usage_periods', 'told_percent', 'integer not null default 0'],
  // Days before the key's expiry of the last warning; null if none was sent.
  ['api_keys', 'told_days', 'integer'],
  // The member who reviews the check and may have been removed since.
  ['checks', 'claimed_by', 'text'],
  ['checks', 'claimed_at', 'bigint'],
] as const;

/** Stores which warnings accounts have received, and which member reviews a check. Times are milliseconds since 1970 in UTC. */
export async function addMarks(queries: Queries): Promise<void> {
  for (const [table, column, type] of COLUMNS)
    await queries.raw(`alter table ${table} add column ${column} ${type}`);
}

/** Counts the size of the responses stored for Idempotency-Keys, and stores the expiry of an API key before it was rolled (renewed). */
export async function addStoredAnswers(queries: Queries): Promise<void> {
  await queries.schema.createTable('stored_answers', (table) => {
    table.text('account_id').notNullable().references('accounts.id');
    // `live` or `sandbox`.
    table.text('kind').notNullable();
    // Hours since 1970. Sizes are counted per hour.
    table.integer('hour').notNullable();
    table.bigInteger('bytes').notNullable();
    table.primary(['account_id', 'kind', 'hour']);
  });
  // Milliseconds since 1970; 0 for a key without expiry; null if the key was never rolled.
  await queries.raw('alter table api_keys add column end_before_roll bigint');
}

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

/** Adds indexes that make erasing fast: stored responses by the checks that they mention, and checks by account, image and API key. Creates the table and the indexes, and fills the table from responses that are already stored. */
export async function addAnsweredChecks(queries: Queries): Promise<void> {
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

/** Adds grey levels of known images. They are compared as a second test, which must confirm a match before it decides a verdict. Adds the column: Base64, or null for images that were added before. Those never decide a verdict. */
export async function addKnownLevels(queries: Queries): Promise<void> {
  await queries.raw('alter table known_images add column levels text');
}
