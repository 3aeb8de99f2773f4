// Stores the items of a new scan in batches, so that a million items are never in memory together.
import { createHash } from 'node:crypto';
import { ulid } from 'ulid';
import { DAY_MS } from 'telltale-engine/internal/base/numbers.js';
import { MAX_SCAN_ITEMS, nameOfPlan, type Plan } from '../../accounts/plans.js';
import type { Payer } from '../../accounts/usage/record-checks.js';
import type { Database } from '../../storage/db/database.js';
import { CheckError, invalidRequest } from 'telltale-engine/internal/base/errors.js';
import { EventLoopTurn } from 'telltale-engine/internal/base/concurrency.js';
import { requireLeft } from '../../accounts/usage/period-counter.js';
import type { PeriodUsage } from '../../accounts/usage/usage.js';
import { presentFailure } from './answers.js';
import type { ListedItem } from './read-list.js';
import type { ErrorCounts, ScanRow } from './scan.js';

/** Maximum number of items per insert. With short addresses, the insert has about 0.3 MB and takes 20 ms. */
const BATCH_ITEMS = 2000;
/**
 * Number of characters in addresses, references and stored errors after which an insert is sent. Writing 2000
 * addresses of the maximum length as JSON would block the event loop for 80 ms.
 */
const BATCH_CHARACTERS = 500_000;

/** Account that starts a scan, with its API key or member. */
export type Owner = Payer;

/** A stored list of items from which a scan can be started. */
export interface Received {
  readonly id: string;
  readonly items: number;
  /** Number of refused items by error code. Their results are already stored. */
  readonly errors: ErrorCounts;
  /** Digest of the list's addresses and references. Equal digests mean equal lists. */
  readonly digest: string;
}

/**
 * Stores the items of a scan that is not visible yet. `usage` is the used quota; null for a duplicate
 * request, which needs only the digest and stores nothing. Rejects with the errors of `items`. Rejects with
 * invalid_request (above the limit of any scan) or plan_required (above the plan's limit), naming the line;
 * with quota_exceeded or unavailable. After a rejection, the stored items are deleted in the background.
 */
export async function receiveItems(
  database: Database,
  owner: Owner,
  usage: PeriodUsage | null,
  items: AsyncIterable<ListedItem>,
): Promise<Received> {
  const id = `scn_${ulid()}`;
  if (usage) await database.run((queries) => queries<ScanRow>('scans').insert(newRow(id, owner)));
  try {
    return { id, ...(await writeItems(database, { id, plan: owner.plan, usage }, items)) };
  } catch (error) {
    discardLater(database, id);
    throw error;
  }
}

async function writeItems(
  database: Database,
  { id, plan, usage }: { readonly id: string; readonly plan: Plan; readonly usage: PeriodUsage | null },
  items: AsyncIterable<ListedItem>,
): Promise<Omit<Received, 'id'>> {
  const hash = createHash('sha256');
  const errors: ErrorCounts = {};
  let count = 0;
  let refused = 0;
  let batch: object[] = [];
  let characters = 0;
  const flush = async (): Promise<void> => {
    const rows = JSON.stringify(batch);
    batch = [];
    characters = 0;
    if (!usage) return;
    // The lock makes an erasure of the account wait. After the erasure has begun, no items are stored.
    const { rowCount } = await database.run((queries) =>
      queries.raw<{ rowCount: number }>(
        `insert into scan_items (scan_id, position, line, address, ref, number, body)
         select owner.id, x.* from json_to_recordset(?::json)
           as x (position integer, line integer, address text, ref text, number integer, body text),
         (select scans.id from scans join accounts on accounts.id = scans.account_id
           where scans.id = ? and accounts.erasing is null for share of accounts) as owner`,
        [rows, id],
      ),
    );
    if (rowCount === 0)
      throw new CheckError('unauthorized', 'The account was erased while the request was running');
  };
  const turn = new EventLoopTurn();
  for await (const { line, address, ref, fault } of items) {
    await turn.yieldIfOver();
    count += 1;
    limitItems(count, line, plan);
    hash.update(JSON.stringify([address, ref, fault?.code]));
    if (fault) {
      refused += 1;
      errors[fault.code] = (errors[fault.code] ?? 0) + 1;
    }
    if (usage) requireLeft(plan, usage, count - refused, new Date());
    const body = fault === null ? null : JSON.stringify(presentFailure({ line, ref }, fault));
    batch.push({ position: count, line, address, ref, number: fault === null ? null : refused, body });
    for (const text of [address, ref, body]) characters += text?.length ?? 0;
    if (batch.length === BATCH_ITEMS || characters >= BATCH_CHARACTERS) await flush();
  }
  if (batch.length > 0) await flush();
  return { items: count, errors, digest: hash.digest('hex') };
}

