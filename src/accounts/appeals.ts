// Appeals against verdicts: somebody sends the original file, the service compares it with the checked image, and an
// operator decides.
import { ulid } from 'ulid';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import type { Signal } from 'telltale-engine/internal/check/types.js';
import type { Database, Queries } from '../storage/db/database.js';
import { deleteInPieces } from '../storage/db/pieces.js';
import { audit } from './audit.js';
import { labelOf } from './history/remarks.js';
import { hashToken, newToken } from './members/sessions.js';
import { cutPage, PAGE_ROWS, type Page } from './page.js';
import { storeAnswer, type KeyLock } from './usage/idempotency-locks.js';

/** Maximum number of appeals for one check. */
export const MAX_APPEALS = 3;
/** Maximum number of valid appeal links for one check. */
const MAX_LINKS = 10;
const DAY_MS = 86_400_000;

export const DECISIONS = ['verdict_confirmed', 'verdict_overturned'] as const;
export type Decision = (typeof DECISIONS)[number];

/** The result of comparing the original with the checked image, in the form of the JSON response. */
export interface AppealFindings {
  /** `image`: compared with the stored image of the check; `hash`: compared only with its hash. */
  readonly compared_with: 'image' | 'hash';
  readonly same_scene: boolean;
  /** Share of the hashes' bits that differ, from 0 to 1. */
  readonly difference: number;
  /** Part of the original that the checked image shows, `[x, y, width, height]` from 0 to 1; null if none. */
  readonly crop: readonly number[] | null;
  readonly original: {
    readonly format: string;
    readonly width: number;
    readonly height: number;
    /** Number of the original's pixels divided by the checked image's; null if that image's size is unknown. */
    readonly enlarged: number | null;
    readonly is_ai: boolean;
    readonly fired: readonly Signal[];
    readonly reason: string;
    readonly scores: {
      readonly full_image_specialist: number | null;
      readonly face_specialist: number | null;
    };
    /** The camera named in the original's metadata, which is not signed; null if none is named. */
    readonly camera: string | null;
    readonly content_credentials:
      | { readonly found: false }
      | {
          readonly found: true;
          readonly signer: string | null;
          readonly verified: boolean;
          readonly ai: boolean;
        };
  };
}

export interface Appeal {
  readonly id: string;
  readonly checkId: string;
  readonly accountId: string;
  readonly createdAt: Date;
  /** Submitted by the holder of an API key of the account, or by a person with an appeal link. */
  readonly by: 'account' | 'link';
  readonly remark: string;
  readonly findings: AppealFindings;
  readonly record: string;
  readonly decision: { readonly outcome: Decision; readonly remark: string; readonly at: Date } | null;
}

interface AppealRow {
  id: string;
  check_id: string;
  account_id: string;
  created_at: number;
  by: string;
  remark: string;
  findings: string;
  record: string;
  decision: string | null;
  decision_remark: string | null;
  decided_at: number | null;
  decided_by: string | null;
}

/** Returns a new identifier. The caller needs it before the row exists, because the signed record contains it. */
export function newAppealId(): string {
  return `apl_${ulid()}`;
}

/** Throws CheckError too_many_appeals if the check already has the maximum number of appeals. */
export async function requireRoom(queries: Queries, checkId: string): Promise<void> {
  if ((await queries('appeals').where({ check_id: checkId }).select('id')).length >= MAX_APPEALS)
    throw new CheckError('too_many_appeals', `This check has the maximum of ${MAX_APPEALS} appeals`);
}

/**
 * Stores an appeal, and its response for repeated requests with the same Idempotency-Key. Throws CheckError not_found
 * if the check has been deleted, too_many_appeals, or deadline_exceeded if another request has taken over the key.
 */
export async function insertAppeal(
  database: Database,
  appeal: Omit<Appeal, 'decision'>,
  answer: { readonly lock: KeyLock; readonly body: string } | null,
): Promise<void> {
  await database.transaction(async (queries) => {
    await requireCheck(queries, appeal.accountId, appeal.checkId);
    await requireRoom(queries, appeal.checkId);
    await queries<AppealRow>('appeals').insert({
      id: appeal.id,
      check_id: appeal.checkId,
      account_id: appeal.accountId,
      created_at: appeal.createdAt.getTime(),
      by: appeal.by,
      remark: appeal.remark,
      findings: JSON.stringify(appeal.findings),
      record: appeal.record,
    });
    if (answer) await storeAnswer(queries, answer.lock, answer.body, appeal.createdAt);
  });
}

/** Locks the check's row until the commit. Throws CheckError not_found if it does not exist. */
async function requireCheck(queries: Queries, accountId: string, checkId: string): Promise<void> {
  const locked = await queries('checks')
    .where({ id: checkId, account_id: accountId })
    .forUpdate()
    .select('id');
  if (locked.length === 0)
    throw new CheckError('not_found', 'The check was erased while the request was running');
}

export async function listAppeals(database: Database, accountId: string, checkId: string): Promise<Appeal[]> {
  const rows = await database.run((queries) =>
    queries<AppealRow>('appeals').where({ account_id: accountId, check_id: checkId }).orderBy('id'),
  );
  return rows.map(readRow);
}

export interface ShownAppeal extends Appeal {
  readonly accountName: string;
  readonly wasAi: boolean;
}

/**
 * Returns one page of the appeals of all accounts, newest first, beginning after the appeal `before`. With `isOpen`,
 * returns only appeals without a decision.
 */
