// Finds earlier checks of the same image. Accounts can choose that a perceptual hash is stored with each check.
import type { Assessment, Signal } from 'telltale-engine/internal/check/types.js';
import type { Scene, SceneHash } from 'telltale-engine/internal/engine/types.js';
import type { Database, Queries } from '../../storage/db/database.js';
import { deleteInPieces } from '../../storage/db/pieces.js';
import { AccountFault } from '../accounts.js';
import { audit } from '../audit.js';
import { assessmentIn, joinKeptImage } from '../history/filter.js';
import { columnsOf, findNear, readBits } from './scene-index.js';

/** Maximum number of earlier checks in a response. */
const MAX_CHECKS = 10;

/** An earlier check of the same image. */
export interface SeenCheck {
  readonly id: string;
  readonly createdAt: Date;
  readonly isAi: boolean;
  readonly assessment: Assessment;
  readonly fired: readonly Signal[];
  readonly model: string;
  readonly bandsVersion: string;
  /** The correct verdict according to a report; null if nobody reported the verdict as wrong. */
  readonly reportedIsAi: boolean | null;
  /** True if an appeal overturned the verdict. */
  readonly isOverturned: boolean;
  readonly ref: string | null;
  /** Name under which the history lists the check; null if it stores no names. */
  readonly name: string | null;
  readonly isImageStored: boolean;
  /** Share of the hashes' bits that differ, from 0 to 1. */
  readonly difference: number;
}

/**
 * Sets whether hashes of an account's images are stored. Switching it off deletes the stored hashes. Throws
 * AccountFault if the account does not exist.
 */
export async function keepHashes(database: Database, accountId: string, isOn: boolean): Promise<void> {
  // Deletes most rows before the setting changes. If the process is interrupted, the setting is still on and the
  // caller can try again.
  if (!isOn) await deleteInPieces(database, 'seen_images', (rows) => rows.where({ account_id: accountId }));
  await database.transaction(async (queries) => {
    const byAccount = { account_id: accountId };
    const account = await queries<{ id: string; name: string }>('accounts')
      .where({ id: accountId })
      .forUpdate()
      .first('name');
    const wasOn = (await queries('seen_accounts').where(byAccount).pluck('account_id')).length > 0;
    if (!account) throw new AccountFault('there is no such account');
    if (wasOn === isOn) return;
    if (isOn) await queries('seen_accounts').insert({ ...byAccount, since: Date.now() });
    else for (const table of ['seen_accounts', 'seen_images']) await queries(table).where(byAccount).delete();
    const facts = { before: { keeps_hashes: wasOn }, after: { keeps_hashes: isOn } };
    const change = { what: 'account.hashes_changed', accountId, subject: account.name, ...facts } as const;
    await audit(queries, database.actor, change);
  });
  if (!isOn) await database.truncateLog();
}

/** Returns which of these accounts store hashes. */
export async function findHashing(database: Database, ids: readonly string[]): Promise<Set<string>> {
  const rows = await database.run((queries) =>
    queries('seen_accounts')
      .whereIn('account_id', [...ids])
      .pluck<string[]>('account_id'),
  );
  return new Set(rows);
}

/** Stores the hashes of checks, whose rows must exist. Does nothing if the account has switched hashes off. */
export async function insertHashes(
  queries: Queries,
  accountId: string,
  hashes: readonly { readonly id: string; readonly hash: SceneHash }[],
): Promise<void> {
  if (hashes.length === 0) return;
  // Locks the setting. If hashes are being switched off at the same time, that call then also deletes the hashes
  // inserted here.
  const isOn = await queries('seen_accounts')
    .where({ account_id: accountId })
    .forShare()
    .first<{ since: number } | undefined>('since');
  if (isOn)
    await queries('seen_images').insert(
      hashes.map(({ id, hash }) => ({ id, account_id: accountId, ...columnsOf(hash) })),
    );
}

/** Returns the hash stored for a check, or null. */
export async function readHash(database: Database, accountId: string, id: string): Promise<SceneHash | null> {
  const row = await database.run((queries) =>
    queries<{ id: string; account_id: string; bits: string }>('seen_images')
      .where({ id, account_id: accountId })
      .first('bits'),
  );
  return row ? readBits(row.bits) : null;
}

interface SeenRow {
  id: string;
  created_at: number;
  is_ai: number;
  assessment_now: Assessment;
  fired: string;
  model: string;
  bands_version: string;
  reported_label: string | null;
  appeal: string | null;
  ref: string | null;
  name: string | null;
  /** Identifier of the stored image, or null. */
  stored_id: string | null;
}

/** Returns earlier checks of the account that show the same image, the most similar first. */
export async function findSeen(database: Database, accountId: string, scene: Scene): Promise<SeenCheck[]> {
  const near = (await findNear(database, 'seen_images', accountId, scene)).slice(0, MAX_CHECKS);
  if (near.length === 0) return [];
  const rows = await database.run((queries) =>
    queries('checks')
      .leftJoin('images', joinKeptImage)
      .where('checks.account_id', accountId)
      .whereIn(
        'checks.id',
        near.map(({ id }) => id),
      )
      .select<SeenRow[]>(
        'checks.*',
        'images.id as stored_id',
        queries.raw(`${assessmentIn('checks')} as assessment_now`),
      ),
  );
  const byId = new Map(rows.map((row) => [row.id, row]));
  return near.flatMap(({ id, difference }) => {
    const row = byId.get(id);
    return row ? [{ ...readRow(row), difference }] : [];
  });
}

function readRow(row: SeenRow): Omit<SeenCheck, 'difference'> {
  return {
    id: row.id,
    createdAt: new Date(row.created_at),
    isAi: row.is_ai === 1,
    assessment: row.assessment_now,
    fired: row.fired === '' ? [] : (row.fired.split(',') as Signal[]),
    model: row.model,
    bandsVersion: row.bands_version,
    reportedIsAi: row.reported_label === null ? null : row.reported_label !== 'real',
    isOverturned: row.appeal === 'overturned',
    ref: row.ref,
    name: row.name,
    isImageStored: row.stored_id !== null,
  };
}
