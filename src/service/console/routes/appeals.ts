// Console routes for operators, who decide the appeals of all accounts.
import { decideAppeal, findAppeal, pageAppeals, type ShownAppeal } from '../../../accounts/appeals.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import type { SignedRecord } from '../../../record/content/schema.js';
import { writeJson } from '../../../record/keys/sign.js';
import { presentAppeal } from '../../http/routes/appeals.js';
import { readJson } from '../../http/body/read-json.js';
import { readQuery } from '../../http/body/query.js';
import { AppealsQuery, DecisionBody } from '../schemas.js';
import { answer, asMember, memberOf, type Handler } from '../state.js';
import type { Services } from '../../services.js';
import { paramOf } from '../../http/state.js';

/** Handles GET operator/appeals: lists appeals, newest first. Throws CheckError invalid_request. */
export function getAllAppeals({ database }: Services) {
  return answer(async (ctx) => {
    const { before, state } = readQuery(ctx, AppealsQuery);
    const { rows, next } = await pageAppeals(database, before, state === 'open');
    return { appeals: rows.map(presentShownAppeal), next };
  });
}

/** Returns an appeal as JSON, with a preview of the original instead of the whole record. */
export function presentShownAppeal(appeal: ShownAppeal) {
  const { record, ...shownAppeal } = presentAppeal(appeal);
  const { picture } = (record as SignedRecord).record;
  return {
    ...shownAppeal,
    account: appeal.accountName,
    was_ai: appeal.wasAi,
    /** Preview as JPEG in base64, or null without a preview. */
    preview: picture.preview?.jpeg ?? null,
  };
}

/**
 * Handles POST operator/appeals/ID/decision: decides an appeal. Throws CheckError not_found, invalid_request.
 */
export function postDecision(deps: Services): Handler {
  const { database, recorder } = deps;
  return async (ctx) => {
    const { outcome, remark } = await readJson(ctx, DecisionBody);
    const appeal = await findAppeal(database, paramOf(ctx, 'id'));
    if (!appeal)
      throw new CheckError('not_found', 'There is no such appeal. It may have been deleted with its check');
    const { record } = JSON.parse(appeal.record) as SignedRecord;
    const signed = await recorder.decision(record, { outcome, remark });
    const decision = { outcome, remark, memberId: memberOf(ctx).id, record: writeJson(signed) };
    if (!(await decideAppeal(asMember(ctx, deps), appeal, decision)))
      throw new CheckError('invalid_request', 'This appeal is already decided');
    ctx.status = 204;
  };
}