export async function pageAppeals(
  database: Database,
  before: string | undefined,
  isOpen: boolean,
): Promise<Page<ShownAppeal>> {
  const rows = await database.run((queries) => {
    const query = selectShown(queries)
      .orderBy('appeals.id', 'desc')
      .limit(PAGE_ROWS + 1);
    if (before !== undefined) void query.where('appeals.id', '<', before);
    if (isOpen) void query.whereNull('appeals.decision');
    return query;
  });
  return cutPage(rows.map(readShown));
}

export async function findAppeal(database: Database, id: string): Promise<ShownAppeal | null> {
  const row = await database.run((queries) => selectShown(queries).where('appeals.id', id).first());
  return row ? readShown(row) : null;
}

export interface AppealDecision {
  readonly outcome: Decision;
  readonly remark: string;
  /** Identifier of the member who decided; null if the decision was made on the command line. */
  readonly memberId: string | null;
  readonly record: string;
}

/**
 * Stores the decision on an appeal. An overturned verdict is also reported as wrong. Returns false if the appeal
 * already has a decision or does not exist.
 */
export async function decideAppeal(
  database: Database,
  appeal: ShownAppeal,
  { outcome, remark, memberId, record }: AppealDecision,
): Promise<boolean> {
  const now = Date.now();
  return database.transaction(async (queries) => {
    const decided = await queries<AppealRow>('appeals')
      .where({ id: appeal.id })
      .whereNull('decision')
      .update({ decision: outcome, decision_remark: remark, decided_at: now, decided_by: memberId, record });
    if (decided === 0) return false;
    if (outcome === 'verdict_overturned')
      await queries('checks')
        .where({ id: appeal.checkId })
        .update({
          reported_label: labelOf(!appeal.wasAi),
          reported_note: `appeal ${appeal.id}`,
          reported_by: memberId,
          reported_at: now,
        });
    const facts = { before: { is_ai: appeal.wasAi }, after: { outcome, remark } };
    const change = { accountId: appeal.accountId, subject: appeal.checkId, ...facts };
    await audit(queries, database.actor, { what: 'appeal.decided', ...change });
    return true;
  });
}

type ShownRow = AppealRow & { account_name: string; is_ai: number };

function selectShown(queries: Queries) {
  return queries('appeals')
    .join('accounts', 'accounts.id', 'appeals.account_id')
    .join('checks', 'checks.id', 'appeals.check_id')
    .select<ShownRow[]>('appeals.*', 'accounts.name as account_name', 'checks.is_ai');
}

function readShown(row: ShownRow): ShownAppeal {
  return { ...readRow(row), accountName: row.account_name, wasAi: row.is_ai === 1 };
}

function readRow(row: AppealRow): Appeal {
  return {
    id: row.id,
    checkId: row.check_id,
    accountId: row.account_id,
    createdAt: new Date(row.created_at),
    by: row.by === 'link' ? 'link' : 'account',
    remark: row.remark,
    findings: JSON.parse(row.findings) as AppealFindings,
    record: row.record,
    decision:
      row.decision === null
        ? null
        : {
            // Version 1.2.0 stored `overturned` instead of `verdict_overturned`.
            outcome: row.decision.endsWith('overturned') ? 'verdict_overturned' : 'verdict_confirmed',
            remark: row.decision_remark ?? '',
            at: new Date(row.decided_at ?? 0),
          },
  };
}

/** Returns whether a bearer token belongs to an appeal link. All other tokens are API keys. */
export function isAppealToken(token: string): boolean {
  return /^apt_[A-Za-z0-9_-]{43}$/.test(token);
}

/**
 * Creates a link by which a person without an API key can appeal. The returned `token` is stored nowhere else. Throws
 * CheckError not_found or too_many_appeals.
 */
export async function createAppealLink(
  database: Database,
  accountId: string,
  checkId: string,
  days: number,
): Promise<{ readonly token: string; readonly expiresAt: Date }> {
  const token = `apt_${newToken()}`;
  const expiresAt = Date.now() + days * DAY_MS;
  await database.transaction(async (queries) => {
    const appealLinkKey = { check_id: checkId, account_id: accountId };
    await requireCheck(queries, accountId, checkId);
    const open = queries('appeal_links').where(appealLinkKey).where('expires_at', '>', Date.now());
    if ((await open.select('id')).length >= MAX_LINKS)
      throw new CheckError('too_many_appeals', `a check has at most ${MAX_LINKS} open links for appeals`);
    await queries('appeal_links').insert({
      id: `apk_${ulid()}`,
      token_hash: hashToken(token),
      expires_at: expiresAt,
      ...appealLinkKey,
    });
  });
  return { token, expiresAt: new Date(expiresAt) };
}

/** Returns the check that a link belongs to; null if the link is unknown or has expired. */
export async function findAppealLink(
  database: Database,
  token: string,
): Promise<{ readonly accountId: string; readonly checkId: string } | null> {
  const row = await database.run((queries) =>
    queries<{ account_id: string; check_id: string; token_hash: string; expires_at: number }>('appeal_links')
      .where({ token_hash: hashToken(token) })
      .where('expires_at', '>', Date.now())
      .first(),
  );
  return row ? { accountId: row.account_id, checkId: row.check_id } : null;
}

export async function sweepAppealLinks(database: Database): Promise<void> {
  await deleteInPieces(database, 'appeal_links', (rows) => rows.where('expires_at', '<=', Date.now()));
}
