// News about appeals for the notices of the console.
import type { Database, Queries } from '../../storage/db/database.js';
import type { AppealRow } from './appeals.js';

/** Milliseconds for which an appeal or a decision is news. */
const NEWS_MS = 14 * 86_400_000;

/** Times of an account's newest appeal and newest decision; null without one in two weeks. */
export interface AppealNews {
  readonly receivedAt: Date | null;
  readonly decidedAt: Date | null;
}

export async function readAppealNews(database: Database, accountId: string, now: Date): Promise<AppealNews> {
  const row = await database.run((queries) =>
    queries<AppealRow>('appeals')
      .where({ account_id: accountId })
      .max({ received: 'created_at', decided: 'decided_at' })
      .first<Record<'received' | 'decided', number | string | null> | undefined>(),
  );
  const read = (time: number | string | null | undefined): Date | null =>
    Number(time ?? 0) > now.getTime() - NEWS_MS ? new Date(Number(time)) : null;
  return { receivedAt: read(row?.received), decidedAt: read(row?.decided) };
}

/** Counts the appeals of all accounts that wait for a decision. */
export async function countOpenAppeals(database: Database): Promise<number> {
  const open = (queries: Queries) => queries('appeals').where({ decision: null, withdrawn_at: null });
  const row = await database.run((queries) =>
    open(queries).count<{ n: number | string }>({ n: '*' }).first(),
  );
  return Number(row?.n ?? 0);
}
