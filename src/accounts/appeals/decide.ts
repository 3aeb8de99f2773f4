// Ends an appeal: the operator decides it, or the sender withdraws it.
import { RequestFault } from 'telltale-engine/internal/base/errors.js';
import type { Assessment } from 'telltale-engine/internal/check/types.js';
import type { Database, Queries } from '../../storage/db/database.js';
import { audit } from '../audit.js';
import { type Outcome, labelOf } from '../history/outcomes.js';
import { changeScanEntry, type ScannedCheck } from '../history/scan-entry.js';
import {
  MAX_REMARK,
  requireCheck,
  updateState,
  type AppealListener,
  type AppealRow,
  type AppealState,
  type Decision,
} from './appeals.js';
import { findAppeal } from './shown.js';

export interface AppealDecision {
  readonly id: string;
  readonly outcome: Decision;
  readonly remark: string;
  /** Identifier of the member who decided; null if the decision was made on the command line. */
  readonly memberId: string | null;
}

/** Adds a decision to the JSON of a signed record, and returns the JSON of the newly signed record. */
export type SignDecision = (
  record: string,
  decision: Pick<AppealDecision, 'outcome' | 'remark'>,
) => Promise<string>;

/**
 * Decides an appeal and signs its record again. An overturned verdict is also reported as wrong, and marked as overturned
 * in the results of its scan. Throws RequestFault not_found, and invalid_request if the remark is too long or the appeal
 * is already decided or was withdrawn.
 */
export async function decideAppeal(
  database: Database,
  { id, outcome, remark, memberId }: AppealDecision,
  sign: SignDecision,
  notify: AppealListener | null = null,
): Promise<void> {
  if (remark.length > MAX_REMARK)
    throw new RequestFault(`Expected a remark of at most ${MAX_REMARK} characters`, 'remark');
  const appeal = await findAppeal(database, id);
  if (!appeal) throw noSuchAppeal();
  const record = await sign(appeal.record, { outcome, remark });
  const now = Date.now();
  await database.transaction(async (queries) => {
    // Locked before the state is read, because another appeal against the check may end at the same time.
    await requireCheck(queries, appeal.accountId, appeal.checkId);
    const decided = await queries<AppealRow>('appeals')
      .where({ id, decision: null, withdrawn_at: null })
      .update({ decision: outcome, decision_remark: remark, decided_at: now, decided_by: memberId, record });
    if (decided === 0)
      throw new RequestFault(
        appeal.withdrawnAt ? 'This appeal was withdrawn' : 'This appeal is already decided',
      );
    if (outcome === 'verdict_overturned') {
      await queries('checks')
        .where({ id: appeal.checkId })
        .update({
          reported_label: labelOf(!appeal.check.isAi),
          reported_note: `appeal ${id}`,
          reported_by: memberId,
          reported_at: now,
        });
      await overturnInScan(queries, database.dialect, appeal.checkId);
    }
    await updateState(queries, appeal.checkId);
    const after = { appeal: id, outcome, remark };
    const change = { accountId: appeal.accountId, subject: appeal.checkId, after };
    await audit(queries, database.actor, { what: 'appeal.decided', ...change });
    const { accountId, checkId: check } = appeal;
    await notify?.(queries, { type: 'appeal.decided', accountId, appeal: id, check, outcome });
  });
}

interface CheckRow extends ScannedCheck {
  readonly assessment: Assessment | null;
  readonly appeal: AppealState | null;
}

/**
 * Marks the check's entry in the results of its scan as overturned, and moves the check in the scan's counts. Does
 * nothing if no scan made the check, or if an earlier decision overturned it.
 */
async function overturnInScan(
  queries: Queries,
  dialect: Database['dialect'],
  checkId: string,
): Promise<void> {
  const check = await queries<CheckRow>('checks').where({ id: checkId }).first();
  if (!check || check.appeal === 'overturned') return;
  const isFromScan = await changeScanEntry(queries, dialect, check, ({ body }) => ({
    body: JSON.stringify({ ...(JSON.parse(body) as object), appeal: 'overturned' }),
  }));
  if (!isFromScan || check.assessment === null) return;
  const scans = () => queries<{ id: string; assessments: string | null }>('scans');
  const scan = await scans().where({ id: check.request_id }).forUpdate().first('assessments');
  // Scans of Telltale before 1.3 have no counts.
  if (!scan?.assessments) return;
  const counts = JSON.parse(scan.assessments) as Partial<Record<Outcome, number>>;
  counts[check.assessment] = Math.max(0, (counts[check.assessment] ?? 0) - 1);
  counts.overturned = (counts.overturned ?? 0) + 1;
  await scans()
    .where({ id: check.request_id })
    .update({ assessments: JSON.stringify(counts) });
}

/**
 * Withdraws an undecided appeal. `linkId` is the link through which it was made, null for the account's own appeal.
 * A withdrawn appeal still counts as an attempt. Does nothing if the appeal is already withdrawn. Throws RequestFault
 * not_found, and invalid_request if the appeal is already decided.
 */
export async function withdrawAppeal(
  database: Database,
  {
    id,
    accountId,
    checkId,
    linkId,
  }: Readonly<Record<'id' | 'accountId' | 'checkId', string>> & {
    readonly linkId: string | null;
  },
): Promise<void> {
  const sender = linkId === null ? { by: 'account' } : { link_id: linkId };
  const own = { id, account_id: accountId, check_id: checkId, ...sender };
  await database.transaction(async (queries) => {
    await requireCheck(queries, accountId, checkId);
    const appeal = await queries<AppealRow>('appeals').where(own).forUpdate().first();
    if (!appeal) throw noSuchAppeal();
    if (appeal.decision !== null)
      throw new RequestFault('This appeal is already decided and can’t be withdrawn');
    if (appeal.withdrawn_at !== null) return;
    await queries<AppealRow>('appeals').where({ id }).update({ withdrawn_at: Date.now() });
    await updateState(queries, checkId);
    const after = { appeal: id };
    await audit(queries, database.actor, { what: 'appeal.withdrawn', accountId, subject: checkId, after });
  });
}

function noSuchAppeal(): RequestFault {
  const message = 'There is no such appeal. It may have been deleted with its check';
  return new RequestFault(message, null, 'not_found');
}
