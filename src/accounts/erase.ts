// Erases for good what is kept of a check, or of an account, and exports it. What was charged for an erased check stays charged.
import type { Database, Queries } from '../storage/db/database.js';
import type { ImageRetention } from '../storage/images/image-retention.js';
import { findAccountById, AccountFault } from './accounts.js';
import { audit, outsideActor } from './audit.js';

/** What takes the place of an erased check in the results of its scan; the caller's own reference goes, too. */
const ERASED_ENTRY = { error: { code: 'not_found', message: 'this check was erased' } };

interface CheckRow {
  id: string;
  account_id: string;
  image_id: string | null;
  request_id: string;
}

/** Scans begin so: a check's request identifier is that of its scan. */
const SCAN_ID = /^scn_/;

/**
 * Erases a check of the account: its row of the history with reports and notes, the kept image that no other check names,
 * the answer of its Idempotency-Key (a request with that key is a new one) and its entry in the results of a scan. False
 * where there is no such check.
 */
export async function eraseCheck(
  database: Database,
  retention: ImageRetention,
  { accountId, id }: { readonly accountId: string; readonly id: string },
): Promise<boolean> {
  const isErased = await database.transaction(async (queries) => {
    const check = await queries<CheckRow>('checks').where({ account_id: accountId, id }).forUpdate().first();
    if (!check) return false;
    await queries('checks').where({ id }).delete();
    await queries('idempotency_keys')
      .where({ account_id: accountId })
      .where('answer', 'like', `%"${id}"%`)
      .delete();
    if (SCAN_ID.test(check.request_id)) await eraseEntry(queries, check.request_id, id);
    if (check.image_id !== null)
      await unnamedImages(queries, accountId).where({ id: check.image_id }).update({ expires_at: 0 });
    await audit(queries, database.actor, { what: 'check.erased', accountId, subject: id });
    return true;
  });
  // If this fails or the process ends, the service's own sweep deletes it.
  if (isErased) await retention.sweep();
  return isErased;
}

async function eraseEntry(queries: Queries, scanId: string, checkId: string): Promise<void> {
  const row = await queries<{ scan_id: string; position: number; line: number; body: string }>('scan_items')
    .where({ scan_id: scanId })
    .where('body', 'like', `%"${checkId}"%`)
    .first('position', 'line');
  if (!row) return;
  await queries('scan_items')
    .where({ scan_id: scanId, position: row.position })
    .update({ address: null, ref: null, body: JSON.stringify({ line: row.line, ...ERASED_ENTRY }) });
}

/** Kept images of the account that no check names any more. */
function unnamedImages(queries: Queries, accountId: string) {
  return queries('images')
    .where({ account_id: accountId })
    .whereNotExists((checks) => void checks.from('checks').whereRaw('checks.image_id = images.id'));
}

/** Tables of an account's rows, by what the report calls them: first those whose rows name others. */
const OWNED = {
  appeals: 'appeals',
  hashes: 'seen_images',
  checks: 'checks',
  images: 'images',
  scans: 'scans',
  webhooks: 'webhook_endpoints',
  invitations: 'links',
  members: 'members',
  keys: 'api_keys',
  audit_entries: 'audit_log',
} as const;

/** What nobody counts. */
const BOOKKEEPING = [
  'appeal_links',
  'seen_accounts',
  'scan_slots',
  'idempotency_keys',
  'stored_answers',
  'rate_limits',
  'usage_days',
  'usage_periods',
  'account_makers',
];

/** What an account has, or had. */
export type AccountContents = Readonly<Record<keyof typeof OWNED | 'charged' | 'image_bytes', number>>;

/** Counts what `eraseAccount` would erase; `charged`: the checks of all periods. Throws AccountFault without an account. */
export async function countAccount(database: Database, accountId: string): Promise<AccountContents> {
  if (!(await findAccountById(database, accountId))) throw noSuchAccount();
  const number = async (query: (queries: Queries) => PromiseLike<unknown>): Promise<number> => {
    const row = (await database.run(query)) as { value: number | string | null } | undefined;
    return Number(row?.value ?? 0);
  };
  const mine = { account_id: accountId };
  const counts: Record<string, number> = {};
  for (const [name, table] of Object.entries(OWNED))
    counts[name] = await number((queries) => queries(table).where(mine).count('* as value').first());
  return {
    ...(counts as Record<keyof typeof OWNED, number>),
    charged: await number((queries) => queries('usage_periods').where(mine).sum('checks as value').first()),
    image_bytes: await number((queries) => queries('images').where(mine).sum('size_bytes as value').first()),
  };
}

