// Finds stored images that members marked as genuine or AI, in the checks of all accounts.
import type { Knex } from 'knex';
import type { Database, Queries } from '../../storage/db/database.js';
import { MEMBER_ADDRESS } from '../members/members.js';
import { joinKeptImage } from './filter.js';

export interface JudgedFilter {
  /** Only checks from this time on; null: no limit. */
  readonly from: Date | null;
  /** Only checks before this time; null: no limit. */
  readonly to: Date | null;
  /**
   * True if an image counts as genuine even if its AI verdict was only reported as wrong, but not reviewed.
   */
  readonly alsoReported: boolean;
  /** Accounts whose checks are selected; null: all accounts. */
  readonly accountIds: readonly string[] | null;
}

/** A query of checks that is joined with their images. */
type CheckQuery = Pick<Knex.QueryBuilder, 'where' | 'whereIn' | 'whereRaw'>;

/** Number of an account's stored images that its members marked. */
interface JudgedCount {
  readonly accountId: string;
  readonly account: string;
  readonly genuine: number;
  readonly ai: number;
  /** Number of members who marked an image as genuine in a review, not only in a report. */
  readonly members: number;
}

/** A check whose image is stored, with the mark that a member gave it. */
export interface JudgedCheck {
  readonly checkId: string;
  readonly accountId: string;
  readonly account: string;
  readonly imageId: string;
  readonly isAi: boolean;
  /** Address of the member who marked the check; null for an API key or a member who no longer exists. */
  readonly by: string | null;
}

/** SQL condition for images that a member marked as AI and nobody marked as genuine. */
const AI =
  "checks.is_ai = 1 and checks.status = 'confirmed' and coalesce(checks.reported_label, 'ai') <> 'real'" +
  " or checks.reported_label <> 'real' and coalesce(checks.status, 'open') <> 'cleared'";

function genuine(alsoReported: boolean): string {
  const cleared = "checks.status = 'cleared' and coalesce(checks.reported_label, 'real') = 'real'";
  const reported = "checks.reported_label = 'real' and coalesce(checks.status, 'open') <> 'confirmed'";
  return alsoReported ? `${cleared} or ${reported}` : cleared;
}

/** SQL for the member who marked the check. A review counts before a report, because it is newer. */
const LABELLER =
  "case when checks.status in ('cleared', 'confirmed') then checks.noted_by else checks.reported_by end";

function applyFilter(query: CheckQuery, { from, to, alsoReported, accountIds }: JudgedFilter): void {
  void query.whereRaw(`(${genuine(alsoReported)} or ${AI})`);
  if (from) void query.where('checks.created_at', '>=', from.getTime());
  if (to) void query.where('checks.created_at', '<', to.getTime());
  if (accountIds) void query.whereIn('checks.account_id', [...accountIds]);
}

/** Counts the marked images of each account; the account with the most genuine images comes first. */
export async function countJudged(database: Database, filter: JudgedFilter): Promise<JudgedCount[]> {
  const sum = (queries: Queries, condition: string, name: string) =>
    queries.raw(`sum(case when ${condition} then 1 else 0 end) as ${name}`);
  const isGenuine = genuine(filter.alsoReported);
  const rows = await database.read((queries) => {
    const query = queries('checks')
      .join('images', joinKeptImage)
      .join('accounts', 'accounts.id', 'checks.account_id')
      .groupBy('accounts.id', 'accounts.name')
      .select<Record<'id' | 'name' | 'genuine' | 'ai' | 'members', string>[]>(
        'accounts.id',
        'accounts.name',
        sum(queries, isGenuine, 'genuine'),
        sum(queries, AI, 'ai'),
        queries.raw(`count(distinct case when ${isGenuine} then checks.noted_by end) as members`),
      );
    applyFilter(query, filter);
    return query;
  });
  return rows
    .map(({ id, name, genuine, ai, members }) => ({
      accountId: id,
      account: name,
      genuine: Number(genuine),
      ai: Number(ai),
      members: Number(members),
    }))
    .sort((one, other) => other.genuine - one.genuine || other.ai - one.ai);
}

/** Returns each account's newest marked checks: at most `maximum` genuine and `maximum` AI images. */
export async function listJudged(
  database: Database,
  filter: JudgedFilter,
  maximum: number,
): Promise<JudgedCheck[]> {
  const rows = await database.read((queries) =>
    queries
      .with('judged', (judged) => {
        void judged
          .from('checks')
          .join('images', joinKeptImage)
          .join('accounts', 'accounts.id', 'checks.account_id')
          .leftJoin('members', 'members.id', queries.raw(LABELLER))
          .select(
            'checks.id',
            'checks.account_id',
            'checks.image_id',
            'accounts.name as account',
            queries.raw(`${MEMBER_ADDRESS} as said_by`),
            queries.raw(`case when ${AI} then 1 else 0 end as said_ai`),
            queries.raw(
              `row_number() over (partition by checks.account_id, case when ${AI} then 1 else 0 end order by checks.id desc) as place`,
            ),
          );
        applyFilter(judged, filter);
      })
      .from('judged')
      .where('place', '<=', maximum)
      .orderBy('id', 'desc')
      .select<JudgedRow[]>('*'),
  );
  return rows.map((row) => ({
    checkId: row.id,
    accountId: row.account_id,
    account: row.account,
    imageId: row.image_id,
    isAi: row.said_ai === 1,
    by: row.said_by,
  }));
}

interface JudgedRow {
  id: string;
  account_id: string;
  account: string;
  image_id: string;
  said_ai: number;
  said_by: string | null;
}
