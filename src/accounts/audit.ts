// The audit log: who changed what, when and from which address. Each entry is written in the same transaction as its
// change.
import { encodeTime, monotonicFactory } from 'ulid';
import { DAY_MS } from 'telltale-engine/internal/base/numbers.js';
import type { Actor, Database, Queries } from '../storage/db/database.js';
import { deleteInPieces } from '../storage/db/pieces.js';
import { CHANGES, type ChangeName, type Facts } from './changes.js';
import { PAGE_ROWS, cutPage, type Page } from './page.js';

export interface Change {
  readonly what: ChangeName;
  /** Account that is changed; null if the change concerns the whole installation. */
  readonly accountId: string | null;
  /** Thing that is changed: the name of an account, the identifier of a key, the address of a member, and so on. */
  readonly subject: string;
  readonly before?: Facts;
  readonly after?: Facts;
}

/** A change as stored in the log. */
export interface AuditEntry extends Change {
  /** `aud_` followed by a ULID. */
  readonly id: string;
  readonly at: Date;
  readonly actor: Actor;
  /** Name of the account; null if the change concerns no account, or one that no longer exists. */
  readonly accountName: string | null;
}

interface AuditRow {
  id: string;
  account_id: string | null;
  what: ChangeName;
  subject: string;
  actor_kind: Actor['kind'];
  actor_name: string | null;
  actor_account_id: string | null;
  address: string | null;
  before: string | null;
  after: string | null;
  created_at: number;
}

// Monotonic ULIDs keep the entries of one transaction in order.
const nextId = monotonicFactory();
/** Writes an entry. `queries` must be the transaction that makes the change. */
export async function audit(queries: Queries, actor: Actor, change: Change): Promise<void> {
  const now = Date.now();
  await queries<AuditRow>('audit_log').insert({
    id: `aud_${nextId(now)}`,
    account_id: change.accountId,
    what: change.what,
    subject: change.subject,
    actor_kind: actor.kind,
    actor_name: actor.name,
    actor_account_id: actor.accountId,
    address: actor.address,
    before: change.before ? JSON.stringify(change.before) : null,
    after: change.after ? JSON.stringify(change.after) : null,
    created_at: now,
  });
}

/** Conditions that select entries of the audit log. */
export interface AuditFilter {
  /** Only entries of this account. */
  readonly accountId?: string;
  /** Name of a change, or of a group of changes; one of CHANGE_FILTERS. */
  readonly what?: string;
  readonly since?: Date;
  /** Only entries before this time. */
  readonly until?: Date;
}

/** Returns one page of entries, newest first. `before` is the identifier of the last entry of the previous page. */
export async function pageAudit(
  database: Database,
  filter: AuditFilter,
  before?: string,
): Promise<Page<AuditEntry>> {
  const rows = await database.read((queries) => {
    const query = selectEntries(queries, filter)
      .orderBy('audit_log.id', 'desc')
      .limit(PAGE_ROWS + 1);
    return before === undefined ? query : query.where('audit_log.id', '<', before);
  });
  return cutPage(rows.map(readEntry));
}

/** Yields all entries, oldest first, and reads them from the database page by page. */
export async function* readAudit(database: Database, filter: AuditFilter): AsyncGenerator<AuditEntry> {
  let rows: readonly AuditEntry[] = [];
  do {
    const last = rows.at(-1)?.id ?? '';
    rows = (
      await database.read((queries) =>
        selectEntries(queries, filter)
          .where('audit_log.id', '>', last)
          .orderBy('audit_log.id')
          .limit(PAGE_ROWS),
      )
    ).map(readEntry);
    yield* rows;
  } while (rows.length === PAGE_ROWS);
}

/** Deletes entries older than `days` days. */
export async function sweepAudit(database: Database, days: number): Promise<void> {
  // Identifiers begin with the time, so the primary key's index finds old entries.
  const oldest = `aud_${encodeTime(Date.now() - days * DAY_MS, 10)}`;
  await deleteInPieces(database, 'audit_log', (rows) => rows.where('id', '<', oldest));
}

/** An entry in the form of the JSON response. */
export interface PresentedEntry {
  readonly id: string;
  /** RFC 3339. */
  readonly at: string;
  readonly what: ChangeName;
  /** `name` is null if the account no longer exists. */
  readonly account: { readonly id: string; readonly name: string | null } | null;
  readonly subject: string;
  readonly by: {
    readonly kind: Actor['kind'] | 'operator';
    readonly name: string | null;
    readonly address: string | null;
  };
  readonly before: Facts | null;
  readonly after: Facts | null;
}

/**
 * Returns an entry in the form of the JSON response. `viewer` is the account whose owner reads the entry; null means
 * that an operator reads it. Owners see neither which operator or server user made a change, nor that person's network
 * address.
 */
export function presentEntry(entry: AuditEntry, viewer: string | null): PresentedEntry {
  const { kind, name, address } = entry.actor;
  return {
    id: entry.id,
    at: entry.at.toISOString(),
    what: entry.what,
    account: entry.accountId === null ? null : { id: entry.accountId, name: entry.accountName },
    subject: entry.subject,
    by:
      viewer !== null && isOutside(entry.actor, viewer)
        ? { kind: 'operator', name: null, address: null }
        : { kind, name, address },
    before: entry.before ?? null,
    after: entry.after ?? null,
  };
}

function isOutside({ kind, accountId }: Pick<Actor, 'kind' | 'accountId'>, viewer: string): boolean {
  return kind === 'command' || (kind === 'member' && accountId !== viewer);
}

/**
 * Returns columns that hide the actor of a change in an exported row, like `presentEntry`. Empty if the account
 * `viewer` may see who made the change.
 */
export function outsideActor(row: Readonly<Record<string, unknown>>, viewer: string): object {
  const { actor_kind: kind, actor_account_id: accountId } = row as unknown as AuditRow;
  if (!isOutside({ kind, accountId }, viewer)) return {};
  return { actor_kind: 'operator', actor_name: null, actor_account_id: null, address: null };
}

type FoundRow = AuditRow & { account_name: string | null };

function selectEntries(queries: Queries, { accountId, what, since, until }: AuditFilter) {
  const query = queries('audit_log')
    .leftJoin('accounts', 'accounts.id', 'audit_log.account_id')
    .select<FoundRow[]>('audit_log.*', 'accounts.name as account_name');
  if (accountId !== undefined) void query.where('audit_log.account_id', accountId);
  if (what?.includes('.')) void query.where('audit_log.what', what);
  else if (what !== undefined)
    void query.whereIn(
      'audit_log.what',
      CHANGES.filter((name) => name.startsWith(`${what}.`)),
    );
  if (since) void query.where('audit_log.created_at', '>=', since.getTime());
  if (until) void query.where('audit_log.created_at', '<', until.getTime());
  return query;
}

function readEntry(row: FoundRow): AuditEntry {
  return {
    id: row.id,
    at: new Date(row.created_at),
    what: row.what,
    accountId: row.account_id,
    accountName: row.account_name,
    subject: row.subject,
    actor: {
      kind: row.actor_kind,
      name: row.actor_name,
      accountId: row.actor_account_id,
      address: row.address,
    },
    ...(row.before !== null && { before: JSON.parse(row.before) as Facts }),
    ...(row.after !== null && { after: JSON.parse(row.after) as Facts }),
  };
}
