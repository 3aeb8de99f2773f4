// Console routes for reviewing past checks: findings that are computed again from the stored image, and statuses.
import type { Static } from '@sinclair/typebox';
import { presentCheck } from 'telltale-engine/internal/check/present.js';
import { startDeadline } from 'telltale-engine/internal/check/deadline.js';
import type { DetailName } from 'telltale-engine/internal/check/types.js';
import { findCheck, type AnsweredCheck } from '../../../accounts/history/checks.js';
import { noSuchCheck, setStatuses } from '../../../accounts/history/remarks.js';
import { checkAndSearch, hashingAccount } from '../../check-and-search.js';
import { disconnectSignal } from '../../http/errors/answer-errors.js';
import { callerOf, paramOf } from '../../http/state.js';
import { within } from '../../traces/span.js';
import type { StatusesBody } from '../schemas.js';
import type { Services } from '../../services.js';
import { asMember, memberOf, type ConsoleContext } from '../session.js';
import { openStoredImage } from './checks.js';

/** Details that the page of a check shows. */
const SHOWN_DETAILS: readonly DetailName[] = [
  'heatmap',
  'faces',
  'credentials',
  'assessment',
  'thresholds',
  'warnings',
  'marks',
];

/**
 * Handles GET checks/ID/findings: returns the stored part of the response, and the findings in the stored image. The
 * findings are computed again without a charge; without a stored image they are null. Throws CheckError not_found, and
 * the errors of a check.
 */
export function getFindings(deps: Services) {
  return async (ctx: ConsoleContext) => {
    const check = await findCheck(deps.database, memberOf(ctx).accountId, paramOf(ctx, 'id'));
    if (!check) throw noSuchCheck();
    return { kept: check.answer, again: await checkAgain(ctx, deps, check) };
  };
}

async function checkAgain(ctx: ConsoleContext, deps: Services, check: AnsweredCheck) {
  const { accountId } = check;
  const signal = disconnectSignal(ctx);
  const deadline = startDeadline({ signal, deadlineMs: deps.deadlineMs });
  const storedImage = await deadline.race(openStoredImage(deps, check));
  if (storedImage === null) return null;
  const bands = deps.calibration.current;
  const { bytes } = storedImage;
  const limits = { ...deadline.remaining(), accountId, searchPixels: true, heatMap: true };
  const { report, seen } = await within(ctx.state.stages.span.begin('check'), (span) =>
    checkAndSearch(
      span,
      { ...deps, bands },
      { bytes, profile: check.profile, ...limits },
      { accountId: hashingAccount(callerOf(ctx), deps), wantsSeen: true },
    ),
  );
  return {
    result: presentCheck(
      { ...report, id: check.id },
      {
        include: SHOWN_DETAILS,
        seen: seen && { ...seen, checks: seen.checks.filter(({ id }) => id !== check.id) },
        imageStored: true,
        latencyMs: check.latencyMs,
        ref: check.ref,
      },
    ),
    /** True if the check was made with the networks and thresholds that are used now. */
    is_same: report.model === check.model && report.bandsVersion === check.bandsVersion,
  };
}

/** Handles PUT checks/status: sets the status of up to 100 checks and returns the number of checks that exist. */
export function putStatuses(deps: Services) {
  return async (ctx: ConsoleContext, { ids, status }: Static<typeof StatusesBody>) => {
    const { accountId, id: by } = memberOf(ctx);
    return { changed: await setStatuses(asMember(ctx, deps), { accountId, ids, by }, status) };
  };
}
