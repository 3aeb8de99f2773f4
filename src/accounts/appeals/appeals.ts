// Appeals against verdicts: somebody sends the original file, the service compares it with the checked image, and an
// operator decides.
import { ulid } from 'ulid';
import { RequestFault, CheckError } from 'telltale-engine/internal/base/errors.js';
import type { Signal } from 'telltale-engine/internal/check/types.js';
import type { Database, Queries } from '../../storage/db/database.js';
import { audit } from '../audit.js';
import { storeAnswer, type KeyLock } from '../usage/idempotency-locks.js';

/** Maximum number of appeals against one check through one link, and by the account itself. */
export const MAX_APPEALS = 3;
/** Maximum number of characters of a remark: the sender's in an appeal, and the operator's in a decision. */
export const MAX_REMARK = 1000;

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
  /** Link through which the appeal was made; null for the account's own appeals. */
  readonly linkId: string | null;
  readonly remark: string;
  readonly findings: AppealFindings;
  readonly record: string;
  readonly decision: { readonly outcome: Decision; readonly remark: string; readonly at: Date } | null;
  /** Time at which the sender withdrew the appeal; null for all others. */
  readonly withdrawnAt: Date | null;
}

/** State of the appeals against a check. An overturned verdict stays overturned. */
export const APPEAL_STATES = ['open', 'confirmed', 'overturned'] as const;
export type AppealState = (typeof APPEAL_STATES)[number];

export interface AppealRow {
  id: string;
  check_id: string;
  account_id: string;
  created_at: number;
  by: string;
  link_id: string | null;
  remark: string;
  findings: string;
  record: string;
  decision: string | null;
  decision_remark: string | null;
  decided_at: number | null;
  decided_by: string | null;
  withdrawn_at: number | null;
}

/** Returns a new identifier. The caller needs it before the row exists, because the signed record contains it. */
export function newAppealId(): string {
  return `apl_${ulid()}`;
}

/** Returns how many more originals can be compared for a check through a link, or by the account without a link. */
export async function countAttempts(
  queries: Queries,
  checkId: string,
  linkId: string | null,
): Promise<number> {
  const sender = linkId === null ? { by: 'account' } : { link_id: linkId };
  const made = await queries('appeals')
    .where({ check_id: checkId, ...sender })
    .select('id');
  return Math.max(0, MAX_APPEALS - made.length);
}

/**
 * Throws CheckError too_many_appeals if the sender has no attempt left, or if the operator has already decided an
 * appeal through the link.
 */
export async function requireAttemptLeft(
  queries: Queries,
  checkId: string,
  linkId: string | null,
): Promise<void> {
  if ((await countAttempts(queries, checkId, linkId)) === 0)
    throw new CheckError(
      'too_many_appeals',
      linkId === null
        ? `This check has the maximum of ${MAX_APPEALS} appeals`
        : `The maximum of ${MAX_APPEALS} appeals was sent through this link`,
    );
  if (linkId === null) return;
  const decided = await queries<AppealRow>('appeals')
    .where({ link_id: linkId })
    .whereNotNull('decision')
    .first('id');
  if (decided)
    throw new CheckError(
      'too_many_appeals',
      'An appeal through this link is already decided, and the decision is final',
    );
}

/** An appeal that arrived or was decided, for webhooks. */
export interface AppealEvent {
  readonly type: 'appeal.received' | 'appeal.decided';
  readonly accountId: string;
  readonly appeal: string;
  readonly check: string;
  readonly outcome: Decision | null;
}

/** Receives an event in the transaction that causes it. */
export type AppealListener = (queries: Queries, event: AppealEvent) => Promise<void>;

/** A new appeal: without a decision, and not withdrawn. */
export type NewAppeal = Omit<Appeal, 'decision' | 'withdrawnAt'>;

/**
 * Stores an appeal, and its response for repeated requests with the same Idempotency-Key. Throws CheckError not_found
 * if the check has been deleted, too_many_appeals, or deadline_exceeded if another request has taken over the key.
 */
