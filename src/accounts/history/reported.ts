// Verdicts that were reported as wrong, over all accounts: how many each has reported, and which can be learned from.
import type { Knex } from 'knex';
import type { Database, Queries } from '../../storage/db/database.js';
import { joinKeptImage, LABELS, type Label } from './checks.js';

/** What an account has reported as wrong, by the right answer. */
export interface ReportedCount {
  readonly accountId: string;
  readonly account: string;
  /** With their picture. */
  readonly ai: number;
  readonly genuine: number;
  /** Of either answer, with no picture kept any more. */
  readonly withoutPicture: number;
}

/** A report whose picture is kept. */
export interface KeptReport {
  readonly checkId: string;
  readonly accountId: string;
  readonly imageId: string;
  readonly label: Label;
}

/** How much each account has reported; the one with the most first. */
export async function countReported(database: Database): Promise<ReportedCount[]> {
  const rows = await database.run((queries) =>
    queries('checks')
      .leftJoin('images', joinKeptImage)
      .whereNotNull('checks.reported_label')
      .join('accounts', 'accounts.id', 'checks.account_id')
      .groupBy('accounts.id', 'accounts.name')
      .select<Record<'id' | 'name' | 'ai' | 'genuine' | 'bare', string>[]>(
        'accounts.id',
        'accounts.name',
        count(queries, "images.id is not null and checks.reported_label <> 'real'", 'ai'),
        count(queries, "images.id is not null and checks.reported_label = 'real'", 'genuine'),
        count(queries, 'images.id is null', 'bare'),
      ),
  );
  return rows
    .map(({ id, name, ai, genuine, bare }) => ({
      accountId: id,
      account: name,
      ai: Number(ai),
      genuine: Number(genuine),
      withoutPicture: Number(bare),
    }))
    .sort((one, other) => other.ai + other.genuine - one.ai - one.genuine);
}

/** The newest reports of each account whose picture is kept, `most` of an account, newest first. */
export async function listKeptReports(database: Database, most: number): Promise<KeptReport[]> {
  const rows = await database.run((queries) =>
    queries
      .with('kept', (kept) => {
        void kept
          .from('checks')
          .join('images', joinKeptImage)
          .whereNotNull('checks.reported_label')
          .select(
            'checks.id',
            'checks.account_id',
            'checks.image_id',
            'checks.reported_label',
            queries.raw(
              'row_number() over (partition by checks.account_id order by checks.id desc) as place',
            ),
          );
      })
      .from('kept')
      .where('place', '<=', most)
      .orderBy('id', 'desc')
      .select<Record<'id' | 'account_id' | 'image_id' | 'reported_label', string>[]>('*'),
  );
  return rows.flatMap((row) => {
    const label = LABELS.find((name) => name === row.reported_label);
    return label === undefined
      ? []
      : [{ checkId: row.id, accountId: row.account_id, imageId: row.image_id, label }];
  });
}

function count(queries: Queries, condition: string, name: string): Knex.Raw {
  return queries.raw(`sum(case when ${condition} then 1 else 0 end) as ${name}`);
}
