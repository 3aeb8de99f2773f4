// Erases all data of a check or of an account, and exports an account. Erasing does not refund charged checks.
import type { Database, Queries } from '../storage/db/database.js';
import { deleteInPieces } from '../storage/db/pieces.js';
import type { ImageRetention } from '../storage/images/image-retention.js';
import { findAccountById, AccountFault } from './accounts.js';
import { audit, outsideActor } from './audit.js';
import { noSuchCheck } from './history/remarks.js';
import { changeScanEntry, type ScannedCheck } from './history/scan-entry.js';
import { deleteResponses, hasResponse } from './usage/idempotency-locks.js';

/** Entry that replaces an erased check in the results of its scan. */
const ERASED_ENTRY = { error: { code: 'not_found', message: 'this check was erased' } };

interface CheckRow extends ScannedCheck {
  image_id: string | null;
}

/**
 * Erases a check of the account: its row in the history with reports and notes, the stored image if no other check
 * uses it, and its entry in the results of a scan. The response stored for its Idempotency-Key is erased too, so a
 * later request with that key is a new one. A check that has left the history may still have a response or an entry.
 * Throws CheckError not_found if the service holds nothing of the check.
 */
export async function eraseCheck(
  database: Database,
  retention: ImageRetention,
  { accountId, id }: { readonly accountId: string; readonly id: string },
): Promise<void> {
  const imageId = await database.transaction(async (queries) => {
    const named = { account_id: accountId, id };
    const check = await queries<CheckRow>('checks').where(named).forUpdate().first();
    if (check) await queries('checks').where({ id }).delete();
    const isFromScan = await changeScanEntry(queries, database.dialect, check ?? named, ({ line }) => ({
      address: null,
      ref: null,
      body: JSON.stringify({ line, ...ERASED_ENTRY }),
    }));
    if (!check && !isFromScan && !(await hasResponse(queries, { accountId, id }))) throw noSuchCheck();
    const erasedImage = check?.image_id ?? null;
    if (erasedImage !== null) {
      // Locks the image first, because another check that uses it may be recorded at the same time.
      await queries('images').where({ id: erasedImage }).forUpdate().select('id');
      await unnamedImages(queries, accountId).where({ id: erasedImage }).update({ expires_at: 0 });
    }
    await audit(queries, database.actor, { what: 'check.erased', accountId, subject: id });
    return erasedImage;
  });
  // If the process ends before this call, the stored responses still expire within a day.
  await deleteResponses(database, { accountId, id });
  // If this fails or the process ends first, the service's regular sweep deletes the image.
  if (imageId !== null) await retention.sweep({ id: imageId });
  await database.truncateLog();
}

function unnamedImages(queries: Queries, accountId: string) {
  return queries('images')
    .where({ account_id: accountId })
    .whereNotExists((checks) => void checks.from('checks').whereRaw('checks.image_id = images.id'));
}