export async function insertAppeal(
  database: Database,
  appeal: NewAppeal,
  answer: { readonly lock: KeyLock; readonly body: string } | null,
  notify: AppealListener | null = null,
): Promise<void> {
  const { id, checkId, accountId, by, linkId } = appeal;
  await database.transaction(async (queries) => {
    await requireCheck(queries, accountId, checkId);
    await requireAttemptLeft(queries, checkId, linkId);
    await queries<AppealRow>('appeals').insert({
      id,
      check_id: checkId,
      account_id: accountId,
      created_at: appeal.createdAt.getTime(),
      by,
      link_id: linkId,
      remark: appeal.remark,
      findings: JSON.stringify(appeal.findings),
      record: appeal.record,
    });
    await updateState(queries, checkId);
    const after = { appeal: id, link: linkId };
    await audit(queries, database.actor, { what: 'appeal.received', accountId, subject: checkId, after });
    await notify?.(queries, {
      type: 'appeal.received',
      accountId,
      appeal: id,
      check: checkId,
      outcome: null,
    });
    if (answer) await storeAnswer(queries, answer.lock, answer.body, appeal.createdAt);
  });
}

/** Stores the state of a check's appeals with the check. */
export async function updateState(queries: Queries, checkId: string): Promise<void> {
  const rows = await queries<AppealRow>('appeals')
    .where({ check_id: checkId })
    .whereNull('withdrawn_at')
    .select('decision');
  const states = new Set(rows.map(({ decision }) => stateOf(decision)));
  const state = (['overturned', 'open', 'confirmed'] as const).find((name) => states.has(name)) ?? null;
  await queries('checks').where({ id: checkId }).update({ appeal: state });
}

function stateOf(decision: string | null): AppealState {
  if (decision === null) return 'open';
  return outcomeOf(decision) === 'verdict_overturned' ? 'overturned' : 'confirmed';
}

/** Reads a stored decision. Version 1.2.0 stored `overturned` instead of `verdict_overturned`. */
function outcomeOf(decision: string): Decision {
  return decision.endsWith('overturned') ? 'verdict_overturned' : 'verdict_confirmed';
}

/**
 * Locks the check's row until the commit. Returns the check's account, which must be `accountId` unless that is null.
 * Throws RequestFault not_found if the check does not exist.
 */
export async function requireCheck(
  queries: Queries,
  accountId: string | null,
  checkId: string,
): Promise<string> {
  const owner = accountId === null ? {} : { account_id: accountId };
  const locked = await queries<{ id: string; account_id: string }>('checks')
    .where({ id: checkId, ...owner })
    .forUpdate()
    .first('account_id');
  if (!locked)
    throw new RequestFault(
      'There is no such check. It may have been erased or have expired',
      null,
      'not_found',
    );
  return locked.account_id;
}

/** Returns the appeals against a check, oldest first. With `linkId`, returns only appeals through this link. */
export async function listAppeals(
  database: Database,
  accountId: string,
  checkId: string,
  linkId?: string,
): Promise<Appeal[]> {
  const rows = await database.run((queries) => {
    const query = queries<AppealRow>('appeals').where({ account_id: accountId, check_id: checkId });
    return (linkId === undefined ? query : query.where({ link_id: linkId })).orderBy('id');
  });
  return rows.map(readRow);
}

export function readRow(row: AppealRow): Appeal {
  return {
    id: row.id,
    checkId: row.check_id,
    accountId: row.account_id,
    createdAt: new Date(row.created_at),
    by: row.by === 'link' ? 'link' : 'account',
    linkId: row.link_id,
    remark: row.remark,
    findings: JSON.parse(row.findings) as AppealFindings,
    record: row.record,
    decision:
      row.decision === null
        ? null
        : {
            outcome: outcomeOf(row.decision),
            remark: row.decision_remark ?? '',
            at: new Date(row.decided_at ?? 0),
          },
    withdrawnAt: row.withdrawn_at === null ? null : new Date(row.withdrawn_at),
  };
}
