// Console routes for operators, who decide the appeals of all accounts.
import { pageAppeals, type ShownAppeal } from '../../../accounts/appeals/appeals.js';
import { decideAppeal } from '../../../accounts/appeals/decide.js';
import { presentAppeal } from '../../../accounts/appeals/present.js';
import type { SignedRecord } from '../../../record/content/schema.js';
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
  return async (ctx) => {
    const { outcome, remark } = await readJson(ctx, DecisionBody);
    const decision = { id: paramOf(ctx, 'id'), outcome, remark, memberId: memberOf(ctx).id };
    await decideAppeal(asMember(ctx, deps), decision, deps.recorder.decision);
    ctx.status = 204;
  };
}
