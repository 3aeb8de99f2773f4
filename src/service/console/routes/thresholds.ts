// Console routes for operators: decision thresholds fitted to stored images that members have judged.
import type { Static } from '@sinclair/typebox';
import { countJudged, type JudgedFilter } from '../../../accounts/history/judged.js';
import { PAGE_ROWS } from '../../../accounts/page.js';
import { invalidRequest } from 'telltale-engine/internal/base/errors.js';
import { MIN_GENUINE_IMAGES } from '../../../calibration/thresholds/own-thresholds.js';
import {
  activateThresholds,
  deleteThresholds,
  pageThresholds,
  presentThresholds,
  readActive,
  requestThresholds,
} from '../../own-thresholds/own-thresholds.js';
import { readMoment } from '../../../accounts/usage/period.js';
import type { ActiveBody, JudgedQuery, PageQuery, ThresholdsBody } from '../schemas.js';
import { asMember, memberOf, type ConsoleContext, type Handler } from '../session.js';
import type { Services } from '../../services.js';
import { paramOf } from '../../http/state.js';

/** Handles GET operator/thresholds: lists sets of thresholds. Throws CheckError invalid_request. */
export function getThresholds({ database, calibration, fixedBy }: Services) {
  return async (_: ConsoleContext, { before }: Static<typeof PageQuery>) => {
    const [page, active] = await Promise.all([pageThresholds(database, before), readActive(database)]);
    const { model, version } = calibration.current;
    return {
      thresholds: page.rows.map(presentThresholds),
      next: page.next,
      active,
      model,
      bands_version: version,
      /** Reason (part of a sentence) why thresholds can't be fitted or activated, or null if they can. */
      fixed_by: fixedBy,
    };
  };
}

/**
 * Handles GET operator/judged: counts, for each account, the images that thresholds can be fitted to. Throws
 * CheckError invalid_request.
 */
export function getJudged({ database }: Services) {
  return async (_: ConsoleContext, query: Static<typeof JudgedQuery>) => {
    const judged = await countJudged(database, {
      ...readRange(query),
      alsoReported: query.also_reported === 'true',
      accountIds: null,
    });
    return {
      least: MIN_GENUINE_IMAGES,
      accounts: judged.slice(0, PAGE_ROWS).map(({ accountId, account, genuine, ai, members }) => ({
        id: accountId,
        name: account,
        genuine,
        ai,
        /** Number of members who confirmed that images are genuine. */
        members,
      })),
    };
  };
}

/** Handles POST operator/thresholds: requests a fit of thresholds. Throws CheckError invalid_request. */
export function postThresholds(deps: Services): Handler<Static<typeof ThresholdsBody>> {
  return async (ctx, body) => {
    requireFree(deps);
    const { name, aims, also_reported: alsoReported, account_ids: accountIds } = body;
    const { from, to } = readRange(body);
    const thresholdsRequest = {
      aims,
      from: from?.toISOString() ?? null,
      to: to?.toISOString() ?? null,
      alsoReported,
      accountIds,
    };
    const id = await requestThresholds(asMember(ctx, deps), name, memberOf(ctx).email, thresholdsRequest);
    ctx.state.log.info(
      { thresholds: id, member: memberOf(ctx).id, wanted: thresholdsRequest },
      'a fit of thresholds was requested',
    );
    return { id };
  };
}

/**
 * Handles PUT operator/thresholds/active: activates a set of thresholds, in all processes within seconds.
 * Throws CheckError invalid_request.
 */
export function putActiveThresholds(deps: Services): Handler<Static<typeof ActiveBody>> {
  const { engine } = deps;
  return async (ctx, { id }) => {
    requireFree(deps);
    await activateThresholds(asMember(ctx, deps), id, engine.model);
    ctx.state.log.info({ thresholds: id, member: memberOf(ctx).id }, 'thresholds were activated');
  };
}

/** Handles DELETE operator/thresholds/ID: deletes a set of thresholds. Throws CheckError invalid_request. */
export function deleteOneThresholds(deps: Services): Handler {
  return async (ctx) => {
    await deleteThresholds(asMember(ctx, deps), paramOf(ctx, 'id'));
  };
}

/** Throws CheckError invalid_request if the settings of this process fix the thresholds. */
function requireFree({ fixedBy }: Services): void {
  if (fixedBy === null) return;
  throw invalidRequest(`the console can't change the thresholds: ${fixedBy}`);
}

function readRange({
  from,
  to,
}: Pick<Static<typeof ThresholdsBody>, 'from' | 'to'>): Pick<JudgedFilter, 'from' | 'to'> {
  return {
    from: from === undefined ? null : readMoment('from', from, 'start'),
    to: to === undefined ? null : readMoment('to', to, 'end'),
  };
}
