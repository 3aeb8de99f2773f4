// Thresholds fitted to kept pictures that members cleared: for operators alone, who see whose pictures they are.
import type { Static } from '@sinclair/typebox';
import { countJudged, type JudgedFilter } from '../../../accounts/history/judged.js';
import { PAGE_ROWS } from '../../../accounts/page.js';
import { CheckError } from '../../../base/errors.js';
import { areAims, LEAST_GENUINE } from '../../../calibration/adaptation/own-thresholds.js';
import { requestCorrection } from '../../corrections/corrections.js';
import { readJson } from '../../http/body/read-json.js';

import { readQuery, readMoment } from '../../http/body/query.js';
import { type ConsoleDeps, memberOf, type Handler } from '../state.js';
import { JudgedQuery, ThresholdsBody } from '../schemas.js';
import type { Judged } from '../learned-shapes.js';
import { requireFree } from './corrections.js';

/** Handles GET operator/judged: whose pictures there are to fit thresholds to. Errors: invalid_request. */
export function getJudged({ database }: ConsoleDeps): Handler {
  return async (ctx) => {
    const query = readQuery(ctx, JudgedQuery);
    const judged = await countJudged(database, {
      ...readRange(query),
      alsoReported: query.also_reported === 'true',
      accountIds: null,
    });
    ctx.body = {
      least: LEAST_GENUINE,
      accounts: judged.slice(0, PAGE_ROWS).map(({ accountId, account, genuine, ai, members }) => ({
        id: accountId,
        name: account,
        genuine,
        ai,
        members,
      })),
    } satisfies Judged;
  };
}

/** Handles POST operator/thresholds: begins to fit them. Errors: invalid_request. */
export function postThresholds(deps: ConsoleDeps): Handler {
  return async (ctx) => {
    const body = await readJson(ctx, ThresholdsBody);
    requireFree(deps);
    const { name, aims, also_reported: alsoReported, account_ids: accountIds } = body;
    if (!areAims(aims))
      throw new CheckError(
        'invalid_request',
        "Expected shares over 0 that rise from strict over balanced to sensitive, to 0.5 at most, for 'aims'",
        { param: 'aims' },
      );
    const { from, to } = readRange(body);
    const wanted = {
      aims,
      from: from?.toISOString() ?? null,
      to: to?.toISOString() ?? null,
      alsoReported,
      accountIds,
    };
    const id = await requestCorrection(deps.database, name, memberOf(ctx).email, wanted);
    ctx.state.log.info({ thresholds: id, member: memberOf(ctx).id, wanted }, 'thresholds are to be fitted');
    ctx.status = 201;
    ctx.body = { id };
  };
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
