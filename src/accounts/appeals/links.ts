// Links by which people without an API key appeal. Each link shows only what was sent through it.
import { decodeTime, ulid } from 'ulid';
import { RequestFault, CheckError } from 'telltale-engine/internal/base/errors.js';
import { DAY_MS } from 'telltale-engine/internal/base/numbers.js';
import type { Database, Queries } from '../../storage/db/database.js';
import { deleteInPieces } from '../../storage/db/pieces.js';
import { audit } from '../audit.js';
import { hashToken, newToken } from '../members/sessions.js';
import { MAX_APPEALS, requireCheck } from './appeals.js';

/** Maximum number of valid appeal links for one check. */
const MAX_LINKS = 10;
/** Default number of days for which a link accepts originals. */
const LINK_DAYS = 14;
/** Maximum number of days for which a link accepts originals. */
export const MAX_LINK_DAYS = 90;
/** Milliseconds for which an expired or revoked link is kept, so that its page shows why it ended, and the decision. */
const KEPT_MS = 90 * DAY_MS;

export interface AppealLink {
  /** `apk_` followed by a ULID. */
  readonly id: string;
  readonly accountId: string;
  readonly accountName: string;
  readonly checkId: string;
  readonly createdAt: Date;
  readonly expiresAt: Date;
  readonly revokedAt: Date | null;
  /** Number of originals that were compared through this link. */
  readonly appeals: number;
}

interface LinkRow {
  id: string;
  token_hash: string;
  account_id: string;
  check_id: string;
  expires_at: number;
  revoked_at: number | null;
}
type FoundRow = LinkRow & { account_name: string; appeals: number | string };

/** Returns whether a bearer token belongs to an appeal link. All other tokens are API keys. */
export function isAppealToken(token: string): boolean {
  return /^apt_[A-Za-z0-9_-]{43}$/.test(token);
}

/**
 * Creates a link by which a person without an API key can appeal. The returned `token` is stored nowhere else. The check
 * must be of the account `owner`, unless that is null. Throws RequestFault not_found, CheckError too_many_appeals.
 */
export async function createAppealLink(
  database: Database,
  owner: string | null,
  checkId: string,
  days: number = LINK_DAYS,
): Promise<{ readonly link: AppealLink; readonly token: string }> {
  const token = `apt_${newToken()}`;
  return database.transaction(async (queries) => {
    const accountId = await requireCheck(queries, owner, checkId);
    const row: LinkRow = {
      id: `apk_${ulid()}`,
      token_hash: hashToken(token),
      account_id: accountId,
      check_id: checkId,
      expires_at: Date.now() + days * DAY_MS,
      revoked_at: null,
    };
    const valid = queries('appeal_links')
      .where({ check_id: checkId, revoked_at: null })
      .where('expires_at', '>', Date.now());
    if ((await valid.select('id')).length >= MAX_LINKS)
      throw new CheckError(
        'too_many_appeals',
        `A check has at most ${MAX_LINKS} valid links for appeals. Revoke one of them first`,
      );
    await queries<LinkRow>('appeal_links').insert(row);
    const after = { link: row.id, valid_until: new Date(row.expires_at).toISOString() };
    await audit(queries, database.actor, { what: 'appeal_link.created', accountId, subject: checkId, after });
    const [created] = await selectLinks(queries).where('appeal_links.id', row.id);
    if (!created) throw new Error('the link was inserted');
    return { link: readLink(created), token };
  });
}

/** Returns the links of a check, oldest first. With `accountId`, returns none for a check of another account. */
export async function listAppealLinks(
  database: Database,
  checkId: string,
  accountId?: string,
): Promise<AppealLink[]> {
  const rows = await database.run((queries) => {
    const query = selectLinks(queries).where('appeal_links.check_id', checkId).orderBy('appeal_links.id');
    return accountId === undefined ? query : query.where('appeal_links.account_id', accountId);
  });
  return rows.map(readLink);
}

