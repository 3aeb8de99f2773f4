// Converts appeals and their links to JSON, for the API, the console and the command line.
import type { Assessment, Signal } from 'telltale-engine/internal/check/types.js';
import { roundScore } from 'telltale-engine/internal/base/numbers.js';
import { MAX_APPEALS, type Appeal, type AppealFindings, type Decision } from './appeals.js';
import type { ShownAppeal } from './shown.js';
import { stateOfLink, type AppealLink, type LinkState } from './links.js';

/** An appeal in the form of the JSON response. */
export interface PresentedAppeal extends Pick<Appeal, 'id' | 'by' | 'remark'> {
  readonly check_id: string;
  readonly created_at: string;
  readonly link_id: string | null;
  readonly comparison: {
    readonly with: AppealFindings['compared_with'];
    readonly same_scene: boolean;
    readonly difference: number;
    crop: number[] | null;
  };
  readonly original: Omit<AppealFindings['original'], 'fired'> & { fired: Signal[] };
  readonly decision: { readonly outcome: Decision; readonly remark: string; readonly at: string } | null;
  readonly withdrawn_at: string | null;
  readonly record: object;
}

/** Returns an appeal as JSON for callers. */
export function presentAppeal(appeal: Appeal): PresentedAppeal {
  const { id, checkId, createdAt, by, linkId, remark, findings, decision, withdrawnAt, record } = appeal;
  return {
    id,
    check_id: checkId,
    created_at: createdAt.toISOString(),
    by,
    link_id: linkId,
    remark,
    comparison: {
      with: findings.compared_with,
      same_scene: findings.same_scene,
      difference: findings.difference,
      crop: findings.crop && [...findings.crop],
    },
    original: { ...findings.original, fired: [...findings.original.fired] },
    decision: decision && {
      outcome: decision.outcome,
      remark: decision.remark,
      at: decision.at.toISOString(),
    },
    withdrawn_at: withdrawnAt?.toISOString() ?? null,
    record: JSON.parse(record) as object,
  };
}

/** An appeal with its account and the contested check, in the form of the JSON response. */
export interface PresentedShownAppeal extends PresentedAppeal {
  readonly account: string;
  readonly was_ai: boolean;
  readonly check: {
    readonly created_at: string;
    readonly is_ai: boolean;
    /** Value of the headline. */
    readonly assessment: Assessment;
    readonly fired: readonly Signal[];
    readonly reason: string | null;
    readonly scores: {
      readonly full_image_specialist: number | null;
      readonly face_specialist: number | null;
    };
    readonly name: string | null;
    readonly image_stored: boolean;
  };
}

/** Returns an appeal as JSON for people who decide it or who made the check. */
export function presentShownAppeal(appeal: ShownAppeal): PresentedShownAppeal {
  const { check } = appeal;
  return {
    ...presentAppeal(appeal),
    account: appeal.accountName,
    was_ai: check.isAi,
    check: {
      created_at: check.createdAt.toISOString(),
      is_ai: check.isAi,
      assessment: check.assessment,
      fired: check.fired,
      reason: check.reason,
      scores: {
        // Rounded without regard to a threshold, because the threshold may have changed since the check.
        full_image_specialist: roundScore(check.fullImageScore, 0),
        face_specialist: roundScore(check.faceScore, 0),
      },
      name: check.name,
      image_stored: check.isImageStored,
    },
  };
}

/** A link in the form of the JSON response. */
export interface PresentedLink {
  readonly id: string;
  readonly check_id: string;
  readonly created_at: string;
  readonly expires_at: string;
  readonly revoked_at: string | null;
  readonly state: LinkState;
  readonly attempts_left: number;
}

/** Returns a link as JSON, without its token, which is not stored. */
export function presentAppealLink(link: AppealLink): PresentedLink {
  return {
    id: link.id,
    check_id: link.checkId,
    created_at: link.createdAt.toISOString(),
    expires_at: link.expiresAt.toISOString(),
    revoked_at: link.revokedAt?.toISOString() ?? null,
    state: stateOfLink(link),
    attempts_left: Math.max(0, MAX_APPEALS - link.appeals),
  };
}

/** Returns the address of a link's page. Browsers never send the part after `#`, so no server's log has the token. */
export function addressOfLink(origin: string, link: { readonly checkId: string }, token: string): string {
  return `${origin}/appeal#${link.checkId}.${token}`;
}
