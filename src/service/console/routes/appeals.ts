// Console routes of appeals: members see their account's appeals and manage links; operators decide all appeals.
import type { Static } from '@sinclair/typebox';
import { decideAppeal } from '../../../accounts/appeals/decide.js';
import { createAppealLink, listAppealLinks, revokeAppealLink } from '../../../accounts/appeals/links.js';
import { addressOfLink, presentAppealLink, presentShownAppeal } from '../../../accounts/appeals/present.js';
import { findAppeal, pageAppeals, type ShownAppeal } from '../../../accounts/appeals/shown.js';
import { findCheck } from '../../../accounts/history/checks.js';
import { CheckError } from 'telltale-engine/internal/base/errors.js';
import type { SignedRecord } from '../../../record/content/schema.js';
import type { Database } from '../../../storage/db/database.js';
import { drawKeptPreview } from '../../check-original.js';
import { disconnectSignal } from '../../http/errors/answer-errors.js';
import type { AppealLinkJson } from '../../http/openapi/appeal-schemas.js';
import type { AppealsQuery, DecisionBody } from '../schemas.js';
import { originOf, asMember, memberOf, type ConsoleContext, type Handler } from '../session.js';
import type { Services } from '../../services.js';
import { paramOf } from '../../http/state.js';

/** Handles GET operator/appeals: lists appeals of all accounts, newest first. Throws CheckError invalid_request. */
export function getAllAppeals({ database }: Services) {
  return (_: ConsoleContext, query: Static<typeof AppealsQuery>) => listAppeals(database, query);
}

/** Handles GET appeals: lists appeals of the account, newest first. Throws CheckError invalid_request. */
export function getAccountAppeals({ database }: Services) {
  return (ctx: ConsoleContext, query: Static<typeof AppealsQuery>) =>
    listAppeals(database, query, memberOf(ctx).accountId);
}

async function listAppeals(
  database: Database,
  { before, state }: Static<typeof AppealsQuery>,
  accountId?: string,
) {
  const { rows, next } = await pageAppeals(database, { before, isOpen: state === 'open', accountId });
  return { appeals: rows.map(presentForPage), next };
}

/** Returns an appeal as JSON, with a preview of the original instead of the whole record. */
export function presentForPage(appeal: ShownAppeal) {
  const { record, ...shownAppeal } = presentShownAppeal(appeal);
  const { picture } = (record as SignedRecord).record;
  /** Preview as JPEG in base64, or null without a preview. */
  return { ...shownAppeal, preview: picture.preview?.jpeg ?? null };
}

/** Handles GET checks/ID/appeal-links: lists the links of a check. */
export function getCheckLinks({ database }: Services) {
  return async (ctx: ConsoleContext) => {
    const links = await listAppealLinks(database, paramOf(ctx, 'id'), memberOf(ctx).accountId);
    return { links: links.map(presentAppealLink) };
  };
}

/** Handles POST checks/ID/appeal-links: creates a link. Throws CheckError not_found, too_many_appeals. */
export function postCheckLink(deps: Services) {
  return async (ctx: ConsoleContext, { days }: Static<typeof AppealLinkJson>) => {
    const { accountId } = memberOf(ctx);
    const { link, token } = await createAppealLink(asMember(ctx, deps), accountId, paramOf(ctx, 'id'), days);
    return { ...presentAppealLink(link), url: addressOfLink(originOf(ctx, deps.publicUrl), link, token) };
  };
}

/** Handles DELETE checks/ID/appeal-links/LINK: revokes a link. Throws CheckError not_found. */
export function deleteCheckLink(deps: Services): Handler {
  return async (ctx) => {
    const owner = { accountId: memberOf(ctx).accountId, checkId: paramOf(ctx, 'id') };
    await revokeAppealLink(asMember(ctx, deps), paramOf(ctx, 'link'), owner);
  };
}

/**
 * Handles GET operator/appeals/ID/image: sends a reduced copy of the checked image to the operator who decides. Throws
 * CheckError not_found, also if the image is not stored.
 */
export function getContestedImage(deps: Services): Handler {
  return async (ctx) => {
    const appeal = await findAppeal(deps.database, paramOf(ctx, 'id'));
    const check = appeal && (await findCheck(deps.database, appeal.accountId, appeal.checkId));
    if (!check) throw new CheckError('not_found', 'There is no such appeal');
    const jpeg = await drawKeptPreview(deps, check, disconnectSignal(ctx));
    ctx.set('Cache-Control', 'private, max-age=3600');
    ctx.type = 'image/jpeg';
    ctx.body = jpeg;
  };
}

/**
 * Handles POST operator/appeals/ID/decision: decides an appeal. Throws CheckError not_found, invalid_request.
 */
export function postDecision(deps: Services): Handler<Static<typeof DecisionBody>> {
  return async (ctx, { outcome, remark }) => {
    const decision = { id: paramOf(ctx, 'id'), outcome, remark, memberId: memberOf(ctx).id };
    await decideAppeal(asMember(ctx, deps), decision, deps.recorder.decision, deps.onAppeal);
  };
}