/**
 * Revokes a link. A revoked link shows nothing and accepts nothing, but its appeals remain. Does nothing if the link is
 * already revoked. `owner` limits the links to an account and a check. Throws RequestFault not_found.
 */
export async function revokeAppealLink(
  database: Database,
  id: string,
  owner: { readonly accountId?: string; readonly checkId?: string } = {},
): Promise<AppealLink> {
  return database.transaction(async (queries) => {
    const { accountId, checkId } = owner;
    const [found] = await selectLinks(queries).where('appeal_links.id', id);
    const isOwn =
      found &&
      found.account_id === (accountId ?? found.account_id) &&
      found.check_id === (checkId ?? found.check_id);
    if (!isOwn) throw new RequestFault('There is no such link for appeals', null, 'not_found');
    const now = Date.now();
    const changed = await queries<LinkRow>('appeal_links')
      .where({ id, revoked_at: null })
      .update({ revoked_at: now });
    const change = { accountId: found.account_id, subject: found.check_id, after: { link: id } };
    if (changed > 0) await audit(queries, database.actor, { what: 'appeal_link.revoked', ...change });
    return readLink({ ...found, revoked_at: found.revoked_at ?? now });
  });
}

/** Returns a link, which may have expired or been revoked; null if it is unknown. */
export async function findAppealLink(database: Database, token: string): Promise<AppealLink | null> {
  const row = await database.run((queries) =>
    selectLinks(queries).where('appeal_links.token_hash', hashToken(token)).first(),
  );
  return row ? readLink(row) : null;
}

/** States of a link. It accepts an original only if it is `open`. */
export const LINK_STATES = ['open', 'used_up', 'expired', 'revoked'] as const;
export type LinkState = (typeof LINK_STATES)[number];

export function stateOfLink({ revokedAt, expiresAt, appeals }: AppealLink, now = new Date()): LinkState {
  if (revokedAt) return 'revoked';
  if (expiresAt <= now) return 'expired';
  return appeals >= MAX_APPEALS ? 'used_up' : 'open';
}

/**
 * Throws CheckError unauthorized if the link is unknown, revoked or expired. After its expiry, a link through which
 * something was sent may still read the decision (`isReading`).
 */
export function requireLink(link: AppealLink | null, isReading: boolean): asserts link {
  if (!link)
    throw new CheckError(
      'unauthorized',
      'This link for an appeal is unknown: it is incomplete, or the check was deleted. Ask for a new link',
    );
  const state = stateOfLink(link);
  if (state === 'revoked')
    throw new CheckError('unauthorized', `${link.accountName} revoked this link. Ask there for a new link`);
  if (state === 'expired' && !(isReading && link.appeals > 0)) {
    const day = link.expiresAt.toISOString().slice(0, 10);
    throw new CheckError(
      'unauthorized',
      `This link for an appeal expired on ${day}. Ask ${link.accountName} for a new link`,
    );
  }
}

/** Deletes links that ended long ago. */
export async function sweepAppealLinks(database: Database): Promise<void> {
  const now = Date.now();
  await deleteInPieces(database, 'appeal_links', (rows) => rows.where('expires_at', '<=', now - KEPT_MS));
}

function selectLinks(queries: Queries) {
  return queries('appeal_links')
    .join('accounts', 'accounts.id', 'appeal_links.account_id')
    .select<FoundRow[]>(
      'appeal_links.*',
      'accounts.name as account_name',
      queries.raw('(select count(*) from appeals where appeals.link_id = appeal_links.id) as appeals'),
    );
}

function readLink(row: FoundRow): AppealLink {
  return {
    id: row.id,
    accountId: row.account_id,
    accountName: row.account_name,
    checkId: row.check_id,
    createdAt: new Date(decodeTime(row.id.slice('apk_'.length))),
    expiresAt: new Date(row.expires_at),
    revokedAt: row.revoked_at === null ? null : new Date(row.revoked_at),
    appeals: Number(row.appeals),
  };
}