/** Tables of an account, by name in the report of an erasure. A table comes before the tables it refers to. */
const OWNED_TABLES = {
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

export type AccountContents = Readonly<Record<keyof typeof OWNED_TABLES | 'charged' | 'image_bytes', number>>;

/**
 * Counts the rows that `eraseAccount` would erase. `charged` is the number of charged checks in all periods. Throws
 * AccountFault if the account does not exist.
 */
export async function countAccount(database: Database, accountId: string): Promise<AccountContents> {
  if (!(await findAccountById(database, accountId))) throw noSuchAccount();
  const number = async (query: (queries: Queries) => PromiseLike<unknown>): Promise<number> => {
    const row = (await database.read(query)) as { value: number | string | null } | undefined;
    return Number(row?.value ?? 0);
  };
  const byAccount = { account_id: accountId };
  const counts: Record<string, number> = {};
  for (const [name, table] of Object.entries(OWNED_TABLES))
    counts[name] = await number((queries) => queries(table).where(byAccount).count('* as value').first());
  return {
    ...(counts as Record<keyof typeof OWNED_TABLES, number>),
    charged: await number((queries) =>
      queries('usage_periods').where(byAccount).sum('checks as value').first(),
    ),
    image_bytes: await number((queries) =>
      queries('images').where(byAccount).sum('size_bytes as value').first(),
    ),
  };
}

/** Tables in which an account may have many rows. A table comes before the tables it refers to. */
const LARGE_TABLES = ['appeals', 'appeal_links', 'seen_images', 'checks', 'idempotency_keys', 'audit_log'];
/** Tables whose rows belong to a row of another table: table, column that refers to it, other table. */
const LARGE_PARTS = [
  ['scan_items', 'scan_id', 'scans'],
  ['webhook_deliveries', 'endpoint_id', 'webhook_endpoints'],
] as const;

/**
 * Erases an account with all its data, and returns how much data it had. First deletes the account's keys, sessions
 * and links, so that running checks are refused. Then deletes rows in small transactions. If the erasure is
 * interrupted, the next call or `resumeErasing` continues it. Throws AccountFault if the account does not exist or
 * another call has erased it meanwhile; errors: unavailable.
 */
export async function eraseAccount(
  database: Database,
  retention: ImageRetention,
  accountId: string,
): Promise<AccountContents> {
  const contents = await beginErasing(database, accountId);
  const byAccount = { account_id: accountId };
  let isGone = false;
  // Repeats if a running check has stored an image meanwhile, whose file must be deleted before its row.
  while (!isGone) {
    for (const table of LARGE_TABLES) await deleteInPieces(database, table, (rows) => rows.where(byAccount));
    for (const [table, of, owners] of LARGE_PARTS)
      await deleteInPieces(database, table, (rows, queries) =>
        rows.whereIn(of, queries(owners).where(byAccount).select('id')),
      );
    await retention.eraseAll(accountId);
    isGone = await database.transaction(async (queries) => {
      // Waits for transactions that write rows of this account and prevents new ones from beginning.
      const [locked] = await queries<AccountRow>('accounts')
        .where({ id: accountId })
        .forUpdate()
        .select('name');
      // Another call has erased the account meanwhile and has written the log entry.
      if (!locked) throw noSuchAccount();
      if (await queries('images').where(byAccount).first('id')) return false;
      for (const table of [...BOOKKEEPING, ...Object.values(OWNED_TABLES)])
        await queries(table).where(byAccount).delete();
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
  /** JSON of an Erasing, which says when the erasure began; null if the account is not being erased. */
  erasing: string | null;
}

interface Erasing {
  readonly at: number;
  readonly contents: AccountContents;
}

/** Deletes an account's keys, sessions and links. Stores how much data the account had at first. */
async function beginErasing(database: Database, accountId: string): Promise<AccountContents> {
  const rowCounts = await countAccount(database, accountId);
  const byAccount = { account_id: accountId };
  return database.transaction(async (queries) => {
    const account = await queries<AccountRow>('accounts').where({ id: accountId }).forUpdate().first();
    if (!account) throw noSuchAccount();
    const earlierErasing = account.erasing === null ? null : (JSON.parse(account.erasing) as Erasing);
    const erasing: Erasing = { at: Date.now(), contents: earlierErasing?.contents ?? rowCounts };
    await queries<AccountRow>('accounts')
      .where({ id: accountId })
      .update({ erasing: JSON.stringify(erasing) });
    await queries('api_keys').where(byAccount).update({ revoked_at: Date.now() });
    await queries('sessions').whereIn('member_id', queries('members').where(byAccount).select('id')).delete();
    await queries('links').where(byAccount).delete();
    return erasing.contents;
  });
}

/** Time after which an unfinished erasure is considered interrupted. */
const STOPPED_MS = 900_000;

/** Continues erasures that were interrupted. Rejects with the first error. */
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

type Row = Readonly<Record<string, unknown>>;

/** Columns left out of an export: secrets, and thumbnails, which can be made again from the image. */
const NOT_EXPORTED = new Set(['hash', 'password_hash', 'token_hash', 'secret', 'former_secret', 'thumbnail']);
const PAGE_ROWS = 1000;

/** Tables with few rows for each account and without an identifier column. An export reads them whole. */
const SMALL_TABLES = ['usage_periods', 'usage_days', 'seen_accounts', 'account_makers'];

/** Tables whose rows belong to a row of another table: table, column that refers to it, column to sort by. */
const PARTS: Readonly<Record<string, readonly [table: string, of: string, by: string]>> = {
  scans: ['scan_items', 'scan_id', 'position'],
  webhooks: ['webhook_deliveries', 'endpoint_id', 'id'],
  members: ['sign_in_networks', 'member_id', 'network'],
};

/**
 * Yields all data of an account except secrets, row by row, as `{ table, ...columns }`. Times are milliseconds since
 * 1970. Throws AccountFault if the account does not exist.
 */
export async function* exportAccount(database: Database, accountId: string): AsyncGenerator<Row> {
  const account = await database.run((queries) => queries<Row>('accounts').where({ id: accountId }).first());
  if (!account) throw noSuchAccount();
  yield { table: 'accounts', ...account };
  const byAccount = { account_id: accountId };
  for (const table of SMALL_TABLES)
    for (const row of await database.run((queries) => queries<Row>(table).where(byAccount)))
      yield { table, ...row };
  for (const [name, table] of Object.entries(OWNED_TABLES)) {
    const [parts, of = '', by = ''] = PARTS[name] ?? [];
    for await (const row of readRows(database, table, byAccount, 'id')) {
      yield { ...row, ...(table === 'audit_log' && outsideActor(row, accountId)) };
      if (parts) yield* readRows(database, parts, { [of]: row.id as string }, by);
    }
  }
}

/** Yields the rows of a table, reading it page by page. The column `by` must be unique. */
async function* readRows(
  database: Database,
  table: string,
  filter: Readonly<Record<string, string>>,
  by: string,
): AsyncGenerator<Row> {
  let rows: Row[] = [];
  do {
    const last = rows.at(-1)?.[by] as string | number | undefined;
    rows = await database.read((queries) => {
      const query = queries<Row>(table).where(filter).orderBy(by).limit(PAGE_ROWS);
      return last === undefined ? query : query.where(by, '>', last);
    });
    for (const row of rows)
      yield { table, ...Object.fromEntries(Object.entries(row).filter(([name]) => !NOT_EXPORTED.has(name))) };
  } while (rows.length === PAGE_ROWS);
}
