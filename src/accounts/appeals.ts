// Appeals against verdicts: an original that was compared with the checked image, and what the operator decided.
import { ulid } from 'ulid';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import type { Signal } from 'telltale-engine/internal/check/types.js';
import type { Database, Queries } from '../storage/db/database.js';
import { deleteInPieces } from '../storage/db/pieces.js';
import { audit } from './audit.js';
import { labelOf } from './history/remarks.js';
import { hashToken, newToken } from './members/sessions.js';
import { cutPage, PAGE_ROWS, type Page } from './page.js';
import { storeAnswer, type KeyLock } from './usage/idempotency.js';

/** Appeals that a check may have. */
export const MAX_APPEALS = 3;
/** Links of a check that may be open at once. */
const MAX_LINKS = 10;
const DAY_MS = 86_400_000;

/** What an operator can decide. */
export const DECISIONS = ['upheld', 'overturned'] as const;
/** One of them. */
export type Decision = (typeof DECISIONS)[number];

/** What was found on the original, as JSON has it. */
export interface AppealFindings {
  /** What the original was compared with: the checked image, which is kept, or the hash of it. */
  readonly compared_with: 'image' | 'hash';
  readonly same_scene: boolean;
  /** Share of bits of the hashes that differ, 0..1. */
  readonly difference: number;
  /** `[x, y, width, height]`, each 0..1: the part of the original that the checked image shows; null for another scene. */
  readonly crop: readonly number[] | null;
  readonly original: {
    readonly format: string;
    readonly width: number;
    readonly height: number;
    /** Pixels of the original by one of the checked image; null for a check from before its size was kept. */
    readonly enlarged: number | null;
    readonly is_ai: boolean;
    readonly fired: readonly Signal[];
    readonly reason: string;
    readonly scores: {
      readonly full_image_specialist: number | null;
      readonly face_specialist: number | null;
    };
    /** The camera that its metadata names, unsigned; null for none. */
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

/** An appeal. */
export interface Appeal {
  /** `apl_` and a ULID. */
  readonly id: string;
  readonly checkId: string;
  readonly accountId: string;
  readonly createdAt: Date;
  /** Whether the account made it by its key, or somebody by a link. */
  readonly by: 'account' | 'link';
  /** May be empty. */
  readonly remark: string;
  readonly findings: AppealFindings;
  /** The signed record of the original, as JSON. */
  readonly record: string;
  /** Null while it is open. */
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

/** A new identifier: it stands in the record before the row is there. */
export function newAppealId(): string {
  return `apl_${ulid()}`;
}

/** Refuses a check that has as many appeals as it may have. Throws CheckError too_many_appeals. */
export async function requireRoom(queries: Queries, checkId: string): Promise<void> {
  if ((await queries('appeals').where({ check_id: checkId }).select('id')).length >= MAX_APPEALS)
    throw new CheckError(
      'too_many_appeals',
      `a check has at most ${MAX_APPEALS} appeals, and this one has as many`,
    );
}

/**
 * Keeps an appeal, with the answer for duplicates of its request. Throws CheckError not_found if the check is gone
 * meanwhile, too_many_appeals, and deadline_exceeded if the key was lost.
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

/** Locks the check, so that it is not erased before the commit. Throws CheckError not_found if it is gone. */
async function requireCheck(queries: Queries, accountId: string, checkId: string): Promise<void> {
  const locked = await queries('checks')
    .where({ id: checkId, account_id: accountId })
    .forUpdate()
    .select('id');
  if (locked.length === 0) throw new CheckError('not_found', 'the check was erased while the request ran');
}

/** The appeals of a check, oldest first. */
export async function listAppeals(database: Database, accountId: string, checkId: string): Promise<Appeal[]> {
  const rows = await database.run((queries) =>
    queries<AppealRow>('appeals').where({ account_id: accountId, check_id: checkId }).orderBy('id'),
  );
  return rows.map(readRow);
}

/** An appeal as the operator sees it. */
export interface ShownAppeal extends Appeal {
  readonly accountName: string;
  /** The verdict that it is against. */
  readonly wasAi: boolean;
}

/** A page of the appeals of all accounts, newest first: those older than `before`; if `isOpen`, those not decided alone. */
export async function pageAppeals(
  database: Database,
  before: string | undefined,
  isOpen: boolean,
): Promise<Page<ShownAppeal>> {
  const rows = await database.run((queries) => {
    const found = selectShown(queries)
      .orderBy('appeals.id', 'desc')
      .limit(PAGE_ROWS + 1);
    if (before !== undefined) void found.where('appeals.id', '<', before);
    if (isOpen) void found.whereNull('appeals.decision');
    return found;
  });
  return cutPage(rows.map(readShown));
}

/** One of them; null if there is none. */
export async function findAppeal(database: Database, id: string): Promise<ShownAppeal | null> {
  const row = await database.run((queries) => selectShown(queries).where('appeals.id', id).first());
  return row ? readShown(row) : null;
}

/** What the operator says of an appeal. */
export interface AppealDecision {
  readonly outcome: Decision;
  readonly remark: string;
  /** Null for one on the command line. */
  readonly memberId: string | null;
  /** The record, signed with the decision, as JSON. */
  readonly record: string;
}

/** Decides an appeal once; an overturned verdict is reported as wrong. False where it was decided before, or is gone. */
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
    if (outcome === 'overturned')
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
            outcome: row.decision === 'overturned' ? 'overturned' : 'upheld',
            remark: row.decision_remark ?? '',
            at: new Date(row.decided_at ?? 0),
          },
  };
}

/** Whether a bearer token is that of a link, and no API key. */
export function isAppealToken(token: string): boolean {
  return /^apt_[A-Za-z0-9_-]{43}$/.test(token);
}

/** Makes a link for a person who appeals without a key; `token` is its only copy. Throws CheckError not_found, too_many_appeals. */
export async function createAppealLink(
  database: Database,
  accountId: string,
  checkId: string,
  days: number,
): Promise<{ readonly token: string; readonly expiresAt: Date }> {
  const token = `apt_${newToken()}`;
  const expiresAt = Date.now() + days * DAY_MS;
  await database.transaction(async (queries) => {
    const mine = { check_id: checkId, account_id: accountId };
    await requireCheck(queries, accountId, checkId);
    const open = queries('appeal_links').where(mine).where('expires_at', '>', Date.now());
    if ((await open.select('id')).length >= MAX_LINKS)
      throw new CheckError('too_many_appeals', `a check has at most ${MAX_LINKS} open links for appeals`);
    await queries('appeal_links').insert({
      id: `apk_${ulid()}`,
      token_hash: hashToken(token),
      expires_at: expiresAt,
      ...mine,
    });
  });
  return { token, expiresAt: new Date(expiresAt) };
}

/** The check that a link is for; null for one that is unknown or over. */
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

/** Deletes links that are over. */
export async function sweepAppealLinks(database: Database): Promise<void> {
  await deleteInPieces(database, 'appeal_links', (rows) => rows.where('expires_at', '<=', Date.now()));
}
