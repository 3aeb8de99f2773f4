// Shapes of the console's answers that several routes share.
import type { ApiKey } from '../../accounts/keys.js';
import { presentLimits, type Plan } from '../../accounts/plans.js';
import { presentBand } from 'telltale-engine/internal/check/present-details.js';
import { roundScore } from 'telltale-engine/internal/check/rounding.js';
import type { Bands, ProfileBands } from 'telltale-engine/internal/check/types.js';
import { AskerFault, CheckError } from 'telltale-engine/internal/base/errors.js';
import type { PastCheck } from '../../accounts/history/checks.js';
import { presentScan } from '../scans/scan.js';
import type { NamedScan } from '../scans/read-scans.js';

/** The thresholds of every profile. */
export function presentProfiles({ profiles }: Bands) {
  const present = ({ fullImage, face }: ProfileBands) => ({
    full_image_specialist: {
      photographed: presentBand(fullImage.photographed),
      drawn: presentBand(fullImage.drawn),
    },
    face_specialist: presentBand(face),
  });
  const { strict, balanced, sensitive } = profiles;
  return { strict: present(strict), balanced: present(balanced), sensitive: present(sensitive) };
}

/** A check of the history: of its result what is kept. */
export function presentPastCheck(check: PastCheck) {
  return {
    id: check.id,
    at: check.createdAt.toISOString(),
    is_ai: check.isAi,
    fired: check.fired,
    reason: check.reason,
    profile: check.profile,
    model: check.model,
    bands_version: check.bandsVersion,
    // The thresholds of back then may be gone: 0 leaves the rounding plain.
    scores: {
      full_image_specialist: roundScore(check.fullImageScore, 0),
      face_specialist: roundScore(check.faceScore, 0),
    },
    latency_ms: check.latencyMs,
    /** Null for a check by hand. */
    key: check.key,
    /** Who made a check by hand; null if the member is gone, and for one by key. */
    member: check.memberEmail,
    image_stored: check.image !== null,
    report: check.report && {
      label: check.report.label,
      note: check.report.note,
      at: check.report.at.toISOString(),
    },
    ref: check.ref,
    scan: check.requestId.startsWith('scn_') ? check.requestId : null,
    colours: check.colours,
    name: check.name,
    /** Why eyes are needed though nothing fired. */
    attention: check.attention,
    note: check.note && {
      text: check.note.text,
      status: check.note.status,
      at: check.note.at.toISOString(),
      /** Null where the member is gone. */
      by: check.note.memberEmail,
    },
    /** Who took it for review. */
    claim: check.claim && {
      member_id: check.claim.memberId,
      by: check.claim.memberEmail,
      at: check.claim.at.toISOString(),
    },
  };
}

/** A key, without its text. */
export function presentKey(key: ApiKey) {
  return {
    id: key.id,
    account: key.accountName,
    name: key.name,
    plan: key.narrowedTo ?? key.plan,
    scopes: key.scopes,
    created_at: key.createdAt.toISOString(),
    last_used_at: key.lastUsedAt?.toISOString() ?? null,
    expires_at: key.expiresAt?.toISOString() ?? null,
    revoked_at: key.revokedAt?.toISOString() ?? null,
  };
}

/** What a plan allows. */
export function presentPlan(plan: Plan) {
  return { name: plan.name, ...presentLimits(plan) };
}

/** What a member got wrong about accounts, keys, people or records, as the answer invalid_request. */
export function refuseFault(error: unknown): never {
  throw error instanceof AskerFault ? new CheckError('invalid_request', error.message) : error;
}

/** As of `now`. */
export function presentShownScan(row: NamedScan, now: Date) {
  return {
    ...presentScan(row, now),
    name: row.name,
    /** Who began it; null if the member is gone. */
    by: row.member_email ?? row.key_name,
    /** Whether a page sends its images one by one. */
    is_uploaded: row.is_uploaded === 1,
    profile: row.profile,
  };
}