/**
 * Erases an account with all that it owns, usage included, and gives what it had. Its keys, sessions and links end
 * first; a check under way then is refused. Runs again where it was stopped. Throws AccountFault without an account, or
 * if another call erased it meanwhile; errors: unavailable.
 */
export async function eraseAccount(
  database: Database,
  retention: ImageRetention,
  accountId: string,
): Promise<AccountContents> {
  const contents = await countAccount(database, accountId);
  const { name = '' } = (await findAccountById(database, accountId)) ?? {};
  const mine = { account_id: accountId };
  await database.transaction(async (queries) => {
    await queries('api_keys').where(mine).update({ revoked_at: Date.now() });
    await queries('sessions').whereIn('member_id', queries('members').where(mine).select('id')).delete();
    await queries('links').where(mine).delete();
  });
  let isGone = false;
  // Again while a check that was under way has kept an image: its bytes go before its row.
  while (!isGone) {
    await database.run((queries) => queries('checks').where(mine).delete());
    await database.run((queries) => queries('images').where(mine).update({ expires_at: 0 }));
    while ((await retention.sweep()) > 0);
    isGone = await database.transaction(async (queries) => {
      // Waits for transactions that write its rows, and lets no other begin.
      const locked = await queries('accounts').where({ id: accountId }).forUpdate().select('id');
      // Another call has erased it meanwhile, and has written that down.
      if (locked.length === 0) throw noSuchAccount();
      if (await queries('images').where(mine).first('id')) return false;
      const scans = queries('scans').where(mine).select('id');
      await queries('scan_items').whereIn('scan_id', scans).delete();
      for (const table of [...BOOKKEEPING, ...Object.values(OWNED)])
        await queries(table).where(mine).delete();
      await queries('accounts').where({ id: accountId }).delete();
      const before = { id: accountId, ...contents };
      await audit(queries, database.actor, {
        what: 'account.erased',
        accountId: null,
        subject: name,
        before,
      });
      return true;
    });
  }
  return contents;
}

function noSuchAccount(): AccountFault {
  return new AccountFault('there is no such account');
}

/** A row of whatever table. */
type Row = Readonly<Record<string, unknown>>;

/** Columns that open something, and what is drawn anew. */
const NOT_EXPORTED = new Set(['hash', 'password_hash', 'token_hash', 'secret', 'former_secret', 'thumbnail']);
const PAGE_ROWS = 1000;

/** Small tables of an account whose rows have no identifier. */
const SMALL = ['usage_periods', 'usage_days', 'seen_accounts', 'account_makers'];

/** Tables whose rows belong to one of an account's: the column that names it, and what orders them. */
const PARTS: Readonly<Record<string, readonly [table: string, of: string, by: string]>> = {
  scans: ['scan_items', 'scan_id', 'position'],
  webhooks: ['webhook_deliveries', 'endpoint_id', 'id'],
  members: ['sign_in_networks', 'member_id', 'network'],
};

/**
 * Everything kept of an account but its secrets, row by row, as `{ table, ...columns }`; times are milliseconds since 1970.
 * Throws AccountFault without an account.
 */
export async function* exportAccount(database: Database, accountId: string): AsyncGenerator<Row> {
  const account = await database.run((queries) => queries<Row>('accounts').where({ id: accountId }).first());
  if (!account) throw noSuchAccount();
  yield { table: 'accounts', ...account };
  const mine = { account_id: accountId };
  for (const table of SMALL)
    for (const row of await database.run((queries) => queries<Row>(table).where(mine)))
      yield { table, ...row };
  for (const [name, table] of Object.entries(OWNED)) {
    const [parts, of = '', by = ''] = PARTS[name] ?? [];
    for await (const row of readRows(database, table, mine, 'id')) {
      yield { ...row, ...(table === 'audit_log' && outsideActor(row, accountId)) };
      if (parts) yield* readRows(database, parts, { [of]: row.id as string }, by);
    }
  }
}

/** The rows of a table, page by page; `by` tells one from another. */
async function* readRows(
  database: Database,
  table: string,
  where: Readonly<Record<string, string>>,
  by: string,
): AsyncGenerator<Row> {
  let rows: Row[] = [];
  do {
    const last = rows.at(-1)?.[by] as string | number | undefined;
    rows = await database.run((queries) => {
      const found = queries<Row>(table).where(where).orderBy(by).limit(PAGE_ROWS);
      return last === undefined ? found : found.where(by, '>', last);
    });
    for (const row of rows)
      yield { table, ...Object.fromEntries(Object.entries(row).filter(([name]) => !NOT_EXPORTED.has(name))) };
  } while (rows.length === PAGE_ROWS);
}
