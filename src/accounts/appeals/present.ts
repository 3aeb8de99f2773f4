// Converts appeals and their links to JSON, for the API, the console and the command line.
import type { Signal } from 'telltale-engine/internal/check/types.js';
import { MAX_APPEALS, type Appeal, type AppealFindings, type Decision } from './appeals.js';
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