function limitItems(count: number, line: number, plan: Plan): void {
  const maxItems = Math.min(plan.scanItems, MAX_SCAN_ITEMS);
  if (count <= maxItems) return;
  const message = `line ${line} of the list has item ${count}; a scan has at most ${maxItems} items`;
  if (maxItems === MAX_SCAN_ITEMS) throw invalidRequest(message);
  throw new CheckError('plan_required', `${message} on ${nameOfPlan(plan)}`);
}

function newRow(id: string, { accountId, keyId, memberId, plan }: Owner): ScanRow {
  return {
    id,
    account_id: accountId,
    key_id: keyId,
    member_id: memberId ?? null,
    name: null,
    is_uploaded: 0,
    plan: plan.name,
    period: '',
    profile: '',
    include: '',
    state: 'receiving',
    reason: null,
    items: 0,
    reserved: 0,
    next_position: 1,
    dealt_at: 0,
    answered: 0,
    checked: 0,
    errors: '{}',
    assessments: '{}',
    created_at: Date.now(),
    started_at: null,
    ended_at: null,
  };
}

/** Number of items per delete statement. */
const DISCARD_ITEMS = 5000;

/**
 * Deletes an abandoned list in the background, because a million items take seconds. A sweep deletes the rest
 * if the database is unavailable or the process ends.
 */
export function discardLater(database: Database, id: string): void {
  discardReceived(database, id).catch(() => undefined);
}

/** Deletes a list, unless it has become a scan: a commit may succeed although its response is lost. */
export async function discardReceived(database: Database, id: string): Promise<void> {
  // The row lock waits for a running commit.
  const rows = await database.run((queries) =>
    queries<ScanRow>('scans').where({ id, state: 'receiving' }).forUpdate().select('id'),
  );
  if (rows.length > 0) await discardScan(database, id);
}

/** Deletes a scan and its items. Requires that no items are being checked. */
async function discardScan(database: Database, id: string): Promise<void> {
  const [most] = await database.run((queries) =>
    queries('scan_items').where({ scan_id: id }).max<{ last: number | null }[]>('position as last'),
  );
  // Deletes by range. Searching for the first remaining rows would pass all deleted rows each time.
  for (let from = 1; from <= (most?.last ?? 0); from += DISCARD_ITEMS)
    await database.run((queries) =>
      queries('scan_items')
        .where({ scan_id: id })
        .whereBetween('position', [from, from + DISCARD_ITEMS - 1])
        .delete(),
    );
  await database.run((queries) => queries('scans').where({ id }).delete());
}

/** Milliseconds after which a list that is still being received is deleted. */
const UNFINISHED_MS = 3_600_000;

/** Deletes scans that ended more than `days` ago, and lists that were never completed. */
export async function sweepScans(database: Database, days: number): Promise<void> {
  const now = Date.now();
  const ids = await database.run((queries) =>
    queries<ScanRow>('scans')
      .where('ended_at', '<', now - days * DAY_MS)
      .orWhere((unfinished) => {
        void unfinished.where({ state: 'receiving' }).where('created_at', '<', now - UNFINISHED_MS);
      })
      .limit(100)
      .pluck('id'),
  );
  for (const id of ids) await discardScan(database, id);
}
