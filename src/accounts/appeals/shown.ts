// Appeals with their account and the contested check, for those who decide them and for the account.
import type { Assessment, Signal } from 'telltale-engine/internal/check/types.js';
import type { Database, Queries } from '../../storage/db/database.js';
import { assessmentIn } from '../history/filter.js';
import { cutPage, PAGE_ROWS, type Page } from '../page.js';
import { readRow, type Appeal, type AppealRow } from './appeals.js';

/** An appeal with its account and the contested check. */
export interface ShownAppeal extends Appeal {
  readonly accountName: string;
  readonly check: {
    readonly createdAt: Date;
    readonly isAi: boolean;
    readonly assessment: Assessment;
    readonly fired: readonly Signal[];
    readonly reason: string | null;
    readonly fullImageScore: number | null;
    readonly faceScore: number | null;
    /** Name of the image, the caller's reference, or null. */
    readonly name: string | null;
    readonly isImageStored: boolean;
  };
}

/** Conditions that select appeals. */
export interface AppealFilter {
  /** Only appeals after this appeal in the list. */
  readonly before?: string | undefined;
  /** True selects only appeals that wait for a decision. */
  readonly isOpen?: boolean;
  /** Only appeals against checks of this account. Default: all accounts. */
  readonly accountId?: string | undefined;
}

/** Returns one page of appeals, newest first. */
export async function pageAppeals(
  database: Database,
  { before, isOpen = false, accountId }: AppealFilter,
): Promise<Page<ShownAppeal>> {
  const rows = await database.run((queries) => {
    const query = selectShown(queries)
      .orderBy('appeals.id', 'desc')
      .limit(PAGE_ROWS + 1);
    if (before !== undefined) void query.where('appeals.id', '<', before);
    if (isOpen) void query.whereNull('appeals.decision').whereNull('appeals.withdrawn_at');
    if (accountId !== undefined) void query.where('appeals.account_id', accountId);
    return query;
  });
  return cutPage(rows.map(readShown));
}

export async function findAppeal(database: Database, id: string): Promise<ShownAppeal | null> {
  const row = await database.run((queries) => selectShown(queries).where('appeals.id', id).first());
  return row ? readShown(row) : null;
}

interface ShownRow extends AppealRow {
  account_name: string;
  checked_at: number;
  is_ai: number;
  assessment_now: Assessment;
  fired: string;
  reason: string | null;
  full_image_score: number | null;
  face_score: number | null;
  name: string | null;
  ref: string | null;
  image: string | null;
}

function selectShown(queries: Queries) {
  return queries('appeals')
    .join('accounts', 'accounts.id', 'appeals.account_id')
    .join('checks', 'checks.id', 'appeals.check_id')
    .leftJoin(
      'images',
      (join) => void join.on('images.id', 'checks.image_id').andOnNotNull('images.stored_at'),
    )
    .select<ShownRow[]>(
      'appeals.*',
      'accounts.name as account_name',
      'checks.created_at as checked_at',
      ...['is_ai', 'fired', 'reason', 'full_image_score', 'face_score', 'name', 'ref'].map(
        (column) => `checks.${column}`,
      ),
      'images.id as image',
      queries.raw(`${assessmentIn('checks')} as assessment_now`),
    );
}

function readShown(row: ShownRow): ShownAppeal {
  return {
    ...readRow(row),
    accountName: row.account_name,
    check: {
      createdAt: new Date(row.checked_at),
      isAi: row.is_ai === 1,
      assessment: row.assessment_now,
      fired: row.fired === '' ? [] : (row.fired.split(',') as Signal[]),
      reason: row.reason,
      fullImageScore: row.full_image_score,
      faceScore: row.face_score,
      name: row.name ?? row.ref,
      isImageStored: row.image !== null,
    },
  };
}
