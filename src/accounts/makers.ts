// Detection services of companies that run image generators: which of them an account may use, and its monthly limits.
import type { Database } from '../storage/db/database.js';
import { audit } from './audit.js';
import { AccountFault } from './accounts.js';
import { periodOf } from './usage/period.js';

/** Names of the companies' services for which Telltale has connectors, see service/makers/. */
export const MAKER_NAMES = ['openai', 'azure'] as const;
export type MakerName = (typeof MAKER_NAMES)[number];

/** Maximum monthly limit that can be set. */
const MAX_REQUESTS = 1_000_000_000;

/** A company's detection service that is switched on for an account. */
export interface AccountMaker {
  readonly maker: MakerName;
  readonly requestsPerMonth: number;
  /** Number of requests in the current month (UTC). */
  readonly requestsSent: number;
}

interface MakerRow {
  account_id: string;
  maker: MakerName;
  requests_per_month: number;
  period: string;
  asked: number;
}

/** Returns the detection services that are switched on for the account, sorted by name. */
export async function listMakers(
  database: Database,
  accountId: string,
  now = new Date(),
): Promise<readonly AccountMaker[]> {
  const period = periodOf(now).name;
  const rows = await database.run((queries) =>
    queries<MakerRow>('account_makers').where({ account_id: accountId }).orderBy('maker'),
  );
  return rows.map((row) => ({
    maker: row.maker,
    requestsPerMonth: row.requests_per_month,
    requestsSent: row.period === period ? row.asked : 0,
  }));
}

/**
 * Switches a detection service on with a monthly limit, or off with null. Changing the limit keeps this month's count.
 * Throws AccountFault if the limit is invalid or the account does not exist.
 */
export async function setMaker(
  database: Database,
  accountId: string,
  maker: MakerName,
  requestsPerMonth: number | null,
): Promise<void> {
  const isLimit = (limit: number): boolean => Number.isInteger(limit) && limit >= 1 && limit <= MAX_REQUESTS;
  if (requestsPerMonth !== null && !isLimit(requestsPerMonth))
    throw new AccountFault(`Expected a whole number of requests per month from 1 to ${MAX_REQUESTS}`);
  await database.transaction(async (queries) => {
    const account = await queries<{ id: string; name: string }>('accounts')
      .where({ id: accountId })
      .forUpdate()
      .first();
    if (!account) throw new AccountFault('there is no such account');
    const rows = () => queries<MakerRow>('account_makers').where({ account_id: accountId, maker });
    const row = await rows().first();
    const before = row?.requests_per_month ?? null;
    if (before === requestsPerMonth) return;
    if (requestsPerMonth === null) await rows().delete();
    else if (row) await rows().update({ requests_per_month: requestsPerMonth });
    else
      await queries<MakerRow>('account_makers').insert({
        account_id: accountId,
        maker,
        requests_per_month: requestsPerMonth,
        period: periodOf(new Date()).name,
        asked: 0,
      });
    await audit(queries, database.actor, {
      what: 'account.maker_changed',
      accountId,
      subject: account.name,
      before: { [maker]: before },
      after: { [maker]: requestsPerMonth },
    });
  });
}

/**
 * Counts one request to a detection service. Returns false if the limit is reached. A single statement counts and
 * compares, so that concurrent requests can't exceed the limit.
 */
export async function takeMakerRequest(
  database: Database,
  accountId: string,
  maker: MakerName,
  now = new Date(),
): Promise<boolean> {
  const period = periodOf(now).name;
  const rows = await database.run((queries) =>
    queries<MakerRow>('account_makers')
      .where({ account_id: accountId, maker })
      .where((limits) => void limits.whereNot({ period }).orWhereRaw('asked < requests_per_month'))
      .update({ asked: queries.raw('case when period = ? then asked + 1 else 1 end', [period]), period })
      .returning('asked'),
  );
  return rows.length > 0;
}
