// Erases for good what is kept of a check, or of an account, and exports it. What was charged for an erased check stays charged.
import type { Database, Queries } from '../storage/db/database.js';
import { deleteInPieces } from '../storage/db/pieces.js';
import type { ImageRetention } from '../storage/images/image-retention.js';
import { findAccountById, AccountFault } from './accounts.js';
import { audit, outsideActor } from './audit.js';
import { forgetAnswers } from './usage/idempotency.js';

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
  const erased = await database.transaction(async (queries) => {
    const check = await queries<CheckRow>('checks').where({ account_id: accountId, id }).forUpdate().first();
    if (!check) return null;
    await queries('checks').where({ id }).delete();
    if (database.dialect === 'postgres' && SCAN_ID.test(check.request_id)) await eraseEntry(queries, check);
    if (check.image_id !== null) {
      // First the lock, then the look: a check that names the image, too, may be recorded at this moment.
      await queries('images').where({ id: check.image_id }).forUpdate().select('id');
      await unnamedImages(queries, accountId).where({ id: check.image_id }).update({ expires_at: 0 });
    }
    await audit(queries, database.actor, { what: 'check.erased', accountId, subject: id });
    return check;
  });
  if (!erased) return false;
  // If the process ends before this, they expire within a day.
  await forgetAnswers(database, { accountId, id });
  // If this fails or the process ends, the service's own sweep deletes it.
  if (erased.image_id !== null) await retention.sweep({ id: erased.image_id });
  await database.truncateLog();
  return true;
}

/** Finds the entry of a check among the results of a scan, as the index of the table has it. */
const ENTRY_OF = `substring(body from '"id":"(chk_[0-9A-Z]{26})"') = ?`;

/** Erases the check's entry in the results of its scan. A caller may choose the identifier of a scan that is not its own. */
async function eraseEntry(queries: Queries, { account_id, id, request_id }: CheckRow): Promise<void> {
  const row = await queries<{ scan_id: string; position: number; line: number; body: string }>('scan_items')
    .whereIn('scan_id', queries('scans').where({ id: request_id, account_id }).select('id'))
    .whereNotNull('body')
    .whereRaw(ENTRY_OF, [id])
    .first('position', 'line');
  if (!row) return;
  await queries('scan_items')
    .where({ scan_id: request_id, position: row.position })
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

/** Tables of an account with any number of rows, in the order in which their rows go: before those that they name. */
const LARGE = ['appeals', 'appeal_links', 'seen_images', 'checks', 'idempotency_keys', 'audit_log'];
/** Tables with any number of rows whose rows belong to one of the account's: the column that names it, and its table. */
const LARGE_PARTS = [
  ['scan_items', 'scan_id', 'scans'],
  ['webhook_deliveries', 'endpoint_id', 'webhook_endpoints'],
] as const;

/**
 * Erases an account with all that it owns, usage included, and gives what it had. Its keys, sessions and links end
 * first; a check under way then is refused. Rows go in small transactions. An erasure that was stopped is gone on with
 * by the next call, or by `resumeErasing`. Throws AccountFault without an account, or if another call erased it
 * meanwhile; errors: unavailable.
 */
export async function eraseAccount(
  database: Database,
  retention: ImageRetention,
  accountId: string,
): Promise<AccountContents> {
  const contents = await beginErasing(database, accountId);
  const mine = { account_id: accountId };
  let isGone = false;
  // Again while a check that was under way has kept an image: its bytes go before its row.
  while (!isGone) {
    for (const table of LARGE) await deleteInPieces(database, table, (rows) => rows.where(mine));
    for (const [table, of, owners] of LARGE_PARTS)
      await deleteInPieces(database, table, (rows, queries) =>
        rows.whereIn(of, queries(owners).where(mine).select('id')),
      );
    await retention.eraseAll(accountId);
    isGone = await database.transaction(async (queries) => {
      // Waits for transactions that write its rows, and lets no other begin.
      const [locked] = await queries<AccountRow>('accounts')
        .where({ id: accountId })
        .forUpdate()
        .select('name');
      // Another call has erased it meanwhile, and has written that down.
      if (!locked) throw noSuchAccount();
      if (await queries('images').where(mine).first('id')) return false;
      for (const table of [...BOOKKEEPING, ...Object.values(OWNED)])
        await queries(table).where(mine).delete();
      await queries('accounts').where({ id: accountId }).delete();
      const before = { id: accountId, ...contents };
      await audit(queries, database.actor, {
        what: 'account.erased',
        accountId: null,
        subject: locked.name,
        before,
      });
      return true;
    });
  }
  await database.truncateLog();
  return contents;
}

interface AccountRow {
  id: string;
  name: string;
  /** JSON of an Erasing; null if nobody erases it. */
  erasing: string | null;
}

/** An erasure that has begun. */
interface Erasing {
  /** Time of the last call, in milliseconds since 1970. */
  readonly at: number;
  readonly contents: AccountContents;
}

/** Ends keys, sessions and links of an account, and notes what it has, or had when its erasure first began. */
async function beginErasing(database: Database, accountId: string): Promise<AccountContents> {
  const counted = await countAccount(database, accountId);
  const mine = { account_id: accountId };
  return database.transaction(async (queries) => {
    const account = await queries<AccountRow>('accounts').where({ id: accountId }).forUpdate().first();
    if (!account) throw noSuchAccount();
    const former = account.erasing === null ? null : (JSON.parse(account.erasing) as Erasing);
    const erasing: Erasing = { at: Date.now(), contents: former?.contents ?? counted };
    await queries<AccountRow>('accounts')
      .where({ id: accountId })
      .update({ erasing: JSON.stringify(erasing) });
    await queries('api_keys').where(mine).update({ revoked_at: Date.now() });
    await queries('sessions').whereIn('member_id', queries('members').where(mine).select('id')).delete();
    await queries('links').where(mine).delete();
    return erasing.contents;
  });
}

/** Time after which an erasure that has not ended counts as stopped. */
const STOPPED_MS = 900_000;

/** Goes on with erasures that were stopped: by an error, or because their process ended. Rejects with the first error. */
export async function resumeErasing(database: Database, retention: ImageRetention): Promise<void> {
  const rows = await database.run((queries) =>
    queries<AccountRow>('accounts').whereNotNull('erasing').select('id', 'erasing'),
  );
  const errors: unknown[] = [];
  for (const { id, erasing } of rows) {
    if ((JSON.parse(erasing ?? '') as Erasing).at > Date.now() - STOPPED_MS) continue;
    await eraseAccount(database, retention, id).catch((error: unknown) => {
      if (!(error instanceof AccountFault)) errors.push(error);
    });
  }
  if (errors.length > 0) throw errors[0];
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
