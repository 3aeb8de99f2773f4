// The order of a history that is looked through for what needs eyes: AI first, then what to look at closer.
import type { Knex } from 'knex';

/**
 * Where a check stands, all parts rising: its verdict, then the score of the whole picture from the highest, then its
 * identifier. Scores of the two detectors can't be compared, so that of the face orders nothing.
 */
function placeOf(table: string): string[] {
  return [
    `(case when ${table}.is_ai = 1 then 0 when ${table}.attention = 'blank' then 3 when ${table}.attention is null then 2 else 1 end)`,
    // Without a score Content Credentials decided.
    `(-coalesce(${table}.full_image_score, 1))`,
    `${table}.id`,
  ];
}

/** Orders checks by it; with `after` gives those behind the account's check with this identifier. */
export function orderWorstFirst(
  query: Pick<Knex.QueryBuilder, 'orderByRaw' | 'whereRaw'>,
  accountId: string,
  after: string | undefined,
): void {
  void query.orderByRaw(placeOf('checks').join(', '));
  if (after === undefined) return;
  void query.whereRaw(
    `(${placeOf('checks').join(', ')}) > (select ${placeOf('last').join(', ')} from checks as last where last.id = ? and last.account_id = ?)`,
    [after, accountId],
  );
}
